// Markdown for a model: without the URLs that it does not read, and with elements of the site written in one's own way.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });
const url = 'https://lantern.test/docs/';

const { markdown: usual } = await client.scrape(url);
const { markdown: short } = await client.scrape(url, {
  formats: [{ type: 'markdown', links: 'text', images: 'none' }],
});
console.log(short);
console.log(`${usual.length} characters with the URLs, ${short.length} without`);

const html = `<h1>Batteries</h1><p>A lamp takes <mark>two cells</mark> of <a href="/cells">this size</a>.</p>
<x-note kind="Caution"><p>Do not mix old and new ones.</p></x-note>`;
const { markdown } = await client.scrape(
  { html, url: 'https://lantern.test/batteries' },
  {
    formats: [
      {
        type: 'markdown',
        links: 'reference',
        handlers: {
          mark: ({ markdown }) => `==${markdown}==`,
          'x-note': ({ attributes, text }) => ({ block: `> **${attributes['kind']}:** ${text}` }),
        },
      },
    ],
  },
);
console.log(markdown);
await client.close();
