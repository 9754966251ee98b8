// One page to markdown, links and tables.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

// Serves a site from a folder beside this file; leave the engine out to read the web.
const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });

const page = await client.scrape('https://lantern.test/docs/install.html', {
  formats: ['markdown', 'links', 'tables'],
});

console.log(page.metadata.title, `(${page.metadata.statusCode})`);
console.log(page.markdown);
console.log(page.links);
console.log(page.tables[0]?.rows);

await client.close();
