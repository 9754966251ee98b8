/** The stacks of errors that come later than the call. */
import { fileURLToPath } from 'node:url';
import { type Client, createClient, memoryStore, PagewrightError, scrape } from 'pagewright';
import { hang, serve } from 'pagewright/testing';
import { afterAll, describe, expect, it } from 'vitest';

/** The network policy refuses it. */
const url = 'http://127.0.0.1/';
const client: Client = createClient({ storage: memoryStore() });
afterAll(() => client.close());

const here = fileURLToPath(import.meta.url);
const seen = new Set<string>();

describe('the stack of a failed call has the line of the caller', () => {
  it.each<[string, () => PromiseLike<unknown>]>([
    ['scrape', () => client.scrape(url)],
    ['scrape of the default client', () => scrape(url)],
    ['crawl', () => client.crawl(url)],
    ['crawl, read in a loop', () => drain(client.crawl(url))],
    ['map', () => client.map(url)],
    ['plan', () => client.plan(url)],
    ['extract', () => client.extract({ urls: [url], schema: { type: 'object' } })],
    ['follow', () => client.jobs.follow('none')],
    ['resume, read in a loop', () => drain(client.jobs.resume('none'))],
    ['search', () => client.search('tides', { engine: () => Promise.reject(new Error('no')) })],
    ['check of a monitor', () => client.monitors.get('none').check()],
    ['wrong options', () => client.scrape(url, { formats: ['nothing' as 'html'] })],
  ])('%s', async (_, call) => {
    const lines = linesOf(await errorOf(call));
    expect(lines).toHaveLength(new Set(lines).size);
    // Each call of the table has a line of its own; the rest is the test.
    const [line] = lines.filter((one) => !/errorOf/.test(one));
    expect(line).toContain(here);
    expect(seen).not.toContain(line);
    seen.add(String(line));
  });
});

it('an error that rejects two calls names each in a stack of its own', async () => {
  await using server = await serve({ '/': 'x' }, { behaviours: { '/': hang() } });
  const own = createClient({ network: { allow: ['127.0.0.1'] } });
  const first = errorOf(() => own.scrape(server.origin));
  const second = errorOf(() => own.scrape(`${server.origin}/other`));
  await own.close();
  const errors = [await first, await second];
  for (const error of errors) {
    expect(error).toBeInstanceOf(PagewrightError);
    expect(error).toMatchObject({ code: 'CANCELLED', message: 'The client was closed.' });
  }
  const [lines = [], others = []] = errors.map(linesOf);
  expect(others).toHaveLength(lines.length);
  expect(others.filter((line) => !lines.includes(line))).toHaveLength(2);
});

it('keeps the cause of an error, and the frames of where it was thrown', async () => {
  await using server = await serve({ '/': 'x' });
  const { origin } = server;
  await server.close();
  await using own = createClient({ network: { allow: ['127.0.0.1'] } });
  const error = await errorOf(() => own.scrape(origin, { retries: 0 }));
  expect(error).toMatchObject({ code: 'CONNECTION_REFUSED', cause: { code: 'ECONNREFUSED' } });
  expect(error.stack).toMatch(/failure\.[tj]s/);
});

async function drain(job: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of job) void _;
}

async function errorOf(call: () => PromiseLike<unknown>): Promise<Error> {
  const error: unknown = await call().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error('it did not fail');
  return error;
}

function linesOf({ stack = '' }: Error): string[] {
  return stack.split('\n').filter((line) => line.includes(here));
}
