// One page to markdown, links and tables.
import { createClient, fixturesEngine } from 'pagewright';

// The engine serves a site of this repository from disk; leave it out to read the web.
const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
const client = createClient({ engines: [site] });

const page = await client.scrape('https://tidewater.test/docs/guides/retention.html', {
  formats: ['markdown', 'links', 'tables'],
});

console.log(page.metadata.title, `(${page.metadata.statusCode})`);
console.log(page.markdown.split('\n').slice(0, 6).join('\n'));
console.log(`${page.links.length} links, ${page.tables.length} tables`);

await client.close();
