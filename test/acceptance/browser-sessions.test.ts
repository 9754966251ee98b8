/** Sessions: a page of real Chromium that stays open, on sites of this machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  createClient,
  defineAction,
  memoryStore,
  PagewrightError,
  type Session,
} from 'pagewright';
import { hang, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoginLab, openLoginLab } from '../browser/chromium/profiles/login-lab.ts';
import { serveHttpProxy } from '../core/http/proxies/proxy-lab.ts';
import { failure } from '../support/failure.ts';

/** Starting Chromium takes long on a busy machine. */
const defaults = { scrape: { timeout: 90_000 } };
const network = { allow: ['127.0.0.1'] };

/** The router of an app: pages without loading, a counter in a variable, and a button that answers late. */
const app = `<title>App</title><main><h1>Home</h1><p id=out>No clicks were made so far in this page.</p>
<button id=count>Count</button> <button id=about>About</button> <button id=late>Late</button>
<a id=private href="ELSEWHERE">Private</a> <a id=popup target=_blank href="ELSEWHERE">Popup</a></main>
<script>
  let clicks = 0;
  const title = document.querySelector('h1');
  count.onclick = () => { out.textContent = 'Clicks were made in this page: ' + ++clicks; };
  about.onclick = () => { history.pushState({}, '', '/app/about'); title.textContent = 'About us'; };
  late.onclick = () => { setTimeout(() => { title.id = 'there'; }, 1500); };
</script>`;

const crash = defineAction({
  type: 'crash',
  run: async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Page.crash');
  },
});

/** From then on the browser fails in ways that Playwright knows. */
const breakDown = defineAction({
  type: 'breakDown',
  run: (page) => {
    const context = page.context();
    const fail = (): Promise<never> => Promise.reject(new Error('Protocol error: no answer'));
    Object.assign(page, { screenshot: fail });
    Object.assign(context, { cookies: fail });
    Object.assign(context.browser() ?? {}, { newContext: fail });
  },
});

let lab: LoginLab;
let site: Awaited<ReturnType<typeof serve>>;
/** Where the client may not go. */
let elsewhere: typeof site;
let client: Client;

beforeAll(async () => {
  lab = await openLoginLab();
  elsewhere = await serve({ '/': '<p>Private</p>' }, { host: '127.0.0.2' });
  site = await serve(
    {
      '/app': app.replaceAll('ELSEWHERE', elsewhere.url('/')),
      '/other':
        '<title>Other</title><main><h1>Other page</h1><p>It has text of its own.</p></main>',
      '/delete': `<main><p id=out>All is there.</p><button onclick="out.textContent = 'Nothing is left.'">Delete</button></main>`,
      '/gallery': '<main><p>A boat on the river: <img src="/boat.svg" alt="Boat"></p></main>',
      '/boat.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"></svg>',
      '/mail': '<title>Mail</title><main><p>Write to maya@boats.example about the keys.</p></main>',
      '/seen': ({ headers }) => `<main><p>token: ${headers['x-token'] ?? 'none'}</p></main>`,
    },
    { behaviours: { '/hang': hang() } },
  );
  client = createClient({ defaults, network });
}, 60_000);

afterAll(async () => {
  await client.close();
  await lab.close();
  await site.close();
  await elsewhere.close();
});

const count = { actions: [{ type: 'click', selector: '#count' }] } as const;

/** Needs an element that comes late, which the call does not wait for. */
const late = {
  actions: [
    { type: 'click', selector: '#late' },
    { type: 'click', selector: '#there' },
  ],
} as const;

