/** Answers from a recording: which one, in which order, and what is said when there is none. */
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ActionInput,
  createClient,
  type Engine,
  PagewrightError,
  type Snapshot,
} from 'pagewright';
import { openRecording, openReplay, type ReplayOptions } from 'pagewright/testing';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';
import { plainRequest } from './plain-request.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pagewright-replay-'));
  path = join(folder, 'run.jsonl');
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Answers with its number. */
function counting(more: Partial<Engine> = {}): Engine {
  let count = 0;
  return {
    name: 'counting',
    can: new Set(),
    cost: 1,
    fetch: ({ url }): Promise<Snapshot> => {
      count += 1;
      const body = new TextEncoder().encode(`answer ${count}`);
      const facts = { statusCode: 200, headers: {}, redirects: [], warnings: [] };
      return Promise.resolve({ ...facts, url, body, engine: 'counting', requests: 1, bytes: 8 });
    },
    ...more,
  };
}

async function record(engine: Engine, work: (engine: Engine) => Promise<unknown>): Promise<void> {
  await using recording = await openRecording(path);
  const [recorded] = recording.engines([engine]);
  if (recorded !== undefined) await work(recorded);
}

async function replayed(options?: ReplayOptions): Promise<Engine> {
  const [engine] = (await openReplay(path, options)).engines();
  if (engine === undefined) throw new Error('no engine');
  return engine;
}

async function textOf(answer: Promise<Snapshot>): Promise<string> {
  return new TextDecoder().decode((await answer).body);
}

