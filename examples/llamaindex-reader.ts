// Chunks of a site as documents of LlamaIndex.TS.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('@llamaindex/core');
const { MetadataMode } = await import('@llamaindex/core/schema');
const { PagewrightReader } = await import('pagewright/llamaindex');

// Leave out the client to read the web.
const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });

const reader = new PagewrightReader({
  mode: 'batch',
  urls: [
    'https://lantern.test/docs/guides/schedules.html',
    'https://lantern.test/docs/install.html',
  ],
  chunks: { maxTokens: 150 },
  client,
});
for (const document of await reader.loadData()) {
  const [line = ''] = document.getContent(MetadataMode.NONE).split('\n');
  console.log(`${document.id_}: ${line}`);
}

await client.close();
