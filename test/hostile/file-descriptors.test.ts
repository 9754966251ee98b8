/** A process without free file descriptors: idle connections give theirs back, calls wait, and nothing stays broken. */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireBuild } from '../entries/cli/run-pagewright.ts';

const run = promisify(execFile);
const library = join(import.meta.dirname, '../../dist/index.js');
const page =
  '<!DOCTYPE html><title>Lamp</title><main><h1>Lamp</h1><p>A lamp of the shop.</p></main>';
const heavy = `${page}<table>${'<tr><td>1<td>2'.repeat(20_000)}</table>`;

/** It answers at all addresses of 127.0.0.0/8, each of which is a host. */
let server: Server;
let port: number;

beforeAll(async () => {
  requireBuild();
  server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/heavy' ? heavy : page);
  });
  // Announced to the client, which keeps its connections as long.
  server.keepAliveTimeout = 15_000;
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** What a script prints as JSON in a process that may have as many descriptors. */
async function inProcess(descriptors: number, script: string): Promise<unknown> {
  const setup = `
    import { closeSync, openSync } from 'node:fs';
    import * as pagewright from ${JSON.stringify(library)};
    const held = [];
    const fill = () => { try { for (;;) held.push(openSync('/dev/null')); } catch {} };
    const release = () => { for (const one of held.splice(0)) closeSync(one); };
    const host = (n) => 'http://127.0.' + (n >> 8) + '.' + ((n & 255) || 1) + ':${port}/';
    const options = { network: { allow: ['127.0.0.0/8'] }, browser: false, maxConcurrency: 64 };
    const client = pagewright.createClient(options);
    const outcome = (call) => call.then(() => 'done', ({ code, message }) => code ?? message);
    const unhandled = [];
    process.on('unhandledRejection', (error) => unhandled.push(String(error)));
  `;
  const limited = `ulimit -n ${descriptors}; exec "$0" --input-type=module -e "$1"`;
  const { stdout } = await run('bash', ['-c', limited, process.execPath, setup + script], {
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  return JSON.parse(stdout);
}

test.each([
  ['plain', {}],
  ['in stealth', { proxy: 'stealth' }],
])('pages of 300 hosts, 64 at a time, with 128 descriptors: %s', async (_, options) => {
  const result = await inProcess(
    128,
    `
    const urls = Array.from({ length: 300 }, (_, n) => host(n));
    const scraping = { maxAge: 0, maxConcurrency: 64, retries: 0, ...${JSON.stringify(options)} };
    const job = client.batchScrape(urls, scraping);
    await job;
    console.log(JSON.stringify(job.errors().map(({ code, error }) => code + error)));
    process.exit();
  `,
  );
  expect(result).toEqual([]);
});

test('idle connections are bounded, over all clients of the process', async () => {
  const result = await inProcess(
    1024,
    `
    const { readdirSync } = await import('node:fs');
    const count = () => readdirSync('/proc/self/fd').length;
    const clients = [client, pagewright.createClient(options), pagewright.createClient(options)];
    const before = count();
    await Promise.all(clients.map((one, index) => {
      const urls = Array.from({ length: 100 }, (_, n) => host(n + 100 * index));
      return one.batchScrape(urls, { maxAge: 0, maxConcurrency: 64 });
    }));
    console.log(JSON.stringify(count() - before));
    process.exit();
  `,
  );
  expect(result).toBeLessThan(160);
});

test('calls without a descriptor have a code, and the same calls succeed with some', async () => {
  const result = await inProcess(
    100,
    `
    const schema = { type: 'object', properties: { name: { type: 'string', 'x-selector': 'h1' } } };
    const calls = {
      scrape: () => client.scrape(host(1), { retries: 0, maxAge: 0 }),
      stealth: () => client.scrape(host(1), { retries: 0, maxAge: 0, proxy: 'stealth' }),
      defaultClient: () => pagewright.parse('<h1>Lamp</h1>', { contentType: 'text/html' }),
      html: () => client.scrape({ html: '<h1>Lamp</h1>' }, { formats: ['html', 'links', 'chunks'] }),
      map: () => client.map(host(2)),
      crawl: () => client.crawl(host(3), { limit: 1 }),
      batch: async () => {
        const job = client.batchScrape([host(4)], { retries: 0 });
        await job;
        for (const { code } of job.errors()) throw Object.assign(new Error(), { code });
      },
      extract: () => client.extract({ urls: [host(5)], schema }),
      search: () => client.search('lamps', { engine: () => [{ url: host(6) }], scrape: true })
        .then(({ web: [{ error }] }) => { if (error) throw error; }),
    };
    const all = async () => Object.fromEntries(await Promise.all(
      Object.entries(calls).map(async ([name, call]) => [name, await outcome(call())]),
    ));
    fill();
    const without = await all();
    release();
    console.log(JSON.stringify({ without, after: await all(), unhandled }));
    process.exit();
  `,
  );
  const { without, after, unhandled } = result as Record<string, Record<string, string>>;
  expect(Object.keys(after ?? {})).toHaveLength(9);
  expect(new Set(Object.values(without ?? {}))).toEqual(new Set(['TOO_MANY_OPEN_FILES']));
  expect(new Set(Object.values(after ?? {}))).toEqual(new Set(['done']));
  expect(unhandled).toEqual([]);
});

test('a page that finds no descriptor for its thread is read by one later', async () => {
  const result = await inProcess(
    100,
    `
    const warnings = [];
    const patient = pagewright.createClient({
      ...options,
      logger: { warn: (_, message) => warnings.push(message) },
      hooks: { afterResponse: () => { if (isFirst) fill(); isFirst = false; } },
    });
    let isFirst = true;
    const scrape = () => outcome(patient.scrape(host(1) + 'heavy', { retries: 0, maxAge: 0, formats: ['links'] }));
    const without = await scrape();
    release();
    const after = await scrape();
    console.log(JSON.stringify({ without, after, warnings, unhandled }));
    process.exit();
  `,
  );
  expect(result).toEqual({
    without: 'TOO_MANY_OPEN_FILES',
    after: 'done',
    warnings: [],
    unhandled: [],
  });
});

test('a request waits while descriptors are gone for a moment', async () => {
  const result = await inProcess(
    100,
    `
    await client.scrape(host(1), { maxAge: 0 });
    fill();
    setTimeout(release, 300);
    console.log(JSON.stringify(await outcome(client.scrape(host(2), { retries: 0, maxAge: 0 }))));
    process.exit();
  `,
  );
  expect(result).toBe('done');
});
