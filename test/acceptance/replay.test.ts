/** A crawl is recorded once, with a real browser; replayed it is the same to the byte, without a network. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientOptions, createClient } from 'pagewright';
import {
  challenge,
  fakeClock,
  type FixtureServer,
  flaky,
  linkedSite,
  openRecording,
  openReplay,
  reset,
  serve,
} from 'pagewright/testing';
import { mixedPagesFolder } from '../support/mixed-pages.ts';
import { usualAnd } from '../support/deep.ts';

const network = { allow: ['127.0.0.1'] };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pagewright-replay-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** All that a crawl tells: documents, errors, what was left out, warnings. */
async function crawled(
  start: string,
  options: ClientOptions,
  crawl: { maxConcurrency: number; limit?: number; formats?: unknown[]; includePaths?: string[] },
): Promise<string> {
  await using client = createClient({ ...options, clock: fakeClock() });
  const { formats = ['markdown', 'links', 'rawHtml'], ...limits } = crawl;
  const scrapeOptions = { formats: formats as ['markdown'], onlyMainContent: false };
  const job = client.crawl(start, { ...limits, scrapeOptions });
  const lines: string[] = [];
  for await (const document of job) lines.push(JSON.stringify(document));
  for (const error of job.errors()) lines.push(JSON.stringify(error));
  for (const skip of job.skipped()) lines.push(JSON.stringify(skip));
  // The state, the numbers and the warning; the documents are above.
  const { data: _, ...status } = await job.status();
  lines.push(JSON.stringify(status));
  return lines.join('\n');
}

describe.each(
  usualAnd(1, [
    ['run.jsonl', 1],
    ['run.warc.gz', 4],
  ]),
)('pages that need a browser or not, in %s, %i at a time', (name, maxConcurrency) => {
  const crawl = {
    maxConcurrency,
    formats: ['markdown', 'rawHtml'],
    // Half of them complete as they come, half filled in by a script.
    includePaths: [
      '^/(article|docs|table|login|forum|react-server)/',
      '^/(react-like|vue-like|angular-like|svelte-like|client-shop|skeleton)/',
    ],
  };
  let path: string;
  let start: string;
  let live: string;
  beforeAll(async () => {
    path = join(folder, name);
    await using server = await serve(mixedPagesFolder);
    await using recording = await openRecording(path);
    start = server.url('/');
    live = await crawled(start, { network, engines: recording.engines }, crawl);
  }, 120_000);

  test('are recorded from both engines', () => {
    expect(live.split('\n').length).toBeGreaterThan(12);
    expect(live).toContain('"engine":"browser"');
    expect(live).toContain('"engine":"http"');
  });

  test('are the same to the byte, without their server and without a browser', async () => {
    const replay = await openReplay(path, { onExhausted: 'error' });
    const options = { engines: replay.engines, browser: { executablePath: '/none' } };
    const again = await crawled(start, options, crawl);
    expect(again.split('\n')).toEqual(live.split('\n'));
    expect(replay.warnings).toEqual([]);
  });
});

describe('a site that fails here and there', () => {
  const { site } = linkedSite({ pages: 120, seed: 7, failing: 0.1, sections: 3, sitemap: true });
  const behaviours = {
    '/section-0/*': flaky({ failures: 1 }),
    '/section-1/page-1*': reset(),
    '/section-2/page-2*': challenge(),
  };
  let server: FixtureServer;
  let start: string;
  let path: string;
  let live: string;
  beforeAll(async () => {
    path = join(folder, 'linked.jsonl');
    server = await serve(site, { behaviours });
    start = server.url('/');
    await using recording = await openRecording(path);
    const engines = recording.engines;
    live = await crawled(
      start,
      { network, engines, browser: false },
      { maxConcurrency: 8, limit: 60 },
    );
    await server.close();
  }, 120_000);

  test('has retries and errors in its recording', () => {
    expect(live.split('\n').length).toBeGreaterThan(60);
    expect(live).toMatch(/"code":"(?:CONNECTION_RESET|BLOCKED_BY_SITE)"/);
  });

  test.each([8, 2, 1])(
    'is the same to the byte with %i pages at a time',
    async (maxConcurrency) => {
      const replay = await openReplay(path);
      const again = await crawled(
        start,
        { engines: replay.engines, browser: false },
        { maxConcurrency, limit: 60 },
      );
      expect(again.split('\n')).toEqual(live.split('\n'));
    },
    60_000,
  );
});
