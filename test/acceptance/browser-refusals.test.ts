/** Sites that fight back: `proxy: 'auto'` climbs from plain HTTP to a browser in stealth; proxies of the caller. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Client, createClient } from 'pagewright';
import { type FixtureServer, hang, serve, type SitePage, status } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveHttpProxy, serveSocksProxy } from '../core/http/proxies/proxy-lab.ts';
import { rareTest, usualAnd } from '../support/deep.ts';

const network = { allow: ['127.0.0.1'] };
const article =
  '<!doctype html><html lang="en"><title>Tides</title><main><h1>Tides</h1><p>High water is at a quarter past six, an hour later than yesterday.</p></main>';
const challenge = (script: string): SitePage => ({
  status: 403,
  headers: { 'cf-mitigated': 'challenge' },
  body: `<!doctype html><html lang="en"><title>Just a moment...</title><p>Checking your browser.</p><script>${script}</script>`,
});
const passing =
  "setTimeout(() => { document.cookie = 'pass=' + (6 * 7) + '; path=/'; location.reload(); }, 400);";
/** A challenge of the site's own: a cookie, and the page again after a while. */
const notice =
  'Please wait while we check that you are a reader and not a program. It takes a moment, and you need not do anything: the page comes by itself.';
const homemade = (
  status: number,
  ending: string,
  headers: Record<string, string> = {},
): SitePage => ({
  status,
  headers,
  body: `<!doctype html><html lang="en"><title>One moment</title>${ending}<h1>One moment</h1><p>${notice}</p>`,
});
const cookieAndReload = (milliseconds: number): string =>
  `<script>setTimeout(() => { document.cookie = 'pass=' + (6 * 7) + '; path=/'; location.reload(); }, ${milliseconds});</script>`;
const behind =
  (page: SitePage) =>
  ({ headers }: { headers: IncomingHttpHeaders }): SitePage | string =>
    headers['cookie']?.includes('pass=42') === true ? article : page;

let client: Client;
let site: FixtureServer;

beforeAll(async () => {
  client = createClient({ network });
  site = await serve(
    {
      '/': article,
      '/guarded': ({ headers }) =>
        headers['cookie']?.includes('pass=42') === true ? article : challenge(passing),
      '/checked': behind(homemade(403, cookieAndReload(1500))),
      '/checked-twice': ({ headers }) => {
        const cookie = headers['cookie'] ?? '';
        const second = cookieAndReload(800).replace('pass=', 'door=');
        if (!cookie.includes('pass=42')) return homemade(403, cookieAndReload(800));
        return cookie.includes('door=42') ? article : homemade(403, second);
      },
      '/refreshed': behind(
        homemade(403, '<meta http-equiv="refresh" content="1">', { 'set-cookie': 'pass=42' }),
      ),
      '/unavailable': behind(homemade(503, cookieAndReload(1200), { 'retry-after': '3600' })),
      '/good-status': behind(homemade(200, cookieAndReload(1500))),
      '/ticking': homemade(403, '<script>setInterval(() => Math.random(), 100);</script>'),
      '/closed': challenge(''),
      '/forbidden': {
        status: 403,
        body: '<!doctype html><title>No</title><h1>Members of the club only</h1>',
      },
      '/empty': { status: 403 },
      '/password': {
        status: 401,
        headers: { 'www-authenticate': 'Basic realm="x"' },
        body: '<!doctype html><title>Who</title><h1>Who are you?</h1>',
      },
      '/slowly': {
        status: 403,
        body: '<!doctype html><title>Wait</title><h1>Not yet</h1>',
      },
    },
    { behaviours: { '/busy': status({ code: 429 }), '/never': hang() } },
  );
}, 60_000);

afterAll(async () => {
  await client.close();
  await site.close();
});

const agents = (): string[] =>
  site.log.map(({ headers }) => {
    const agent = headers['user-agent'] ?? '';
    return agent.includes('pagewright') ? 'plain' : 'browser';
  });

