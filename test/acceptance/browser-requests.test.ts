/** What a page loads in a browser: the format requests, its bodies and its secrets, and waits for responses. */
import { inspect } from 'node:util';
import { ActionError, type Client, createClient, PagewrightError } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rareTest } from '../support/deep.ts';

const json = (value: unknown): { headers: Record<string, string>; body: string } => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

const script = (code: string): string =>
  `<!doctype html><html lang="en"><title>App</title><body><main><h1>Lamps</h1><p id="out">None yet.</p><button>More</button></main><script>${code}</script>`;

/** Chromium refuses port 1 itself: such requests are fast. */
const many = (count: number): string =>
  script(`
    const load = async (from) => { for (let n = from; n < ${count}; n += 20) await fetch('http://127.0.0.1:1/' + n).catch(() => 0); };
    Promise.all(Array.from({ length: 20 }, (_, from) => load(from))).then(() => fetch('/all-done'));`);

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcDEF123_x';

/** Nothing listens there. */
const closedPort = await serve({}).then(async (server) => {
  await server.close();
  return new URL(server.origin).port;
});

let client: Client;
let site: FixtureServer;

beforeAll(async () => {
  client = createClient({ network: { allow: ['127.0.0.1'] } });
  site = await serve(
    {
      '/': script(`
        (async () => {
          const { items } = await (await fetch('/api/items?page=1&access_token=s3cr3t-t0ken')).json();
          document.querySelector('#out').textContent = items[0].name;
          const xhr = new XMLHttpRequest();
          xhr.open('GET', '/old/prices'); xhr.onload = () => fetch('/graphql', {
            method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer aaaaaaaaaaaa' },
            body: JSON.stringify({ query: '{ me { name } }', variables: { password: 'hunter2', first: 3 } }),
          }).then(() => fetch('/missing.json')).then(() => fetch('/note.txt'));
          xhr.send();
        })();`),
      '/people': script(
        `fetch('/api/people/ada%40example.com?q=ada@example.com&access_token=s3cr3t-t0ken');
         history.replaceState(0, '', '/people?mail=ada@example.com&access_token=s3cr3t-t0ken');`,
      ),
      '/api/people/*': json({}),
      '/api/items': {
        ...json({
          items: [
            {
              name: 'Lamp',
              session_id: 'abc',
              mail: 'ada@example.com',
              card: 4111111111111111,
              seen: true,
            },
          ],
          nextPageToken: 'p2',
          link: `/x?sig=qwerty&page=2`,
          note: `jwt ${jwt}`,
        }),
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'set-cookie': 'sid=topsecret',
        },
      },
      '/old/prices': { status: 302, headers: { location: '/new/prices' } },
      '/new/prices': json([1, 2]),
      '/graphql': json({ data: { me: { name: 'Ada' }, apiKey: 'k-123' } }),
      '/missing.json': { status: 404, ...json({ error: 'none' }) },
      '/note.txt': 'A note; token="abcdef" and more.',
      '/blocked': script(`
        new Image().src = '/picture.png';
        Promise.allSettled([fetch('http://127.0.0.2:8099/denied'), fetch('https://www.google-analytics.com/collect'),
          fetch('http://127.0.0.1:${closedPort}/closed')]).then(() => { document.querySelector('#out').textContent = 'Done'; });`),
      '/streams': script(`
        new EventSource('/events'); new WebSocket(location.origin.replace('http', 'ws') + '/socket');
        fetch('/forever'); fetch('/api/items');`),
      '/large': script(`fetch('/large.json').then((one) => one.text()); fetch('/small.json');`),
      '/small.json': json({ small: true }),
      '/deep': script(`fetch('/deep.json')`),
      '/deep.json': {
        headers: { 'content-type': 'application/json' },
        body: '['.repeat(100_000) + ']'.repeat(100_000),
      },
      '/many': many(1050),
      '/very-many': many(5000),
      '/late':
        script(`setTimeout(() => fetch('/api/late').then((r) => r.json()).then(({ text }) => {
        document.querySelector('#out').textContent = text; }), 2500);
        document.querySelector('button').onclick = () => fetch('/api/more?n=1');`),
      '/api/late': json({ text: 'It came late.' }),
      '/api/more': { ...json({ more: true }), delay: 400 },
      '/all-done': json(true),
      '/refused': { status: 404, body: script('') },
      '/file.pdf': { headers: { 'content-type': 'application/json' }, body: '{}' },
    },
    {
      behaviours: {
        '/events': ({ response }) =>
          void response
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .write('data: 1\n\n'),
        '/forever': ({ response }) =>
          void response.writeHead(200, { 'content-type': 'application/json' }).write('['),
        '/large.json': ({ response }) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          const piece = `"${'x'.repeat(999_997)}",`;
          let left = 50;
          const send = (): void => {
            while (left > 0) {
              left -= 1;
              if (!response.write(left === 49 ? `[${piece}` : piece)) break;
            }
            if (left > 0) response.once('drain', send);
            else response.end('1]');
          };
          send();
        },
      },
    },
  );
}, 60_000);

