// Formats of your own: each is one object, and its value is on the document, typed.
import { createClient, defineFormat } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { wordCount } from './word-count.ts';

// Two steps: `run` reads the page, `finish` makes the value of what `run` found and of the markdown.
const density = defineFormat({
  name: 'density',
  needs: 'page',
  run: (page) => page.source.length,
  uses: () => ({ markdown: true }),
  finish: (characters, _, { markdown = '' }) => markdown.length / characters,
});

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });

const page = await client.scrape('https://lantern.test/docs/quickstart.html', {
  formats: [wordCount, density],
});
console.log(page.metadata.title, page.wordCount, page.density.toFixed(2));

await client.close();
