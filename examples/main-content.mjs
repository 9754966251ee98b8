// What counts as main content: our own extractor, Mozilla's Readability, or a function of yours.
import { createClient, fixturesEngine } from 'pagewright';

const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
const client = createClient({ engines: [site] });
const url = 'https://tidewater.test/docs/guides/retention.html';

const ours = await client.scrape(url);
// Needs `npm install @mozilla/readability linkedom@0.18.14`.
const theirs = await client.scrape(url, { mainContent: 'readability' });
// Gets the cleaned page as HTML, gives HTML.
const yours = await client.scrape(url, {
  mainContent: ({ html }) => /<h1[^]*?<\/h1>/.exec(html)?.[0],
});

for (const [name, { markdown }] of Object.entries({ ours, theirs, yours })) {
  console.log(`${name}: ${markdown.length} characters, ${markdown.split('\n')[0]}`);
}

await client.close();