describe("proxy: 'auto'", { timeout: 120_000 }, () => {
  test('passes a challenge with a browser, which plain HTTP and stealth HTTP do not', async () => {
    site.clearLog();
    const { markdown, metadata } = await client.scrape(site.url('/guarded'));
    expect(markdown).toContain('High water is at a quarter past six');
    expect(metadata).toMatchObject({
      statusCode: 200,
      engine: 'browser',
      proxyUsed: 'stealth',
      creditsUsed: 5,
      engineReason: expect.stringMatching(/a page that refused/) as string,
    });
    expect(metadata).not.toHaveProperty('errorCode');
    expect(site.log.filter(({ url }) => url === '/guarded')).toHaveLength(4);
    expect(agents()).toEqual(['plain', 'browser', 'browser', 'browser']);
  });

  test.each(
    usualAnd(2, [
      ['whose script sets a cookie and loads the page again', '/checked', 'auto'],
      ['that sets a cookie and has a refresh', '/refreshed', 'stealth'],
      ['of two steps', '/checked-twice', 'stealth'],
      ['on 503, which is no rate limit', '/unavailable', 'auto'],
      ['whose script sets a cookie, in stealth at once', '/checked', 'stealth'],
    ] as const),
  )('a challenge %s is waited for (%s, proxy: %s)', async (_, path, proxy) => {
    const { markdown, metadata, warning } = await client.scrape(site.url(path), { proxy });
    expect(markdown).toContain('High water is at a quarter past six');
    expect(metadata).toMatchObject({
      statusCode: 200,
      engine: 'browser',
      proxyUsed: 'stealth',
      creditsUsed: 5,
    });
    expect(warning).toBeUndefined();
  });

  test('a challenge with a good status is waited for, without stealth', async () => {
    const { markdown, metadata } = await client.scrape(site.url('/good-status'));
    expect(markdown).toContain('High water is at a quarter past six');
    expect(metadata).toMatchObject({
      statusCode: 200,
      engine: 'browser',
      proxyUsed: 'basic',
      creditsUsed: 1,
      engineReason: 'a script sets a cookie and loads the page again',
    });
  });

  rareTest(
    'a refusal that is no challenge is waited for within the time of the scrape only',
    async () => {
      const options = { engine: 'browser', proxy: 'stealth', timeout: 15_000 } as const;
      const { metadata } = await client.scrape(site.url('/ticking'), options);
      expect(metadata).toMatchObject({ statusCode: 403, errorCode: 'BLOCKED_BY_SITE' });
    },
  );

  rareTest('a refusal is not waited for without stealth', async () => {
    site.clearLog();
    const options = { engine: 'browser', proxy: 'basic' } as const;
    const { metadata } = await client.scrape(site.url('/checked'), options);
    expect(metadata).toMatchObject({ statusCode: 403, proxyUsed: 'basic' });
    expect(site.log).toHaveLength(1);
  });

  rareTest('what lets nobody in is BLOCKED_BY_SITE after three tries', async () => {
    site.clearLog();
    const call = client.scrape(site.url('/closed'));
    await expect(call).rejects.toMatchObject({ code: 'BLOCKED_BY_SITE', url: site.url('/closed') });
    expect(site.log.map(({ url }) => url)).toEqual(['/closed', '/closed', '/closed']);
  });

  rareTest('a refusal with a body is the document after three tries', async () => {
    site.clearLog();
    const { markdown, metadata } = await client.scrape(site.url('/forbidden'));
    expect(markdown).toContain('Members of the club only');
    expect(metadata).toMatchObject({
      statusCode: 403,
      error: '403 Forbidden',
      errorCode: 'BLOCKED_BY_SITE',
      proxyUsed: 'stealth',
    });
    expect(site.log).toHaveLength(3);
  });

  test('one without a body is an error after three tries', async () => {
    site.clearLog();
    await expect(client.scrape(site.url('/empty'))).rejects.toMatchObject({
      code: 'BLOCKED_BY_SITE',
    });
    expect(site.log).toHaveLength(3);
  });

  test('401 asks for a password: neither stealth nor a browser is tried', async () => {
    site.clearLog();
    const { markdown, metadata } = await client.scrape(site.url('/password'));
    expect(markdown).toContain('Who are you?');
    expect(metadata).toMatchObject({ statusCode: 401, engine: 'http', proxyUsed: 'basic' });
    expect(site.log).toHaveLength(1);
  });

  rareTest('engine browser in a refusal: once plain, once in stealth', async () => {
    site.clearLog();
    const { metadata } = await client.scrape(site.url('/forbidden'), { engine: 'browser' });
    expect(metadata).toMatchObject({ statusCode: 403, engine: 'browser', proxyUsed: 'stealth' });
    expect(site.log).toHaveLength(2);
  });

  rareTest('passes with engine browser too', async () => {
    site.clearLog();
    const { markdown, metadata } = await client.scrape(site.url('/guarded'), { engine: 'browser' });
    expect(markdown).toContain('High water');
    expect(metadata).toMatchObject({
      statusCode: 200,
      engine: 'browser',
      proxyUsed: 'basic',
      creditsUsed: 1,
    });
    expect(site.log).toHaveLength(2);
  });

  test('http never opens a browser: the challenge stays', async () => {
    site.clearLog();
    const call = client.scrape(site.url('/guarded'), { engine: 'http' });
    await expect(call).rejects.toMatchObject({ code: 'BLOCKED_BY_SITE' });
    expect(site.log).toHaveLength(2);
  });

  rareTest('basic is tried once; stealth begins with what looks like a browser', async () => {
    site.clearLog();
    await expect(client.scrape(site.url('/closed'), { proxy: 'basic' })).rejects.toMatchObject({
      code: 'BLOCKED_BY_SITE',
    });
    expect(agents()).toEqual(['plain']);
    site.clearLog();
    const { metadata } = await client.scrape(site.url('/guarded'), { proxy: 'stealth' });
    expect(metadata).toMatchObject({ engine: 'browser', proxyUsed: 'stealth', creditsUsed: 5 });
    expect(agents()).toEqual(['browser', 'browser', 'browser']);
  });

  test('without a browser it ends with stealth HTTP', async () => {
    await using without = createClient({ network, browser: false });
    site.clearLog();
    await expect(without.scrape(site.url('/guarded'))).rejects.toMatchObject({
      code: 'BLOCKED_BY_SITE',
    });
    expect(site.log).toHaveLength(2);
  });
});

