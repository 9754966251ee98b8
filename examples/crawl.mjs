// A part of a site, page by page.
import { createClient, fixturesEngine } from 'pagewright';

const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
const client = createClient({ engines: [site] });

const job = client.crawl('https://tidewater.test/docs/reference/', {
  limit: 10,
  excludePaths: ['/http-api/'],
});
for await (const page of job) {
  console.log(page.metadata.url, `${page.markdown.length} characters`);
}

const { completed, failed, skipped } = job.progress;
console.log(`${completed} pages, ${failed} failed, ${skipped} not taken`);
console.log(job.explain('https://tidewater.test/docs/reference/http-api/write.html'));

await client.close();
