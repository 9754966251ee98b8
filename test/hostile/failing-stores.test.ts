/** Stores that reject, throw, lie or stop: a job ends with STORAGE in time, and is found again. */
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  createClient,
  memoryStore,
  PagewrightError,
  type Store,
} from '../../src/index.ts';
import { sqliteStore } from '../../src/entries/storage/index.ts';
import { runScenarios } from './run-scenarios.ts';
import { rare, type Routes, type Scenario, type Scene } from './scenario.ts';

const site: Routes = {
  '/': '<p>Start</p><a href="/a">a</a><a href="/b">b</a>',
  '/a': '<p>A</p>',
  '/b': '<p>B</p>',
};
const quiet = {
  logger: { warn: () => undefined },
  network: { allow: ['127.0.0.1'] },
  cache: false,
} as const;
const clientOf = (storage: Store): Client => createClient({ ...quiet, storage });

type Call = 'get' | 'set' | 'delete' | 'list' | 'replace' | 'deleteAll';

/** The store, whose calls go wrong as `goWrong` says; it sees the name of the call and its key. */
function spoilt(inner: Store, goWrong: (call: Call, key: string) => void): Store {
  const wrap =
    (call: Call) =>
    async (...given: readonly unknown[]): Promise<unknown> => {
      goWrong(call, String(given[0]));
      return (inner[call] as (...all: readonly unknown[]) => Promise<unknown>)(...given);
    };
  const calls = ['get', 'set', 'delete', 'replace', 'deleteAll'] as const;
  return {
    ...(Object.fromEntries(calls.map((call) => [call, wrap(call)])) as unknown as Store),
    async *list(prefix) {
      goWrong('list', prefix);
      yield* inner.list(prefix);
    },
  };
}

/** How a piece of work ended, and that it took less than 15 s. */
async function ended(work: PromiseLike<unknown>): Promise<string> {
  const start = performance.now();
  const end = await Promise.resolve(work).then(
    () => 'completed',
    (error: unknown) => (error instanceof PagewrightError ? error.code : `raw ${String(error)}`),
  );
  return performance.now() - start < 15_000 ? end : `${end}, late`;
}

const crawlOf = (client: Client, { site: { url } }: Scene) =>
  client.crawl(url('/'), { sitemap: 'skip', ignoreRobotsTxt: true });

/** A crawl in a store that goes wrong in one way. */
function crawlIn(
  name: string,
  goWrong: (call: Call, key: string) => void,
  expected = 'STORAGE',
): Scenario {
  return {
    name,
    site,
    act: async (scene) => {
      await using client = clientOf(spoilt(memoryStore(), goWrong));
      return await ended(crawlOf(client, scene));
    },
    expect: { value: expected },
  };
}

const broken = new Error('ECONNRESET');
const failOn =
  (which: Call | RegExp, reason: unknown = broken) =>
  (call: Call, key: string) => {
    if (which instanceof RegExp ? which.test(key) : call === which) throw reason;
  };

/** Ids of jobs of which anything is stored. */
async function idsIn(store: Store): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const key of store.list('jobs/')) ids.add(key.split('/')[1] ?? '');
  return ids;
}

/** A job in a store that fails from one of its first calls on, and for ever, until a new client finds it well. */
function failsFrom(call: number, verb: 'crawl' | 'batch'): Scenario {
  return {
    name: `a store that fails from call ${call} of a ${verb} on leaves nothing that cannot be found`,
    site,
    act: async (scene) => {
      const inner = memoryStore();
      let calls = 0;
      const first = clientOf(
        spoilt(inner, (kind, key) => {
          if (kind !== 'list' && /^job/.test(key) && (calls += 1) > call) throw broken;
        }),
      );
      const job =
        verb === 'crawl'
          ? crawlOf(first, scene)
          : first.batchScrape([scene.site.url('/'), scene.site.url('/a')]);
      const end = await ended(job);
      await first.close();
      await using client = clientOf(inner);
      const stored = (await client.jobs.list()).map(({ id }) => id);
      const lost = [...(await idsIn(inner))].filter((id) => !stored.includes(id));
      if (!stored.includes(job.id)) return { end, lost, again: 'nothing is stored' };
      return { end, lost, again: await ended(client.jobs.resume(job.id)) };
    },
    expect: {
      value: {
        end: 'STORAGE',
        lost: [],
        again:
          call === 0
            ? 'nothing is stored'
            : verb === 'batch' && call === 1
              ? 'STORAGE'
              : 'completed',
      },
    },
  };
}

/** What is asked of a client whose store rejects everything with something that is no PagewrightError. */
function asks(name: string, ask: (client: Client, url: string) => PromiseLike<unknown>): Scenario {
  return {
    name: `${name} of a store that rejects is STORAGE`,
    site,
    act: async ({ site: { url } }) => {
      await using client = clientOf(
        spoilt(memoryStore(), () => {
          throw broken;
        }),
      );
      return await ended(ask(client, url('/')));
    },
    expect: { value: 'STORAGE' },
  };
}