describe('answers', () => {
  const a = plainRequest('http://a.test/');

  test('come in the order of their requests, and the last one again', async () => {
    await record(counting(), async (engine) => {
      for (let time = 0; time < 3; time += 1) await engine.fetch(a);
    });
    const engine = await replayed();
    for (const expected of ['answer 1', 'answer 2', 'answer 3', 'answer 3']) {
      expect(await textOf(engine.fetch(a))).toBe(expected);
    }
  });

  test('belong to the request that began first, whichever ended first', async () => {
    const ends: (() => void)[] = [];
    const slow = counting();
    const engine = counting({
      fetch: async (request) => {
        const answer = await slow.fetch(request);
        await new Promise<void>((resolve) => ends.push(resolve));
        return answer;
      },
    });
    await record(engine, async (recorded) => {
      const both = [recorded.fetch(a), recorded.fetch(a)];
      while (ends.length < 2) await new Promise(setImmediate);
      for (const end of ends.reverse()) end();
      await Promise.all(both);
    });
    const again = await replayed();
    const both = [again.fetch(a), again.fetch(a)];
    expect(await Promise.all(both.map(textOf))).toEqual(['answer 1', 'answer 2']);
  });

  test('run out with onExhausted: error, and those left are told', async () => {
    await record(counting(), async (engine) => {
      await engine.fetch(a);
      await engine.fetch(plainRequest('http://a.test/never'));
    });
    const replay = await openReplay(path, { onExhausted: 'error' });
    const [engine] = replay.engines();
    await engine?.fetch(a);
    await expect(engine?.fetch(a)).rejects.toMatchObject({
      code: 'CACHE_MISS',
      message: expect.stringContaining('once, and all of that was replayed') as string,
    });
    expect(replay.unused()).toEqual([{ engine: 'counting', url: 'http://a.test/never' }]);
  });

  test('differ by what is asked of a browser, and by headers that count', async () => {
    const french = { headers: { 'accept-language': 'fr', authorization: 'one' } };
    const mobile = { rendering: { mobile: true as const, viewport: { width: 1, height: 2 } } };
    await record(counting({ can: new Set(['mobile']) }), async (engine) => {
      await engine.fetch(a);
      await engine.fetch({ ...a, ...french });
      await engine.fetch({ ...a, ...mobile });
    });
    const engine = await replayed({ matchHeaders: ['Accept-Language', 'authorization'] });
    const viewport = { height: 2, width: 1 };
    expect(await textOf(engine.fetch({ ...a, rendering: { viewport, mobile: true } }))).toBe(
      'answer 3',
    );
    const other = { 'accept-language': 'fr', authorization: 'other', 'x-more': '1' };
    expect(await textOf(engine.fetch({ ...a, headers: other }))).toBe('answer 2');
    expect(await textOf(engine.fetch({ ...a, url: 'http://a.test/#part' }))).toBe('answer 1');
    await expect(engine.fetch({ ...a, headers: { 'accept-language': 'de' } })).rejects.toThrow(
      /the same URL was recorded with headers .* in place of \{"accept-language":"de"\}/,
    );
  });

  test('belong to the actions of their request, and nothing of what is typed is in the file', async () => {
    const engine = counting({ can: new Set(['render', 'actions']) });
    const textAfter = async (engines: readonly Engine[], action: ActionInput): Promise<string> => {
      await using client = createClient({ engines: () => engines });
      const page = await client.scrape('http://a.test/', {
        actions: [action, { type: 'click', selector: '#send' }],
        formats: ['rawHtml'],
      });
      return page.rawHtml;
    };
    const one = { type: 'click', selector: '#one' } as const;
    const two = { type: 'click', selector: '#two' } as const;
    const fill = { type: 'fill', selector: '#pin', text: '1234' } as const;
    await record(engine, async (recorded) => {
      for (const action of [one, two, fill]) await textAfter([recorded], action);
    });
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(/"actions":\["fill","click [0-9a-f]{16}"\]/);
    const answers = async (...actions: ActionInput[]): Promise<string[]> => {
      const again = await replayed();
      const texts: string[] = [];
      for (const action of actions) texts.push(await textAfter([again], action));
      return texts;
    };
    const other = { ...fill, text: '4321' };
    expect(await answers(two, one, other)).toEqual(['answer 2', 'answer 1', 'answer 3']);
  });

  test('keep to the limits of who asks', async () => {
    await record(
      counting({
        fetch: async ({ url }) => ({
          ...(await counting().fetch(a)),
          url,
          body: Buffer.alloc(200_000, 'a'),
        }),
      }),
      (engine) => engine.fetch(a),
    );
    const engine = await replayed();
    const limits = { ...a.limits, bodyBytes: 1000 };
    await expect(engine.fetch({ ...a, limits })).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
  });

  test('do not wait for a page that the run leaves out, and for long for none', async () => {
    const urls = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'];
    await record(counting(), async (engine) => {
      for (const url of urls) await engine.fetch(plainRequest(url));
    });
    expect(await textOf((await replayed()).fetch(plainRequest('http://a.test/3')))).toBe(
      'answer 3',
    );
    await record(counting(), (engine) =>
      Promise.all(urls.map((url) => engine.fetch(plainRequest(url)))),
    );
    const engine = await replayed();
    for (const url of urls) await engine.fetch(plainRequest(url));
  });

  test('of a request that was cancelled are not kept; that of one whose time was over is', async () => {
    const hanging = counting({
      fetch: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    await record(hanging, async (engine) => {
      for (const [name, code] of [
        ['late', 'TIMEOUT'],
        ['cancelled', 'CANCELLED'],
      ] as const) {
        const controller = new AbortController();
        const reason = new PagewrightError(code, 'Took longer than 1000 ms.');
        const request = plainRequest(`http://a.test/${name}`, { signal: controller.signal });
        const fetched = engine.fetch(request);
        controller.abort(reason);
        await expect(fetched).rejects.toBe(reason);
      }
    });
    const replay = await openReplay(path, { onExhausted: 'error' });
    expect(replay.unused()).toEqual([{ engine: 'counting', url: 'http://a.test/late' }]);
    await using again = createClient({ engines: replay.engines });
    await expect(again.scrape('http://a.test/late', { retries: 1 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('longer than 1000 ms') as string,
    });
  });
});

describe('a request that was not recorded', () => {
  test('is an error that names the nearest, and what else is different', async () => {
    const web = memoryWeb({
      'http://a.test/about': pageOf('About'),
      'http://b.test/': pageOf('B'),
    });
    await record(web, async (engine) => {
      for (const url of ['http://a.test/about', 'http://b.test/'])
        await engine.fetch(plainRequest(url));
    });
    const replay = await openReplay(path);
    await using client = createClient({ engines: replay.engines });
    await expect(client.scrape('http://a.test/abuot')).rejects.toMatchObject({
      code: 'CACHE_MISS',
      retryable: false,
      url: 'http://a.test/abuot',
      message: `The recording ${path} has no answer to GET http://a.test/abuot (engine memory-web): the nearest that was recorded is http://a.test/about. Record it again, or ask as before.`,
    });
    const scrape = client.scrape('http://a.test/about', { waitFor: 10 });
    await expect(scrape).rejects.toMatchObject({ code: 'BROWSER_UNAVAILABLE' });
  });

  test('reaches no network: the engines of the client are left out', async () => {
    await record(counting(), (engine) => engine.fetch(plainRequest('http://a.test/')));
    const replay = await openReplay(path);
    const asked: string[] = [];
    const engines = (builtIn: readonly Engine[]): readonly Engine[] => {
      asked.push(...builtIn.map(({ name }) => name));
      return replay.engines();
    };
    await using client = createClient({ engines });
    expect(asked).toEqual(['http', 'stealth', 'browser']);
    await expect(client.scrape('http://127.0.0.1:2/')).rejects.toMatchObject({
      code: 'CACHE_MISS',
    });
    expect(() => createClient({ engines: () => [{}] as never })).toThrow(/list of engines/);
    expect(() => createClient({ engines: 5 as never })).toThrow(/engines/);
  });
});

describe('a file that is not as it should be', () => {
  const urls = ['http://a.test/1', 'http://a.test/2'];
  beforeEach(() =>
    record(counting(), async (engine) => {
      for (const url of urls) await engine.fetch(plainRequest(url));
    }),
  );

  test('that breaks off is STORAGE, or served up to there', async () => {
    await truncate(path, (await readFile(path)).length - 20);
    await expect(openReplay(path)).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(/breaks off in the middle of line 4.*acceptCut/) as string,
    });
    const replay = await openReplay(path, { acceptCut: true });
    expect(replay.unused().map(({ url }) => url)).toEqual(urls.slice(0, 1));
    expect(replay.warnings).toEqual([expect.stringContaining('line 4')]);
  });

  const header = '{"pagewright":"recording","version":1}\n';
  test.each([
    ['nothing', '', /is empty/],
    ['another file', '{"name":"x"}\n', /does not begin with the line of a recording/],
    ['text', 'Hello\n', /beginning of record 1/],
    ['a later version', '{"pagewright":"recording","version":2}\n', /has version 2/],
    ['no JSON', `${header}{"request":\n`, /no JSON in line 2/],
    ['null', `${header}null\n`, /no exchange in line 2/],
    [
      'half an exchange',
      `${header}{"request":{"engine":"a","url":"http://a/","headers":{},"rendering":{}}}\n`,
      /no exchange in line 2/,
    ],
    ['an engine without a name', `${header}{"engine":{"can":[]}}\n`, /no engine in line 2/],
    [
      'gzip that breaks off',
      gzipSync(`${header}${'{}'.repeat(9999)}`).subarray(0, 60),
      /breaks off in the middle of line/,
    ],
    ['a gzip bomb', gzipSync(Buffer.alloc(40_000_000, '{')), /more than 1000000 bytes/],
  ])('%s', async (_, content, message) => {
    await writeFile(path, content);
    await expect(openReplay(path, { maxBytes: 1_000_000 })).rejects.toMatchObject({
      code: 'STORAGE',
    });
    await expect(openReplay(path, { maxBytes: 1_000_000 })).rejects.toThrow(message);
  });

  test('a body that unpacks to more than is allowed, or to nothing, fails its page', async () => {
    const text = await readFile(path, 'utf8');
    const { deflateSync } = await import('node:zlib');
    const bomb = deflateSync(Buffer.alloc(80_000_000)).toString('base64');
    await writeFile(
      path,
      text
        .replace('"answer 1"', `{"deflate":"${bomb}"}`)
        .replace('"answer 2"', '{"deflate":"AAAA"}'),
    );
    const engine = await replayed();
    const fetch = (url = ''): Promise<Snapshot> => engine.fetch(plainRequest(url));
    await expect(fetch(urls[0])).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    await expect(fetch(urls[1])).rejects.toMatchObject({ code: 'STORAGE' });
  });

  test('a file that is not there', async () => {
    await expect(openReplay(join(folder, 'none'))).rejects.toMatchObject({ code: 'STORAGE' });
  });
});
