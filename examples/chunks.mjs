// Passages for retrieval, each with where it stands, and what the page is about.
import { createClient, fixturesEngine } from 'pagewright';

const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
const client = createClient({ engines: [site] });

const { chunks, summary } = await client.scrape(
  'https://tidewater.test/docs/guides/retention.html',
  { formats: [{ type: 'chunks', maxTokens: 200 }, 'summary'] },
);

console.log(summary);
for (const { headingPath, anchor, tokens, text } of chunks) {
  console.log(`${headingPath.join(' > ')} (${tokens} tokens)`, anchor);
  console.log(`  ${text.replace(/\s+/g, ' ').slice(0, 80)}`);
}

await client.close();
