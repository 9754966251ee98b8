// The smoke list that every runtime runs: prints the result of each step as JSON. Its argument is a folder for files.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { createClient, fileStore } from '../../dist/index.js';
import { sqliteStore } from '../../dist/entries/storage/index.js';
import { fixturesEngine } from '../../dist/entries/testing/index.js';

const [folder = ''] = process.argv.slice(2);
const page = (title, rest = '') =>
  `<!doctype html><title>${title}</title><h1>${title}</h1><p>The page ${title}.</p>${rest}`;
// Heavy: it is read in a thread.
const heavy = page('Heavy', `<p>${'A sentence of a long page. '.repeat(20)}</p>`.repeat(1000));
const server = createServer(({ url }, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(url === '/heavy' ? heavy : page('Light'));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

const warnings = [];
const options = {
  network: { allow: ['127.0.0.1'] },
  logger: { warn: (_, message) => warnings.push(message) },
};
const site = fixturesEngine({
  'https://tidewater.test': 'fixtures/sites/docs',
  'https://fernhill.test': 'fixtures/sites/shop',
});
const client = createClient(options);
const fixtures = createClient({ ...options, engines: [site] });

/** A job that one client begins and another one reads, from the same store. */
async function resume(makeStore) {
  const first = createClient({ ...options, engines: [site], storage: makeStore() });
  const job = first.crawl('https://tidewater.test/docs/', { limit: 5 });
  await job;
  await first.close();
  const second = createClient({ ...options, engines: [site], storage: makeStore() });
  const { data } = await second.jobs.resume(job.id);
  await second.close();
  return data.length;
}

const steps = {
  scrape: async () => (await client.scrape(origin)).metadata.title,
  stealth: async () => (await client.scrape(origin, { proxy: 'stealth' })).metadata.engine,
  thread: async () => (await client.scrape(`${origin}/heavy`)).markdown.length > 500_000,
  crawl: async () =>
    (await fixtures.crawl('https://tidewater.test/docs/', { limit: 40 })).data.length,
  extract: async () => {
    const urls = ['https://fernhill.test/products/korrigan-skell-3.html'];
    const schema = z.object({ name: z.string(), price: z.number() });
    return (await fixtures.extract({ urls, schema })).data;
  },
  pdf: async () => {
    const body = readFileSync('fixtures/files/pdf/chromium-tagged.pdf');
    const expected = readFileSync('fixtures/files/pdf/chromium-tagged.md', 'utf8');
    return (await client.parse(body)).markdown.trim() === expected.trim();
  },
  fileStore: () => resume(() => fileStore(join(folder, 'jobs'))),
  sqliteStore: () => resume(() => sqliteStore({ file: join(folder, 'jobs.db') })),
  screenshot: async () => {
    const { screenshot } = await client.scrape(origin, { formats: ['screenshot'] });
    return screenshot.startsWith('data:image/png;base64,iVBOR');
  },
};
const results = {};
for (const [name, step] of Object.entries(steps)) {
  results[name] = await step().catch((error) => `${error.name}: ${error.message}`);
}
await client.close();
await fixtures.close();
server.close();
results.threads = warnings.filter((message) => message.includes('thread'));
process.stdout.write(`${JSON.stringify(results)}\n`);
