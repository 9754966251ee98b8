// Pages of a site as documents of LangChain.js.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('@langchain/core');
const { PagewrightLoader } = await import('pagewright/langchain');

// Leave out the client to read the web.
const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });

const loader = new PagewrightLoader({
  mode: 'crawl',
  url: 'https://lantern.test/docs/',
  options: { limit: 5 },
  client,
});
for await (const { pageContent, metadata } of loader.lazyLoad()) {
  console.log(`${metadata.source}: ${metadata.title}, ${pageContent.length} characters`);
}

const page = new PagewrightLoader({
  url: 'https://lantern.test/docs/guides/schedules.html',
  chunks: { maxTokens: 150 },
  client,
});
for (const { id, metadata } of await page.load()) {
  console.log(`${id}\n  ${metadata.headings}\n  ${metadata.anchor}`);
}

await client.close();
