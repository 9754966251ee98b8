/** Several visitors of one site through one storage: what one may see the other is not shown, nor compared with. */
import { createClient, memoryStore, type ScrapeOptions, type Store } from '../../src/index.ts';
import { createIdentify } from '../../src/core/fetch/cache/cache-key.ts';
import { questionKey } from '../../src/extract/recipes/selector-store.ts';
import type { FormatInput } from '../../src/content/formats/index.ts';
import { runScenarios } from './run-scenarios.ts';
import { rare, type Routes, type Scenario, type Scene } from './scenario.ts';
import { secret } from './secret.ts';

type Options = ScrapeOptions<readonly FormatInput[]>;

/** A site that shows everyone something else, by all that it is told of them. */
const site: Routes = {
  '/': ({ request, response }) => {
    const { host: _, 'user-agent': __, ...told } = request.headers;
    const words =
      Buffer.from(JSON.stringify(told))
        .toString('hex')
        .match(/.{1,6}/g) ?? [];
    response.setHeader('content-type', 'text/html');
    response.end(`<h1>A page</h1><p>For ${words.join(' ')}.</p>`);
  },
};

const tracked: Options = {
  formats: ['markdown', { type: 'changeTracking', modes: ['git-diff'] }],
  retries: 0,
};

interface Told {
  readonly changeTracking?: { readonly changeStatus: string; readonly diff?: unknown };
}

/** What change tracking says of a page that one visitor and then another one asks for. */
function apart(
  name: string,
  first: Options,
  second: Options,
  expected: readonly [string, boolean] = ['new', false],
): Scenario {
  return {
    name,
    site,
    act: async (scene) => {
      const seen = await scrapeBoth(scene, first, second);
      return [seen?.changeStatus, seen?.diff !== undefined];
    },
    expect: { value: expected },
  };
}

async function scrapeBoth(
  scene: Scene,
  first: Options,
  second: Options,
  storage: Store = memoryStore(),
): Promise<Told['changeTracking']> {
  await using client = createClient({ storage, network: { allow: ['127.0.0.1'] } });
  const url = scene.site.url('/');
  await client.scrape(url, { ...tracked, ...first });
  const document = (await client.scrape(url, { ...tracked, ...second })) as Told;
  return document.changeTracking;
}

const as = (name: string, value = secret): Options => ({ headers: { [name]: value } });
const named = (identity: string): Options => ({
  formats: ['markdown', { type: 'changeTracking', modes: ['git-diff'], identity }],
});
const browser = { engine: 'browser', timeout: 20_000 } as const;
const waits = { ...browser, actions: [{ type: 'wait', milliseconds: 10 }] } as Options;

const identify = createIdentify(undefined, undefined);
const page = { url: 'https://example.com/', rendering: {} };
const of = (headers: Record<string, string>, rendering = {}): string | undefined =>
  identify({ ...page, headers, rendering });

