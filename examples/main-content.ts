// What counts as main content: our own extractor, Mozilla's Readability, or a function of yours.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('@mozilla/readability', 'linkedom');

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });
const url = 'https://lantern.test/docs/guides/scenes.html';

const ours = await client.scrape(url);
const theirs = await client.scrape(url, { mainContent: 'readability' });
// Gets the cleaned page as HTML, gives HTML.
const yours = await client.scrape(url, {
  mainContent: ({ html }) => /<h1[^]*?<\/h1>/.exec(html)?.[0],
});

for (const [name, { markdown }] of Object.entries({ ours, theirs, yours })) {
  console.log(`${name}: ${markdown.length} characters, ${markdown.split('\n')[0]}`);
}

await client.close();