/** The code of the error that the call has to end with. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  return error instanceof PagewrightError ? error.code : String(error);
}

async function logIn(session: Session): Promise<string> {
  const { metadata } = await session.scrape({
    actions: [
      { type: 'fill', selector: '[name=name]', text: 'maya' },
      { type: 'fill', selector: '[name=password]', text: lab.password },
      { type: 'click', selector: 'button' },
      { type: 'wait', selector: 'h1:has-text("Boats")' },
    ],
  });
  return metadata.url;
}

// Most of their time is waiting.
describe.concurrent('a session', { timeout: 180_000 }, () => {
  test('keeps the page: its scripts, its URL and its documents', async () => {
    await using session = await client.open(site.url('/app?first'));
    const first = await session.scrape();
    expect(first.markdown).toContain('No clicks were made');
    expect(first.metadata).toMatchObject({
      url: site.url('/app?first'),
      statusCode: 200,
      title: 'App',
      engine: 'browser',
      engineReason: 'the open page of a session',
    });
    expect((await session.scrape(count)).markdown).toContain('made in this page: 1');
    // In the order of the calls.
    const [second, third] = await Promise.all([session.scrape(count), session.scrape(count)]);
    expect(second.markdown).toContain('made in this page: 2');
    expect(third.markdown).toContain('made in this page: 3');
    const about = await session.scrape({
      actions: [{ type: 'click', selector: '#about' }, { type: 'screenshot' }],
      formats: ['html', 'screenshot'],
    });
    expect(about.html).toContain('About us');
    expect(about.screenshot).toMatch(/^data:image\/png;base64,/);
    expect(about.actions?.screenshots).toHaveLength(1);
    expect([about.metadata.url, session.url]).toEqual(Array(2).fill(site.url('/app/about')));
    expect(site.log.filter(({ url }) => url === '/app?first')).toHaveLength(1);
    expect(site.log.filter(({ url }) => url === '/app/about')).toEqual([]);
  });

  test('stays logged in over goto, and its cookies let a crawl in', async () => {
    await using session = await client.open(`${lab.origin}/login`);
    expect(await logIn(session)).toBe(`${lab.origin}/members`);
    await session.goto(`${lab.origin}/settings`);
    expect((await session.scrape()).metadata).toMatchObject({ url: `${lab.origin}/settings` });
    const cookies = await session.cookies();
    expect(cookies).toMatchObject([{ name: 'session', domain: '127.0.0.1', httpOnly: true }]);
    const { data } = await client.crawl(`${lab.origin}/members`, {
      limit: 1,
      scrapeOptions: { cookies },
    });
    expect(data.map(({ metadata }) => metadata.url)).toEqual([`${lab.origin}/members`]);
  });

  test('saves its profile when it is closed, and starts with it', async ({ onTestFinished }) => {
    const storage = memoryStore();
    await using own = createClient({ defaults, network, storage });
    const profile = { name: 'maya' };
    // Its sessions end.
    const other = await openLoginLab();
    onTestFinished(() => other.close());
    const session = await own.open(`${other.origin}/login`, { profile });
    await logIn(session);
    expect(await storage.get('profiles/maya')).toBeUndefined();
    await session.close();
    await using next = await own.open(`${other.origin}/members`, { profile });
    expect((await next.scrape()).markdown).toContain('Boats for members');
    other.expire();
    expect(await codeOf(own.open(`${other.origin}/members`, { profile }))).toBe('BLOCKED_BY_SITE');
  });

  test('can be used after a failed action, a failed goto and an aborted call', async () => {
    await using session = await client.open(site.url('/app'));
    await session.scrape(count);
    const missing = { actions: [{ type: 'click', selector: '#none' }] } as const;
    expect(await codeOf(session.scrape(missing))).toBe('ACTION_FAILED');
    const call = new AbortController();
    const aborted = failure(session.scrape({ ...late, signal: call.signal }));
    setTimeout(() => call.abort('enough'), 400);
    const { code, cause, stack } = await aborted;
    expect([code, cause]).toEqual(['CANCELLED', 'enough']);
    expect(stack).toContain(import.meta.url.split('/').at(-1));
    expect((await session.scrape(count)).markdown).toContain('made in this page: 2');
    // The page stays until another one arrives.
    expect(await codeOf(session.goto(site.url('/hang'), { timeout: 1500 }))).toBe('TIMEOUT');
    expect((await session.scrape(count)).markdown).toContain('made in this page: 3');
    expect(await codeOf(session.goto('http://127.0.0.1:1/', { retries: 0 }))).toBe(
      'CONNECTION_REFUSED',
    );
    await session.goto(site.url('/other'));
    expect((await session.scrape()).markdown).toContain('Other page');
  });

  test('downloads files of its page, with its headers for their origin', async () => {
    const options = { headers: { authorization: 'Bearer t-2' }, assets: { images: true } };
    const downloaded = async (session: Session): Promise<unknown> => {
      const before = site.log.length;
      const { assets } = await session.scrape();
      expect(assets).toMatchObject([{ url: site.url('/boat.svg'), contentType: 'image/svg+xml' }]);
      const asked = site.log.slice(before).filter(({ url }) => url === '/boat.svg');
      return asked.map(({ headers }) => headers['authorization']);
    };
    await using session = await client.open(site.url('/gallery'), options);
    expect(await downloaded(session)).toEqual(['Bearer t-2']);
    await using other = await client.open(`${lab.origin}/login`, options);
    await other.goto(site.url('/gallery'));
    expect(await downloaded(other)).toEqual([undefined]);
  });

  test('rejects by code when the browser fails', async () => {
    await using own = createClient({ defaults, network, actions: [breakDown] });
    await using session = await own.open(site.url('/other'));
    const picture = session.scrape({ actions: [breakDown], formats: ['screenshot'] });
    expect(await codeOf(picture)).toBe('CONNECTION_RESET');
    expect(await codeOf(session.cookies())).toBe('CONNECTION_RESET');
    expect(await codeOf(own.open(site.url('/app'), { retries: 0 }))).toBe('CONNECTION_RESET');
    expect((await session.scrape()).markdown).toContain('Other page');
  });

  test('says when its profile was not saved, also when its client closes it', async () => {
    const store = memoryStore();
    const set = (key: string): Promise<void> =>
      key === 'profiles/slow' ? new Promise(() => undefined) : Promise.reject(new Error('no room'));
    const storage = { ...store, set };
    const warnings: string[] = [];
    const logger = { warn: (_: object, message: string) => void warnings.push(message) };
    const own = createClient({ defaults, network, storage, logger });
    const [slow] = await Promise.all([
      own.open(site.url('/app'), { profile: { name: 'slow' } }),
      own.open(site.url('/other'), { profile: { name: 'full' } }),
    ]);
    expect(await codeOf(slow.close())).toBe('STORAGE');
    await own.close();
    expect(warnings).toContainEqual(expect.stringContaining('no room'));
  });

  test('does not go on with an action of a call that is over', async () => {
    await using session = await client.open(site.url('/app'));
    const click = { type: 'click', selector: 'text=Delete' } as const;
    expect(await codeOf(session.scrape({ actions: [click], timeout: 2000 }))).toBe('TIMEOUT');
    await session.goto(site.url('/delete'));
    expect((await session.scrape({ waitFor: 1000 })).markdown).toContain('All is there.');
  });

  test('is held to the network policy, wherever it is led', async () => {
    await using session = await client.open(site.url('/app'));
    expect(await codeOf(session.goto(elsewhere.url('/')))).toBe('BLOCKED_ADDRESS');
    await session.goto(site.url('/app'));
    await session.scrape({ actions: [{ type: 'click', selector: '#popup' }] });
    expect(session.url).toBe(site.url('/app'));
    const led = session.scrape({ actions: [{ type: 'click', selector: '#private' }] });
    expect(await codeOf(led)).toBe('BLOCKED_ADDRESS');
    expect(elsewhere.log).toEqual([]);
  });

  test('that crashes ends no other session, and says so', async () => {
    await using own = createClient({ defaults, network, actions: [crash] });
    await using beside = await own.open(site.url('/app'));
    await beside.scrape(count);
    const session = await own.open(site.url('/other'));
    expect(await codeOf(session.scrape({ actions: [crash] }))).toBe('SESSION_CLOSED');
    await expect(session.goto(site.url('/app'))).rejects.toThrow('its page crashed');
    expect((await beside.scrape(count)).markdown).toContain('made in this page: 2');
  });

  test('is closed when it is idle, with the client, and by itself, and says why', async () => {
    const own = createClient({ defaults, network, maxSessions: 1, browser: { maxPages: 1 } });
    const idle = await own.open(site.url('/app'), { idleTimeout: 1000 });
    expect(await codeOf(own.open(site.url('/other')))).toBe('BAD_REQUEST');
    // Its tab takes none of those that scrapes have.
    const page = await own.scrape(site.url('/other'), { engine: 'browser' });
    expect(page.markdown).toContain('Other page');
    // Each call begins the time anew.
    for (let calls = 0; calls < 6 && (await codeOf(idle.cookies())) === 'no error'; calls += 1) {
      await sleep(1500);
    }
    expect(await codeOf(idle.cookies())).toBe('SESSION_CLOSED');
    await expect(idle.scrape()).rejects.toThrow('it was idle for longer than its idleTimeout');
    const second = await own.open(site.url('/app'));
    const waiting = codeOf(second.scrape(late));
    await second.close();
    expect(await waiting).toBe('SESSION_CLOSED');
    await expect(second.scrape()).rejects.toThrow('its close() was called');
    const third = await own.open(site.url('/app'));
    await own.close();
    await expect(third.scrape()).rejects.toThrow('its client was closed');
  });

  test('without a browser, and with options of another call, is refused by code', async () => {
    await using none = createClient({ defaults, network, browser: false });
    expect(await codeOf(none.open(site.url('/app')))).toBe('BROWSER_UNAVAILABLE');
    await using session = await client.open(site.url('/app'));
    const wrong = { headers: { a: 'b' } } as object;
    await expect(session.scrape(wrong)).rejects.toThrow(
      'session.scrape: headers: it is an option of client.open()',
    );
    await expect(client.open(site.url('/app'), { formats: ['links'] } as object)).rejects.toThrow(
      'open: formats: it is an option of session.scrape()',
    );
  });
});

// Apart: the proxy ends with the test that runs, which among concurrent ones may be another.
test('a session goes through one proxy, with its headers for their origin, and redacts', async () => {
  const proxy = await serveHttpProxy();
  await using own = createClient({ defaults, network, proxy: proxy.url });
  await using session = await own.open(site.url('/seen'), {
    headers: { 'X-Token': 't-1' },
    redact: ['email'],
  });
  expect((await session.scrape()).markdown).toBe('token: t-1');
  await session.goto(`${lab.origin}/login`);
  await session.goto(site.url('/seen?again'));
  expect((await session.scrape()).markdown).toBe('token: t-1');
  await session.goto(site.url('/mail'));
  expect((await session.scrape()).markdown).toContain('Write to [email] about');
  const hosts = [...new Set(proxy.asked)].sort();
  expect(hosts).toEqual([new URL(site.origin).host, new URL(lab.origin).host].sort());
}, 180_000);