runScenarios([
  ...['Authorization', 'Cookie', 'X-Api-Key', 'X-Tenant'].flatMap((name) => [
    apart(`an anonymous visitor is told nothing of what one with ${name} saw`, as(name), {}),
    apart(`one with ${name} is told nothing of what an anonymous visitor saw`, {}, as(name)),
    apart(`two with different ${name} are told nothing of one another`, as(name), as(name, 'b')),
  ]),
  apart('the same visitor is told of changes', as('Cookie'), as('Cookie'), ['same', false]),
  apart('the case of a header name is no visitor', as('x-api-key'), as('X-API-KEY'), [
    'same',
    false,
  ]),
  apart('visitors of two countries are apart', { location: { country: 'DE' } }, {}),
  apart('visitors of two languages are apart', { location: { languages: ['fr'] } }, {}),
  rare(apart('visitors with and without actions are apart', waits, browser)),
  apart(
    'visitors with and without a profile are apart',
    { ...browser, profile: { name: 'ann' } },
    browser,
  ),
  apart(
    'a named visitor has one history though the token is renewed',
    { ...as('Authorization', 'one'), ...named('ann') },
    { ...as('Authorization', 'two'), ...named('ann') },
    ['changed', true],
  ),
  apart(
    'named visitors are apart',
    { ...as('Cookie'), ...named('ann') },
    { ...as('Cookie'), ...named('ben') },
  ),
  apart('a named visitor and an anonymous one are apart', named('ann'), {}),
  {
    name: 'user and password of a URL are a visitor',
    site,
    act: async (scene) => {
      await using client = createClient({
        storage: memoryStore(),
        network: { allow: ['127.0.0.1'] },
      });
      const url = scene.site.url('/');
      await client.scrape(url.replace('//', `//ann:${secret}@`), tracked);
      const { changeTracking } = (await client.scrape(url, tracked)) as Told;
      return changeTracking?.changeStatus;
    },
    expect: { value: 'new' },
  },
  {
    name: 'what a hook adds is a visitor',
    site,
    act: async (scene) => {
      const storage = memoryStore();
      const network = { allow: ['127.0.0.1'] };
      const hooks = {
        beforeRequest: ({ headers }: { headers: Record<string, string> }) =>
          void (headers['cookie'] = secret),
      };
      await using logged = createClient({ storage, network, hooks });
      await using other = createClient({ storage, network });
      await logged.scrape(scene.site.url('/'), tracked);
      const { changeTracking } = (await other.scrape(scene.site.url('/'), tracked)) as Told;
      return changeTracking?.changeStatus;
    },
    expect: { value: 'new' },
  },
  {
    name: 'a crawl and a batch with headers are visitors of their own',
    site,
    act: async (scene) => {
      await using client = createClient({
        storage: memoryStore(),
        logger: { warn: () => undefined },
        network: { allow: ['127.0.0.1'] },
      });
      const url = scene.site.url('/');
      const scrapeOptions = { ...tracked, ...as('Cookie') } as never;
      const crawled = await client.crawl(url, { scrapeOptions, sitemap: 'skip' });
      const batch = await client.batchScrape([url], { ...tracked, ...as('Cookie', 'b') });
      const alone = (await client.scrape(url, tracked)) as Told;
      const documents = [...crawled.data, ...batch.data, alone] as Told[];
      return documents.map(({ changeTracking }) => changeTracking?.changeStatus);
    },
    expect: { value: ['new', 'new', 'new'] },
  },
  {
    name: 'changes() gives the versions of the visitor that it is asked for',
    site,
    act: async (scene) => {
      await using client = createClient({
        storage: memoryStore(),
        network: { allow: ['127.0.0.1'] },
      });
      const url = scene.site.url('/');
      await client.scrape(url, { ...tracked, ...as('Cookie') });
      await client.scrape(url, { ...tracked, ...named('ann') });
      const options = [{}, { scrapeOptions: as('Cookie') }, { scrapeOptions: as('Cookie', 'b') }];
      const asked = [...options, { identity: 'ann' }, { identity: 'ben' }];
      const found = await Promise.all(asked.map((one) => client.changes(url, one as never)));
      return found.map(({ length }) => length);
    },
    expect: { value: [0, 1, 0, 1, 0] },
  },
  {
    name: 'no key or value of a history has the secret of its visitor',
    site: { '/': '<p>A page of somebody</p>' },
    act: async (scene) => {
      const storage = memoryStore();
      await scrapeBoth(scene, as('Authorization'), as('Cookie'), storage);
      const found: string[] = [];
      for await (const key of storage.list('')) {
        found.push(key, Buffer.from((await storage.get(key)) ?? []).toString('latin1'));
      }
      return [found.length > 0, found.filter((text) => text.includes(secret)).length];
    },
    expect: { value: [true, 0] },
  },
  {
    name: 'recipes of one visitor are not read by another',
    act: () => {
      const key = (identity: string | undefined) =>
        questionKey({ type: 'object' }, undefined, identity);
      const keys = [undefined, of({ cookie: 'a' }), of({ cookie: 'b' })].map(key);
      return new Set(keys).size;
    },
    expect: { value: 3 },
  },
  {
    name: 'headers that say how a page is wanted are no visitor, and order is none',
    act: () => [
      of({ accept: 'text/html', 'user-agent': 'probe/1', 'if-none-match': 'x' }),
      of({ a: '1', b: '2' }) === of({ b: '2', a: '1' }),
      of({ a: '1' }) ===
        createIdentify('a key of the client', undefined)({ ...page, headers: { a: '1' } }),
      createIdentify(undefined, ['cert'])({ ...page, headers: {} }) === undefined,
    ],
    expect: { value: [undefined, true, false, false] },
  },
]);
