// A part of a site, page by page.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });

const job = client.crawl('https://lantern.test/docs/', {
  limit: 10,
  excludePaths: ['/reference/'],
});
for await (const page of job) {
  console.log(page.metadata.url, `${page.markdown.length} characters`);
}

const { completed, failed, skipped } = job.progress;
console.log(`${completed} pages, ${failed} failed, ${skipped} skipped`);
console.log(job.explain('https://lantern.test/docs/reference/cli.html'));

await client.close();
