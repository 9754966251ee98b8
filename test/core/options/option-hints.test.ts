/** Misspelt and misplaced options, as each verb tells of them. */
import { type Client, createClient, ValidationError } from 'pagewright';
import { afterAll, describe, expect, it } from 'vitest';
import { parseClientOptions } from '../../../src/core/options/client-options.ts';
import { clientOptionNames, jobOptionNames } from '../../../src/core/options/option-hints.ts';

const client: Client = createClient({ browser: false, cache: false });
afterAll(() => client.close());

const url = 'http://127.0.0.1:2/';
const schema = { type: 'object', properties: { a: { type: 'string' } } } as const;

/** Calls of each verb with options that are wrong. */
const calls: Readonly<Record<string, (options: object) => unknown>> = {
  scrape: (options) => client.scrape(url, options),
  parse: (options) => client.parse('<p>x', options),
  crawl: (options) => client.crawl(url, options),
  batchScrape: (options) => client.batchScrape([url], options),
  map: (options) => client.map(url, options),
  extract: (options) => client.extract({ urls: [url], schema, ...options }),
  createClient: (options) => createClient(options),
};

async function failure(verb: string, options: object): Promise<ValidationError> {
  try {
    await calls[verb]?.(options);
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
  throw new Error(`${verb} took it.`);
}

describe('an unknown option', () => {
  it.each([
    ['crawl', { maxDepth: 2 }, 'write maxDiscoveryDepth'],
    ['crawl', { allowBackwardLinks: true }, 'write crawlEntireDomain'],
    ['crawl', { ignoreSitemap: true }, "write sitemap: 'skip'"],
    ['crawl', { includes: [] }, 'write includePaths'],
    ['crawl', { includeSubdomains: true }, 'write allowSubdomains'],
    ['crawl', { formats: ['markdown'] }, 'write scrapeOptions.formats'],
    ['crawl', { waitFor: 1 }, 'write scrapeOptions.waitFor'],
    ['crawl', { screenshot: true }, "write scrapeOptions: { formats: ['screenshot'] }"],
    [
      'crawl',
      { timeout: 5000 },
      'write scrapeOptions.timeout for each page, or budget.seconds for the whole job',
    ],
    ['crawl', { pageOptions: {} }, 'write scrapeOptions'],
    ['crawl', { crawlerOptions: {} }, 'pass its contents to crawl() itself'],
    ['crawl', { options: {} }, 'pass its contents to crawl() itself'],
    ['crawl', { storage: {} }, 'pass it to createClient({ storage })'],
    ['crawl', { limt: 1 }, 'did you mean "limit"?'],
    ['scrape', { scrapeOptions: {} }, 'pass its contents to scrape() itself'],
    ['scrape', { pageOptions: {} }, 'pass its contents to scrape() itself'],
    ['scrape', { maxDepth: 2 }, 'write maxDiscoveryDepth, an option of crawl() itself'],
    ['scrape', { limit: 2 }, 'it is an option of crawl() itself'],
    ['scrape', { schema: {} }, "write formats: [{ type: 'json', schema }]"],
    ['scrape', { userAgent: 'x' }, 'pass it to createClient({ userAgent })'],
    ['scrape', { secret: 'x' }, 'pass it to createClient({ secret })'],
    ['scrape', { retry: 2 }, 'write retries'],
    ['crawl', { retry: 2 }, 'write scrapeOptions.retries'],
    ['scrape', { hooks: {} }, 'pass it to createClient({ hooks })'],
    ['scrape', { errorPages: 'keep' }, 'it is an option of crawl() itself'],
    ['parse', { contentTyp: 'x' }, 'did you mean "contentType"?'],
    ['batchScrape', { options: {} }, 'pass its contents to batchScrape() itself'],
    ['batchScrape', { maxConcurency: 2 }, 'did you mean "maxConcurrency"?'],
    ['batchScrape', { limit: 2 }, 'it is an option of crawl() itself'],
    ['map', { allowSubdomains: true }, 'write includeSubdomains'],
    ['map', { formats: [] }, 'it is an option of scrape()'],
    ['extract', { headers: {} }, 'write scrapeOptions.headers'],
    ['extract', { formats: [] }, 'it is an option of scrape()'],
    [
      'createClient',
      { timeout: 5000 },
      'pass it to each call, or write defaults: { scrape: { timeout } }',
    ],
    ['createClient', { limit: 5 }, 'pass it to each call, or write defaults: { crawl: { limit } }'],
    ['createClient', { scrapeOptions: {} }, 'write defaults.scrape'],
    ['createClient', { options: {} }, 'pass its contents to createClient() itself'],
    ['createClient', { constructor: 1 }, 'known: storage, '],
  ])('%s(%j): %s', async (verb, options, hint) => {
    const [name = ''] = Object.keys(options);
    const { code, issues } = await failure(verb, options);
    expect(code).toBe('BAD_REQUEST');
    expect(issues).toMatchObject([{ path: [name] }]);
    expect(issues[0]?.message).toContain(`unknown option "${name}"; ${hint}`);
  });

  it.each([
    ['scrape', { parsers: [{ type: 'pdf', maxPage: 1 }] }, 'parsers.0.maxPage'],
    ['scrape', { actions: [{ type: 'click', selector: 'a', al: 1 }] }, 'actions.0.al'],
    ['scrape', { formats: [{ type: 'screenshot', fullpage: true }] }, 'formats.0.fullpage'],
    ['scrape', { location: { contry: 'DE' } }, 'location.contry'],
    ['crawl', { scrapeOptions: { fomats: [] } }, 'scrapeOptions.fomats'],
    [
      'crawl',
      { scrapeOptions: { formats: [{ type: 'screenshot', viewport: { with: 1 } }] } },
      'scrapeOptions.formats.0.viewport.with',
    ],
    ['extract', { scrapeOptions: { limits: { bodyByte: 1 } } }, 'scrapeOptions.limits.bodyByte'],
    ['createClient', { browser: { maxPage: 1 } }, 'browser.maxPage'],
  ])(
    'deep in %s(%j) has its whole path, and the name that was meant',
    async (verb, options, at) => {
      const { issues } = await failure(verb, options);
      const issue = issues.find(({ path }) => path.join('.') === at);
      expect(issue?.message).toContain('did you mean');
    },
  );

  it.each(Object.keys(calls))(
    'of %s lists those that there are, wherever it stands',
    async (verb) => {
      const { message } = await failure(verb, { qqqqqqqq: 1 });
      expect(message).toMatch(/unknown option "qqqqqqqq"; known: \w+, \w+/);
    },
  );
});

it('an object of another kind has one message, not one for each of its keys', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `_${index}`);
  const browser = Object.fromEntries(names.map((name) => [name, 1]));
  const { issues } = await failure('createClient', { browser });
  expect(issues).toMatchObject([{ path: ['browser'] }]);
  expect(issues[0]?.message).toMatch(
    /^browser: expected options \(.*\bbrowser, context, .*\), got an object with _0, _1, _2 and 27 other unknown keys$/,
  );
});