/** Files of a folder that this process has open. */
function openIn(folder: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}

runScenarios([
  ...(['get', 'set', 'replace'] as const).map((call) =>
    crawlIn(`a store whose ${call} rejects ends a crawl`, failOn(call)),
  ),
  ...(['delete', 'list', 'deleteAll'] as const).map((call) =>
    crawlIn(`a store whose ${call} rejects holds no crawl up`, failOn(call), 'completed'),
  ),
  ...['a text', undefined, null, 42, { code: 'EIO' }].map((reason) =>
    crawlIn(
      `a store that rejects with ${String(JSON.stringify(reason))} ends a crawl`,
      failOn('set', reason),
    ),
  ),
  crawlIn('a store that rejects documents ends a crawl', failOn(/documents/)),
  crawlIn('a store that rejects visits ends a crawl', failOn(/visits/)),
  crawlIn('a store that rejects the end of a crawl ends it', failOn(/\/end$/)),
  {
    name: 'a store that throws at once, without a promise, ends a crawl',
    site,
    act: async (scene) => {
      const inner = memoryStore();
      const storage: Store = {
        ...inner,
        set: () => {
          throw broken;
        },
      };
      await using client = clientOf(storage);
      return await ended(crawlOf(client, scene));
    },
    expect: { value: 'STORAGE' },
  },
  {
    name: 'a store that says for ever that somebody else was faster ends a crawl',
    site,
    act: async (scene) => {
      await using client = clientOf({ ...memoryStore(), replace: () => Promise.resolve(false) });
      return await ended(crawlOf(client, scene));
    },
    expect: { value: 'STORAGE' },
  },
  ...[0, 3, 6].map((call) => failsFrom(call, 'crawl')),
  ...[1, 2, 4, 5, 7].map((call) => rare(failsFrom(call, 'crawl'))),
  ...[0, 3].map((call) => failsFrom(call, 'batch')),
  ...[1, 2, 4].map((call) => rare(failsFrom(call, 'batch'))),
  {
    name: 'a lease that the store does not give stays that of its holder',
    site,
    act: async (scene) => {
      const inner = memoryStore();
      const first = clientOf(spoilt(inner, failOn(/documents/)));
      const begun = crawlOf(first, scene);
      await ended(begun);
      await first.close();
      const { id } = begun;
      const lease = `jobs/${id}/lease`;
      const bytes = Buffer.from(
        JSON.stringify({
          holder: 'elsewhere-1-1-a',
          by: 'process 1 on elsewhere',
          beat: 1,
          ran: 0,
        }),
      );
      await inner.set(lease, bytes);
      const deleted: string[] = [];
      await using client = clientOf(
        spoilt(inner, (call, key) => {
          if (call === 'delete') deleted.push(key);
          if (call === 'get' && key === lease) throw broken;
        }),
      );
      const end = await ended(client.jobs.resume(id));
      const left = Buffer.from((await inner.get(lease)) ?? []).equals(bytes);
      return { end, left, deleted };
    },
    expect: { value: { end: 'STORAGE', left: true, deleted: [] } },
  },
  {
    name: 'a crawl whose end the store did not take is resumed by the same client at once',
    site,
    act: async (scene) => {
      let isBroken = true;
      await using client = clientOf(
        spoilt(memoryStore(), (_, key) => {
          if (isBroken && /\/end$/.test(key)) throw broken;
        }),
      );
      const job = crawlOf(client, scene);
      const end = await ended(job);
      isBroken = false;
      return [end, await ended(client.jobs.resume(job.id))];
    },
    expect: { value: ['STORAGE', 'completed'] },
  },
  asks('jobs.list()', (client) => client.jobs.list()),
  asks('recipes()', (client) => client.recipes.list()),
  asks('recipes.remove()', (client) => client.recipes.remove('0'.repeat(16))),
  asks('changes()', (client, url) => client.changes(url)),
  asks('resume()', (client) => client.jobs.resume('6f1ed002-ab5c-4d8e-a5c8-aaaaaaaaaaaa')),
  asks('since', (client, url) => client.crawl(url, { since: 'abc' })),
  {
    name: 'client.close() lets go of the files of SQLite, and another client goes on',
    site,
    act: async (scene) => {
      const folder = await mkdtemp(join(tmpdir(), 'pagewright-sqlite-'));
      scene.defer(() => rm(folder, { recursive: true }));
      const storage = sqliteStore({ file: join(folder, 'store.db') });
      const [one, other] = [clientOf(storage), clientOf(storage)];
      await crawlOf(one, scene);
      const isOpen = openIn(folder) > 0;
      const running = crawlOf(other, scene);
      await one.close();
      const { completed } = await running;
      await other.close();
      return { isOpen, completed, left: openIn(folder) };
    },
    expect: { value: { isOpen: true, completed: 3, left: 0 } },
  },
]);
