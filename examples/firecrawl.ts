// A program for Firecrawl's SDK, in your own process: only the import is another one.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import Firecrawl, { type Document } from 'pagewright/firecrawl';

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });
const app = new Firecrawl({ client });

const page = await app.scrape('https://lantern.test/', { formats: ['markdown', 'links'] });
console.log(page.metadata?.title, `${page.links?.length} links`);

const job = await app.crawl('https://lantern.test/docs/', { limit: 3 });
console.log(job.status, `${job.completed} of ${job.total} pages, ${job.creditsUsed} credits`);

const { id } = await app.startCrawl('https://lantern.test/docs/', { limit: 3 });
const watcher = app.watcher(id);
watcher.on('document', ({ metadata }: Document) => console.log(metadata?.sourceURL));
watcher.on('done', ({ status }: { status: string }) => console.log(status));
await watcher.start();

await client.close();