it('a delay in milliseconds is told its unit', async () => {
  const { message } = await failure('crawl', { delay: 500 });
  expect(message).toBe(
    "crawl: delay: expected seconds, at most 60; for milliseconds write '500ms', got 500",
  );
});

it('a proxy server in a call belongs to the client; its password is not repeated', async () => {
  for (const verb of ['scrape', 'map']) {
    const { message } = await failure(verb, { proxy: 'http://user:hunter2@proxy.test:8080' });
    expect(message).toContain("give the server to the client: createClient({ proxy: 'http://…' })");
    expect(message).not.toContain('hunter2');
  }
});

it('a parser with a misspelt type is told what there is', async () => {
  for (const parser of ['pfd', { type: 'pfd' }]) {
    expect((await failure('scrape', { parsers: [parser] })).message).toContain(
      'parsers[0]: expected "pdf", "archive" or an object with one of them as its type, got ',
    );
  }
});

it.each([
  [
    { formats: ['markdown'] },
    'formats[0]: expected a format with run(); names belong in each call',
  ],
  [{ parsers: [{ type: 'pdf' }] }, 'parsers[0]: expected a parser with accepts(), parse(); names'],
  [
    { actions: [{ type: 'scrape' }] },
    'actions[0]: expected an action with run(); names belong in each call',
  ],
  [
    { engines: [{ name: 'own', fetch: () => undefined }] },
    'expected an engine with a name, and can',
  ],
])('createClient(%j) is told what belongs there', async (options, message) => {
  expect((await failure('createClient', options)).message).toContain(message);
});

it('the hints speak of options that there are', () => {
  const clientOptions = Object.fromEntries(clientOptionNames.map((name) => [name, undefined]));
  expect(() => parseClientOptions(clientOptions)).not.toThrow();
  for (const name of jobOptionNames) {
    // Known, and wrong.
    expect(() => calls['crawl']?.({ [name]: null })).toThrow(ValidationError);
    expect(() => calls['crawl']?.({ [name]: null })).not.toThrow('unknown option');
  }
});