afterAll(async () => {
  await client.close();
  await site.close();
});

const pathOf = (url: string): string => url.replace(/^\w+:\/\/[^/]+/, '');

describe('the format requests', { timeout: 60_000 }, () => {
  test('lists what the page loaded, in order, without headers', async () => {
    const before = Date.now();
    const page = await client.scrape(site.url('/'), {
      formats: ['markdown', 'requests'],
      maxAge: 0,
    });
    expect(page.markdown).toContain('Lamp');
    expect(page.warning).toBeUndefined();
    expect(
      page.requests.map(({ method, url, type, status }) => [method, pathOf(url), type, status]),
    ).toEqual([
      ['GET', '/', 'document', 200],
      ['GET', '/api/items?page=1&access_token=REDACTED', 'fetch', 200],
      ['GET', '/old/prices', 'xhr', 302],
      ['GET', '/new/prices', 'xhr', 200],
      ['POST', '/graphql', 'fetch', 200],
      ['GET', '/missing.json', 'fetch', 404],
      ['GET', '/note.txt', 'fetch', 200],
    ]);
    const [document, items, redirect, , graphql] = page.requests;
    expect(items).toEqual({
      method: 'GET',
      url: site.url('/api/items?page=1&access_token=REDACTED'),
      type: 'fetch',
      status: 200,
      contentType: 'application/json',
      startedAt: expect.any(Number),
      duration: expect.any(Number),
      requestBytes: 0,
      bytes: expect.any(Number),
    });
    expect(redirect?.redirectsTo).toBe(site.url('/new/prices'));
    expect(graphql?.requestBytes).toBe(72);
    expect(document?.startedAt).toBeGreaterThanOrEqual(before - 5);
    const text = JSON.stringify(page);
    for (const secret of ['s3cr3t', 'hunter2', 'topsecret', 'Bearer', 'cookie']) {
      expect(text).not.toContain(secret);
    }
    expect(page.metadata.engineReason).toBe('the format requests needs requests');
  });

  test('adds bodies that were asked for, with their secrets masked', async () => {
    const page = await client.scrape(site.url('/'), {
      formats: [{ type: 'requests', bodies: ['/api/', '**/graphql', /note\.txt$/] }],
      redact: ['email', 'card'],
    });
    const of = (path: string) => page.requests.find(({ url }) => pathOf(url).startsWith(path));
    expect(of('/api/items')?.json).toEqual({
      items: [
        { name: 'Lamp', session_id: 'REDACTED', mail: '[email]', card: '[card]', seen: true },
      ],
      nextPageToken: 'p2',
      link: '/x?sig=REDACTED&page=2',
      note: 'jwt REDACTED',
    });
    expect(of('/graphql')?.postData).toEqual({
      query: '{ me { name } }',
      variables: { password: 'REDACTED', first: 3 },
    });
    expect(of('/graphql')?.json).toEqual({ data: { me: { name: 'Ada' }, apiKey: 'REDACTED' } });
    expect(of('/note.txt')?.text).toBe('A note; token="REDACTED" and more.');
    expect(of('/new/prices')).not.toHaveProperty('json');
  });

  test('keeps secrets on request, and only types that were asked for', async () => {
    const page = await client.scrape(site.url('/'), {
      formats: [{ type: 'requests', bodies: '/', types: ['text'], maskSecrets: false }],
    });
    expect(page.requests[1]?.url).toBe(site.url('/api/items?page=1&access_token=s3cr3t-t0ken'));
    expect(page.requests.filter((one) => 'json' in one)).toEqual([]);
    expect(page.requests.at(-1)?.text).toBe('A note; token="abcdef" and more.');
  });

  test('says what was blocked, by whom, and what failed', async () => {
    const page = await client.scrape(site.url('/blocked'), { formats: ['requests'] });
    const ends = page.requests
      .slice(1)
      .map(({ url, status, blocked, failure }) => [pathOf(url), { status, blocked, failure }]);
    expect(Object.fromEntries(ends)).toEqual({
      '/picture.png': { blocked: 'notNeeded' },
      '/denied': { blocked: 'policy' },
      '/collect': { blocked: 'ads', failure: undefined },
      '/closed': { failure: 'CONNECTION_REFUSED' },
    });
  });

  test('does not wait for streams and sockets', async () => {
    const page = await client.scrape(site.url('/streams'), {
      formats: [{ type: 'requests', bodies: '/' }],
    });
    const open = page.requests.filter(({ isOpen }) => isOpen).map(({ type }) => type);
    expect(open.sort()).toEqual(['eventsource', 'fetch']);
    expect(page.requests.find(({ type }) => type === 'websocket')?.url).toMatch(/^ws:.*\/socket$/);
  });

  test('leaves out a body that is too large, and one nested too deep is text', async () => {
    const page = await client.scrape(site.url('/large'), {
      formats: [{ type: 'requests', bodies: '.json' }],
      waitFor: { response: '/large.json' },
    });
    const [, large, small] = page.requests;
    expect(large).toMatchObject({ status: 200, bodyOmitted: 'size' });
    expect(large?.bytes).toBeGreaterThan(50_000_000);
    expect(small).toMatchObject({ status: 200, json: { small: true } });
    const deep = await client.scrape(site.url('/deep'), {
      formats: [{ type: 'requests', bodies: '.json' }],
    });
    expect(deep.requests[1]?.text).toHaveLength(200_000);
  });

  test('lists the first 1,000 requests', async () => {
    const page = await client.scrape(site.url('/many'), {
      formats: ['requests'],
      waitFor: { response: '/all-done' },
    });
    expect(page.requests).toHaveLength(1000);
    expect(page.warning).toContain('The page sent 1052 requests; the first 1000 were listed.');
  });

  rareTest('of 5,000 requests, too', { timeout: 120_000 }, async () => {
    const page = await client.scrape(site.url('/very-many'), {
      formats: ['requests'],
      waitFor: 50_000,
      timeout: 110_000,
    });
    expect(page.requests).toHaveLength(1000);
    expect(page.warning).toMatch(/The page sent \d{4} requests; the first 1000 were listed\./);
  });

  test('comes from the cache as it was', async () => {
    const options = { formats: [{ type: 'requests', bodies: '/api/' }] } as const;
    const first = await client.scrape(site.url('/?cached'), options);
    const again = await client.scrape(site.url('/?cached'), options);
    expect(again.metadata.cacheState).toBe('hit');
    expect(again.requests).toEqual(first.requests);
    const other = await client.scrape(site.url('/?cached'), {
      formats: [{ type: 'requests', bodies: /api\/other/ }],
    });
    expect(other.metadata.cacheState).toBe('miss');
  });

  test('of a file is empty, with a warning', async () => {
    const page = await client.scrape(site.url('/file.pdf'), { formats: ['requests'] });
    expect(page.requests).toEqual([]);
    expect(page.warning).toContain('there is nothing for requests');
  });

  test('needs a browser', async () => {
    const asking = client.scrape(site.url('/'), { formats: ['requests'], engine: 'http' });
    await expect(asking).rejects.toThrow(
      /engine: 'http' opens no browser, which the format requests needs/,
    );
  });
});

