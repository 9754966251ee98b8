/** Functions of the caller that throw anything, or give a promise where a result is needed at once. */
import {
  type ClientOptions,
  type CrawlOptions,
  createClient,
  defineAction,
  defineFormat,
  memoryStore,
  PagewrightError,
  type ScrapeOptions,
  type Store,
} from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { unhandledRejections } from '../support/unhandled-rejections.ts';

const url = 'https://shop.test/';
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callers-functions-'));
  const page = '<title>Shop</title><main><h1>Shop</h1><p>Lamps of the shop.</p></main>';
  writeFileSync(join(folder, 'index.html'), `${page}<a href="/a.html">A</a>`);
  writeFileSync(join(folder, 'a.html'), page);
});

function open(options: ClientOptions = {}): ReturnType<typeof createClient> {
  const client = createClient({
    engines: () => [fixturesEngine({ 'https://shop.test': folder })],
    ...options,
  });
  // A store may refuse to be released.
  onTestFinished(() => client.close().catch(() => undefined));
  return client;
}

const thrown: readonly [string, unknown][] = [
  ['null', null],
  ['undefined', undefined],
  ['an error', new Error('broken')],
  ['an object without a text', Object.create(null)],
];

/** Options in which one function fails, whose call is to reject. */
const failing: Readonly<
  Record<string, (fail: () => never) => { client?: ClientOptions; page?: ScrapeOptions }>
> = {
  'accepts of a parser': (fail) => ({
    client: { parsers: [{ name: 'own', accepts: fail, parse: fail }] },
  }),
  'a parser': (fail) => ({
    client: { parsers: [{ name: 'own', accepts: () => true, parse: fail }] },
  }),
  'a format': (fail) => ({
    page: { formats: [defineFormat({ name: 'own', needs: 'page', run: fail })] },
  }),
  'the options of a format': (fail) => ({
    page: {
      formats: [defineFormat({ name: 'own', needs: 'page', parseOptions: fail, run: () => 1 })],
    },
  }),
  'the second step of a format': (fail) => ({
    page: {
      formats: [defineFormat({ name: 'own', needs: 'page', run: () => 1, finish: fail })],
    },
  }),
  'an engine': (fail) => ({
    client: { engines: () => [{ name: 'own', can: new Set(), cost: 1, fetch: fail }] },
  }),
  'the options of an action': (fail) => ({
    page: { actions: [defineAction({ type: 'own', parseOptions: fail, run: () => undefined })] },
  }),
  'an extractor': (fail) => ({ page: { mainContent: fail } }),
  redact: (fail) => ({ page: { redact: [fail] } }),
  'a proxy': (fail) => ({ client: { proxy: { pick: fail } } }),
  'the hook beforeRequest': (fail) => ({ client: { hooks: { beforeRequest: fail } } }),
  'the hook afterResponse': (fail) => ({ client: { hooks: { afterResponse: fail } } }),
  'the hook beforeFormats': (fail) => ({ client: { hooks: { beforeFormats: fail } } }),
  'the hook onDocument': (fail) => ({ client: { hooks: { onDocument: fail } } }),
  'a model': (fail) => ({
    client: { model: fail },
    page: { formats: [{ type: 'json', prompt: 'the name' }] },
  }),
  clock: (fail) => ({ client: { clock: { now: Date.now, random: fail } } }),
};

describe('a function that fails rejects with an error of the library', () => {
  test.each(Object.entries(failing))('%s', async (_, make) => {
    const unhandled = unhandledRejections(onTestFinished);
    for (const [what, value] of thrown) {
      const fail = (): never => {
        throw value;
      };
      const { client: options, page } = make(fail);
      const client = open(options);
      const call = client.scrape(url, { retries: 0, ...page });
      const error: unknown = await call.then(
        () => 'a document',
        (reason: unknown) => reason,
      );
      expect(error, what).toBeInstanceOf(PagewrightError);
    }
    expect(await unhandled()).toEqual([]);
  });

  test('parse', async () => {
    const parser = {
      name: 'own',
      accepts: () => true,
      parse: () => {
        throw null;
      },
    };
    const call = open({ parsers: [parser] }).parse('<p>', { contentType: 'text/html' });
    await expect(call).rejects.toMatchObject({ code: 'HOOK_FAILED' });
  });
});

const rejected = (): never => Promise.reject(new Error('late')) as never;

describe('a function that gives a rejected promise ends no process', () => {
  const crawls: Readonly<Record<string, { client?: ClientOptions; crawl?: CrawlOptions }>> = {
    scrapeOptions: { crawl: { scrapeOptions: rejected } },
    includePaths: { crawl: { includePaths: [rejected] } },
    excludePaths: { crawl: { excludePaths: [rejected] } },
    redact: { crawl: { scrapeOptions: { redact: [rejected] } } },
    mainContent: { crawl: { scrapeOptions: { mainContent: rejected } } },
    transformLink: { crawl: { hooks: { transformLink: rejected } } },
    onSkipped: { crawl: { hooks: { onSkipped: rejected }, excludePaths: ['a'] } },
    onError: { crawl: { hooks: { onError: rejected } } },
    onDocument: { crawl: { hooks: { onDocument: rejected } } },
    logger: { client: { logger: { warn: rejected, info: rejected, debug: rejected } } },
    accepts: { client: { parsers: [{ name: 'own', accepts: rejected, parse: rejected }] } },
    'parseOptions of a format': {
      crawl: {
        scrapeOptions: {
          formats: [
            defineFormat({ name: 'own', needs: 'page', parseOptions: rejected, run: () => 1 }),
          ],
        },
      },
    },
    'parseOptions of an action': {
      crawl: {
        scrapeOptions: {
          actions: [defineAction({ type: 'own', parseOptions: rejected, run: () => undefined })],
        },
      },
    },
    'questions to a format': {
      crawl: {
        scrapeOptions: {
          formats: [
            defineFormat({
              name: 'own',
              needs: 'page',
              run: () => 1,
              uses: rejected,
            }),
          ],
        },
      },
    },
    proxy: { client: { proxy: { pick: () => undefined, report: rejected } } },
    clock: { client: { clock: { now: Date.now, random: rejected } } },
    engines: { client: { engines: rejected } },
  };

  test.each(Object.entries(crawls))('%s', async (_, { client, crawl }) => {
    const unhandled = unhandledRejections(onTestFinished);
    try {
      const job = open(client).crawl(url, { limit: 2, ...crawl });
      for (const name of ['page', 'skipped', 'progress', 'completed', 'failed'] as const) {
        job.on(name, rejected);
      }
      await job;
    } catch {
      // What comes of the call is not the question.
    }
    expect(await unhandled()).toEqual([]);
  });

  test.each<[string, Partial<Record<keyof Store, unknown>>]>([
    ['list', { list: rejected }],
    ['list with an iterator that rejects', { list: () => ({ [Symbol.asyncIterator]: rejected }) }],
    ['get', { get: rejected }],
    ['set', { set: rejected }],
    ['release', { release: rejected }],
  ])('%s of a store', async (_, broken) => {
    const unhandled = unhandledRejections(onTestFinished);
    const client = open({ storage: { ...memoryStore(), ...broken } as Store, cache: {} });
    const calls = [
      client.jobs.list(),
      client.crawl(url, { limit: 1 }),
      client.scrape(url),
      client.close(),
    ];
    for (const result of await Promise.allSettled(calls)) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(PagewrightError);
    }
    expect(await unhandled()).toEqual([]);
  });
});
