/** The log of a client, by level. */
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { createClient, type Logger, PagewrightError } from 'pagewright';
import { flaky, serve } from 'pagewright/testing';
import { pino } from 'pino';
import { expect, test } from 'vitest';

const network = { allow: ['127.0.0.1'] };
const article = '<title>A</title><main><p>Hello, all of you who read this.</p></main>';

/** A pino logger, and the lines that it wrote. */
function pinoLog(level: string): { readonly logger: Logger; readonly lines: object[] } {
  const lines: object[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(JSON.parse(chunk.toString()) as object);
      done();
    },
  });
  return { logger: pino({ level, base: null, timestamp: false }, stream), lines };
}

test('pino gets the fields and the message of each line', async () => {
  await using server = await serve(
    { '/': article },
    { behaviours: { '/': flaky({ failures: 1, status: 500 }) } },
  );
  const { logger, lines } = pinoLog('debug');
  await using client = createClient({ network, logger });
  const job = client.batchScrape([server.url('/')]);
  await job;
  await job.delivered();
  const url = server.url('/');
  const said = lines.map((line) => ('msg' in line ? String(line.msg) : ''));
  expect(said.map((line) => line.replaceAll(/\d+ ms/g, 'N ms').replaceAll(url, 'URL'))).toEqual([
    `Job batchScrape ${job.id} started`,
    'GET URL by http: 500 (N ms)',
    'URL is asked again in N ms (retry): attempt 1 gave 500',
    'GET URL by http: 200 (N ms)',
    'Page URL: 200, cache miss (N ms)',
    `Job batchScrape ${job.id} completed in N ms, 1 pages, 0 failed, 0 skipped`,
  ]);
  expect(lines[0]).toMatchObject({ level: 30, event: 'job', id: job.id, verb: 'batchScrape' });
  expect(lines[2]).toMatchObject({ level: 20, event: 'retry', statusCode: 500, kind: 'retry' });
  expect(lines[4]).toMatchObject({ level: 20, event: 'page', url, cacheState: 'miss' });
  expect(lines[5]).toMatchObject({ level: 30, status: 'completed', completed: 1 });
});

test('a level that pino leaves out has no lines', async () => {
  await using server = await serve({ '/': article });
  const { logger, lines } = pinoLog('info');
  await using client = createClient({ network, logger });
  await client.batchScrape([server.url('/')]);
  expect(lines.map((line) => ('event' in line ? line.event : ''))).toEqual(['job', 'job']);
});

test('a job that fails is an error, and so is an event that does not reach its webhook', async () => {
  const { logger, lines } = pinoLog('error');
  await using client = createClient({ network, logger });
  const job = client.extract({
    urls: ['http://127.0.0.1:2/?sig=secret'],
    schema: { type: 'object', properties: { title: { type: 'string' } } },
    webhook: { url: 'http://127.0.0.2/', events: ['failed'] },
  });
  await expect(job).rejects.toThrow(PagewrightError);
  await job.delivered();
  expect(lines).toEqual([
    expect.objectContaining({ level: 50, event: 'job', status: 'failed', id: job.id }),
    expect.objectContaining({
      level: 50,
      event: 'webhook',
      jobId: job.id,
      type: 'extract.failed',
      errorCode: expect.any(String) as string,
    }),
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test('warnings have fields, too; a logger with warn alone hears nothing else', async () => {
  await using server = await serve({ '/': article });
  const heard: unknown[] = [];
  const logger = { warn: (...line: unknown[]) => void heard.push(line) };
  await using client = createClient({ network, logger });
  const job = client.batchScrape([server.url('/')]);
  job.on('page', () => {
    throw new Error('a listener');
  });
  await job;
  expect(heard).toEqual([[{ event: 'warning' }, expect.stringContaining('a listener')]]);
});

test('a console is a logger', async () => {
  await using server = await serve({ '/': article });
  let written = '';
  const stdout = new Writable({
    write: (chunk: Buffer, _, done) => {
      written += chunk.toString();
      done();
    },
  });
  await using client = createClient({ network, logger: new Console({ stdout }) });
  await client.scrape(server.url('/'));
  expect(written).toMatch(/^\{\s+event: 'request'[^]+\} GET \S+ by http: 200 \(\d+ ms\)$/m);
});

test('a method that is none is refused', () => {
  const logger = { warn: () => undefined, debug: 'yes' };
  expect(() => createClient({ logger: logger as unknown as Logger })).toThrow(
    'logger.debug: expected a function',
  );
  expect(() => createClient({ logger: {} as unknown as Logger })).toThrow('a logger with warn()');
});