describe('waiting for a response', { timeout: 60_000 }, () => {
  test.each(['/api/late', '*/api/l*', /late$/])('%s has come', async (response) => {
    const page = await client.scrape(site.url('/late'), { waitFor: { response }, maxAge: 0 });
    expect(page.markdown).toContain('It came late.');
  });

  test('also while the page was loading', async () => {
    const begun = performance.now();
    const page = await client.scrape(site.url('/'), {
      waitFor: { response: '/api/items' },
      maxAge: 0,
    });
    expect(page.markdown).toContain('Lamp');
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test('fails with the pattern and the closest URLs', async () => {
    const waiting = client.scrape(site.url('/'), {
      waitFor: { response: '/api/item/7', timeout: 300 },
    });
    const error = await waiting.catch((one: unknown) => one);
    expect(error).toBeInstanceOf(PagewrightError);
    expect(error).toMatchObject({ code: 'ACTION_FAILED' });
    expect(String(error)).toContain(
      `no response /api/item/7 within 300 ms; the closest were ${site.url('/api/items?page=1&access_token=REDACTED')}`,
    );
  });

  test('fails without personal data of the page, and without its tokens', async () => {
    const redact = ['email'] as const;
    const url = site.url('/people');
    const steps = { waitFor: { response: '/api/never', timeout: 300 } };
    const wait = { actions: [{ type: 'wait' as const, response: '/api/never' }], timeout: 6_000 };
    for (const options of [steps, wait]) {
      const asking = client.scrape(url, { ...options, redact: [...redact], maxAge: 0 });
      const error = (await asking.catch((one: unknown) => one)) as PagewrightError;
      expect(error).toMatchObject({ code: 'ACTION_FAILED' });
      const shown = inspect(error, { depth: 5 });
      expect(shown).toContain('/api/people/[email]');
      expect(shown).toContain('access_token=REDACTED');
      expect(shown).not.toMatch(/ada|s3cr3t/i);
    }
  });

  test('says that a body did not end', async () => {
    const waiting = client.scrape(site.url('/streams'), {
      waitFor: { response: '/forever', timeout: 300 },
    });
    await expect(waiting).rejects.toThrow(`the body of ${site.url('/forever')} did not end`);
  });

  test('an error page is read without it', async () => {
    const page = await client.scrape(site.url('/refused'), { waitFor: { response: '/api/' } });
    expect(page.warning).toContain('The page has status 404: no response /api/ was waited for.');
  });

  test('an action waits for what the step before it loads', async () => {
    const page = await client.scrape(site.url('/late'), {
      actions: [
        { type: 'click', selector: 'button' },
        { type: 'wait', response: '/api/more' },
        { type: 'wait', response: /n=1/ },
      ],
      formats: ['requests'],
    });
    expect(page.requests.some(({ url }) => url.endsWith('/api/more?n=1'))).toBe(true);
    const earlier = client.scrape(site.url('/'), {
      actions: [
        { type: 'click', selector: 'button' },
        { type: 'wait', response: '/api/items' },
      ],
      timeout: 6000,
    });
    const error = await earlier.catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ActionError);
    expect(String(error)).toContain('actions[1] (wait)');
  });

  test('refuses patterns that cannot be tested', async () => {
    const none = client.scrape(site.url('/'), { waitFor: { response: '' } });
    await expect(none).rejects.toThrow(
      'waitFor.response: expected a part of a URL, a glob or a RegExp',
    );
    const slow = client.scrape(site.url('/'), { waitFor: { response: /(?=(a+)+$)b/ } });
    await expect(slow).rejects.toThrow('takes too long on some inputs');
  });
});
