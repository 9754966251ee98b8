/** What one visit leaves in the browser is never seen by the next, and a tab is used again all the same. */
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Behaviour, FixtureServer } from 'pagewright/testing';
import { answer, type BrowserLab, browserLab, hostileSite, script } from './hostile-lab.ts';
import { rareTest } from '../../support/deep.ts';

let tokens = 0;

/** A fresh number in what may be kept for a day. */
const cacheable: Behaviour = ({ response }) => {
  const headers = { 'content-type': 'text/javascript', 'cache-control': 'max-age=86400' };
  response.writeHead(200, headers).end(`var token = ${++tokens};`);
};

const secret: Behaviour = ({ request: { headers }, response }) => {
  const { authorization } = headers;
  const challenge = { 'www-authenticate': 'Basic realm="readers"' };
  response.writeHead(authorization === undefined ? 401 : 200, challenge).end(authorization);
};

const kept = "let word = ''; onconnect = ({ ports: [port] }) => { port.onmessage = ({ data }) => {";
const sharedWorker = `${kept} if (data === 'asked') port.postMessage(word); else word = data; }; };`;

const cookie = (name: string): Record<string, string> => ({
  'set-cookie': `${name}=trace; HttpOnly; Path=/; Max-Age=3600`,
});

/** Sets a cookie a little later. */
const lateCookie: Behaviour = async ({ response }) => {
  await new Promise((resolve) => setTimeout(resolve, 300));
  response.writeHead(200, cookie('late')).end();
};

const late = `
  addEventListener('pagehide', () => {
    localStorage.setItem('word', 'trace');
    sessionStorage.setItem('word', 'trace');
    document.cookie = 'word=trace';
    fetch('/late-cookie?pagehide', { keepalive: true });
    navigator.sendBeacon('/late-cookie?beacon');
  });
  setInterval(() => sessionStorage.setItem('word', 'trace'), 1);
  setInterval(() => fetch('/late-cookie', { keepalive: true }), 200);
  try { fetchLater('/late-cookie?later'); } catch {}
`;

describe('a visit', { timeout: 60_000 }, () => {
  let site: FixtureServer;
  let lab: BrowserLab;
  beforeAll(async () => {
    lab = browserLab({ maxPages: 1, idleTimeout: 60_000 });
    site = await hostileSite({
      '/token.js': cacheable,
      '/cacheable': cacheable,
      '/cookie': answer('', cookie('fetched')),
      '/late-cookie': lateCookie,
      '/late': script(late),
      '/secret': secret,
      '/shared-worker.js': answer(sharedWorker, { 'content-type': 'text/javascript' }),
      '/cookie-and-away': answer('<script>location = "/cookie"</script>', cookie('page')),
      '/redirects': ({ request, response }) => {
        const headers = { ...cookie('redirect'), location: `http://${elsewhere(request)}/cookie` };
        response.writeHead(302, headers).end();
      },
    });
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await site.close();
  });

  const elsewhere = ({ headers: { host = '' } }: IncomingMessage): string =>
    host.replace('127.0.0.1', 'localhost');

  /** What a page finds, and the cookies that it was asked with. */
  const search = async (host = '127.0.0.1'): Promise<Record<string, unknown>> => {
    site.clearLog();
    const url = site.url('/traces/find.html').replace('127.0.0.1', host);
    const { text } = await lab.visit(url, { rendering: { waitFor: 1_000 } });
    const found = /<pre>(\{.*\})<\/pre>/s.exec(text)?.[1];
    if (found === undefined) throw new Error(`The search did not end: ${text}`);
    const cookies = site.log.map(({ headers }) => headers['cookie'] ?? '');
    return { ...(JSON.parse(found) as object), cookies: cookies.filter((sent) => sent !== '') };
  };

  /** What a page finds in a browser that nobody has used. */
  const nothing = {
    cookie: '',
    localStorage: '{}',
    sessionStorage: '{}',
    windowName: '',
    databases: '',
    cacheStorage: '',
    files: '',
    serviceWorkers: 0,
    sharedWorker: '',
    broadcast: '',
    locks: '',
    usage: 0,
    referrer: '',
    notifications: 'default',
    geolocation: 'prompt',
    zoom: '1 1',
    media: 'false,false,false',
    globals: '',
    history: '2 null',
    cookies: [],
    password: '401 ',
  };

  test('finds nothing of the one before in the same tab', async () => {
    await search();
    const before = lab.contexts;
    // What lives on its own, and what cannot be wiped, is left by the next test.
    const without = 'sharedWorker,workerDatabase,password';
    const url = site.url(`/traces/leave.html?without=${without}`);
    const { text } = await lab.visit(url, { rendering: { waitFor: 500 } });
    expect(text).toContain('Everything was left.');
    const token = tokens;
    const found = await search();
    expect(found).toMatchObject(nothing);
    expect(found['token']).toBeGreaterThan(token);
    expect(lab.contexts).toBe(before);
  });

  rareTest('finds nothing of one with workers and passwords, in a new tab', async () => {
    const before = lab.contexts;
    const { text } = await lab.visit(site.url('/traces/leave.html'), {
      rendering: { waitFor: 500 },
    });
    expect(text).toContain('Everything was left.');
    const token = tokens;
    const found = await search();
    expect(found).toMatchObject(nothing);
    expect(found['token']).toBeGreaterThan(token);
    expect(lab.contexts).toBe(before + 1);
  });

  rareTest('finds nothing of a frame of another site, nor that site of it', async () => {
    const other = site.origin.replace('127.0.0.1', 'localhost');
    await lab.visit(site.url(`/traces/frame.html?of=${other}`), { rendering: { waitFor: 1_000 } });
    expect(site.log.map(({ host }) => host)).toContain(new URL(other).host);
    expect(await search()).toMatchObject(nothing);
    expect(await search('localhost')).toMatchObject(nothing);
  });

  rareTest('finds no cookie of a redirect and of the page that it led to', async () => {
    await lab.visit(site.url('/redirects'));
    await lab.visit(site.url('/cookie-and-away'));
    expect(await search()).toMatchObject(nothing);
    expect(await search('localhost')).toMatchObject(nothing);
  });

  rareTest(
    'finds nothing that was written or asked for when the page was left, and nothing is sent then',
    async () => {
      await lab.visit(site.url('/late'), { rendering: { waitFor: 300 } });
      expect(await search()).toMatchObject(nothing);
      expect(site.log.map(({ url }) => url)).not.toContain('/late-cookie');
      await lab.visit(site.url('/late'));
      site.clearLog();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(site.log).toEqual([]);
    },
  );
});
