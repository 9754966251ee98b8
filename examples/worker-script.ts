// A worker without a server: takes URLs from stdin, writes a line of JSON for each page, ends cleanly.
//   printf 'https://lantern.test/docs/\n' | npx tsx examples/worker-script.ts
import { createInterface } from 'node:readline/promises';
import { createClient, PagewrightError } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });

// SIGTERM ends the reading; pages that are on their way are finished.
const lines = createInterface({ input: process.stdin });
process.once('SIGTERM', () => lines.close());

const atOnce = 4;
const running = new Set<Promise<void>>();
for await (const url of lines) {
  const task = scrape(url).finally(() => running.delete(task));
  running.add(task);
  if (running.size >= atOnce) await Promise.race(running);
}
await Promise.all(running);
await client.close();

async function scrape(url: string): Promise<void> {
  try {
    const { metadata, summary } = await client.scrape(url, { formats: ['summary'] });
    console.log(JSON.stringify({ url, statusCode: metadata.statusCode, summary }));
  } catch (error) {
    if (!(error instanceof PagewrightError)) throw error;
    console.log(JSON.stringify({ url, code: error.code, retryable: error.retryable }));
  }
}
