// The URLs of a site, without reading every page.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });

const { links } = await client.map('https://lantern.test', { limit: 200 });
for (const { url, title = '', sources } of links) console.log(url, title, sources.join('+'));

const found = await client.map('https://lantern.test', { search: 'exit codes' });
console.log('Best answer to "exit codes":', found.links[0]?.url);

await client.close();
