// The URLs of a site, without reading every page.
import { createClient, fixturesEngine } from 'pagewright';

const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
const client = createClient({ engines: [site] });

const { links } = await client.map('https://tidewater.test', { limit: 200 });

for (const { url, title, sources } of links.slice(0, 5)) {
  console.log(url, title ?? '', sources.join('+'));
}
console.log(`${links.length} URLs`);

await client.close();