describe('a proxy of the caller', { timeout: 60_000 }, () => {
  const rendered = { engine: 'browser', retries: 0 } as const;

  test('is used by the browser, with user and password, for every request', async () => {
    const proxy = await serveHttpProxy({ login: 'harbour:low tide/1' });
    await using own = createClient({ network, proxy: proxy.as('harbour', 'low tide/1') });
    const { markdown } = await own.scrape(site.url('/'), rendered);
    expect(markdown).toContain('High water');
    const { host } = new URL(site.origin);
    expect(new Set(proxy.asked)).toEqual(new Set([host]));
  });

  rareTest('socks5 as well', async () => {
    const proxy = await serveSocksProxy({ login: 'harbour:tide' });
    await using own = createClient({ network, proxy: proxy.as('harbour', 'tide') });
    const { markdown } = await own.scrape(site.url('/'), rendered);
    expect(markdown).toContain('High water');
    expect(proxy.asked).toEqual([new URL(site.origin).host]);
  });

  rareTest('is one per tier: the browser in stealth goes through that of stealth', async () => {
    const [basic, stealth] = [await serveHttpProxy(), await serveHttpProxy()];
    await using own = createClient({ network, proxy: { basic: basic.url, stealth: stealth.url } });
    await own.scrape(site.url('/'), rendered);
    expect([basic.asked.length > 0, stealth.asked.length]).toEqual([true, 0]);
    await own.scrape(site.url('/'), { ...rendered, proxy: 'stealth' });
    expect(stealth.asked.length).toBeGreaterThan(0);
  });

  test('that refuses, or is not there, is PROXY_FAILED without a word of its credentials', async () => {
    const proxy = await serveHttpProxy({ login: 'harbour:right' });
    for (const url of [
      proxy.as('harbour', 'wrong-secret'),
      'http://harbour:wrong-secret@127.0.0.1:1',
    ]) {
      await using own = createClient({ network, proxy: url });
      const error: unknown = await own
        .scrape(site.url('/'), { ...rendered, proxy: 'basic' })
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'PROXY_FAILED' });
      const { message, stack = '', cause } = error as Error;
      for (const text of [message, stack, String(cause), JSON.stringify(error)]) {
        expect(text).not.toContain('wrong-secret');
      }
    }
  });
});
