/** Who the page believes to be talking to, through the client: device, place, window, headers. */
import { type Client, createClient } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bytesOf, sizeOf } from '../support/picture.ts';
import { rareTest } from '../support/deep.ts';

// Two sites: the name is another one than the address.
const network = { allow: ['127.0.0.1', 'localhost'] };

let client: Client;
let site: FixtureServer;
let other: FixtureServer;

beforeAll(async () => {
  client = createClient({ network, cache: false });
  other = await serve({ '/frame': '<!doctype html><p>Third party</p>', '/x.js': { body: '' } });
  site = await serve({
    '/': '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Who</title><p>Who are you?</p>',
    '/embeds': `<!doctype html><html lang="en"><title>Embeds</title><p>Text</p><script src="/own.js"></script>
<script src="${other.url('/x.js').replace('127.0.0.1', 'localhost')}"></script>`,
    '/own.js': { body: '' },
    '/leaves': {
      status: 302,
      headers: { location: other.url('/frame').replace('127.0.0.1', 'localhost') },
    },
  });
}, 60_000);

afterAll(async () => {
  await client.close();
  await site.close();
  await other.close();
});

type Options = NonNullable<Parameters<Client['scrape']>[1]>;

/** What the page sees: the value of an expression in it. */
async function ask<T>(script: string, options: Options = {}): Promise<T> {
  const { actions } = await client.scrape(site.url('/'), {
    ...options,
    formats: [],
    actions: [{ type: 'executeJavascript', script }],
  });
  return actions?.javascriptReturns[0]?.value as T;
}

const header = (name: string): string | undefined => site.log[0]?.headers[name];

describe('mobile', { timeout: 60_000 }, () => {
  test('is a phone to the page and to the server', async () => {
    site.clearLog();
    const phone = await ask<Record<string, unknown>>(
      `({ width: innerWidth, touch: 'ontouchstart' in window, coarse: matchMedia('(pointer: coarse)').matches,
          agent: navigator.userAgent, ratio: devicePixelRatio > 1 })`,
      { mobile: true },
    );
    expect(phone).toMatchObject({ touch: true, coarse: true, ratio: true });
    expect(phone['width']).toBeLessThan(500);
    expect(phone['agent']).toMatch(/Mobile/);
    expect(header('user-agent')).toBe(phone['agent']);
    expect(header('sec-ch-ua-mobile')).toBe('?1');
  });

  rareTest(
    'its picture has the width of a phone, and the next visit is a desktop again',
    async () => {
      const [small] = sizeOf(
        bytesOf(
          (await client.scrape(site.url('/'), { formats: ['screenshot'], mobile: true }))
            .screenshot,
        ),
      );
      const wide = await client.scrape(site.url('/'), { formats: ['screenshot'] });
      expect(small).toBeLessThan(1300);
      expect(sizeOf(bytesOf(wide.screenshot))).toEqual([1280, 720]);
      expect(await ask('navigator.userAgent')).not.toMatch(/Mobile|Headless/);
    },
  );
});

describe('location', { timeout: 60_000 }, () => {
  const script = `({ language: navigator.language, languages: [...navigator.languages],
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone, number: (1234.5).toLocaleString() })`;

  test('is language, time zone, number format, header and metadata.timezone', async () => {
    site.clearLog();
    const { actions, metadata } = await client.scrape(site.url('/'), {
      formats: [],
      location: { country: 'de' },
      actions: [{ type: 'executeJavascript', script }],
    });
    expect(actions?.javascriptReturns[0]?.value).toMatchObject({
      language: 'de-DE',
      zone: 'Europe/Berlin',
      number: '1.234,5',
    });
    expect(metadata.timezone).toBe('Europe/Berlin');
    expect(header('accept-language')).toMatch(/^de-DE,de;q=0\.\d/);
  });

  test('languages of yours, in their order', async () => {
    site.clearLog();
    const seen = await ask(script, { location: { country: 'CH', languages: ['fr-CH', 'en'] } });
    expect(seen).toMatchObject({
      language: 'fr-CH',
      languages: ['fr-CH', 'fr', 'en'],
      zone: 'Europe/Zurich',
    });
    expect(header('accept-language')).toMatch(/^fr-CH,fr;q=0\.\d,en;q=0\.\d$/);
  });

  test('the position is in the country, without a question', async () => {
    const position = await ask<{ latitude: number; longitude: number }>(
      `await new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(
        ({ coords }) => resolve({ latitude: coords.latitude, longitude: coords.longitude }),
        ({ message }) => reject(new Error(message))))`,
      { location: { country: 'JP' } },
    );
    expect(position.latitude).toBeGreaterThan(24);
    expect(position.latitude).toBeLessThan(46);
    expect(position.longitude).toBeGreaterThan(122);
    expect(position.longitude).toBeLessThan(146);
  });

  test('without a country it is the United States', async () => {
    const seen = await ask(script, { location: {} });
    expect(seen).toMatchObject({ language: 'en-US', zone: expect.stringMatching(/^America\//) });
  });

  test('one that is none is refused', async () => {
    for (const location of [{ country: 'XX' }, { languages: ['not a tag'] }]) {
      await expect(client.scrape(site.url('/'), { location })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    }
  });
});

describe('window and colours', () => {
  test('viewport and colorScheme are what the page measures', async () => {
    const script = `({ size: [innerWidth, innerHeight], dark: matchMedia('(prefers-color-scheme: dark)').matches })`;
    const options = { viewport: { width: 900, height: 500 }, colorScheme: 'dark' } as const;
    expect(await ask(script, options)).toEqual({ size: [900, 500], dark: true });
    expect(await ask(script)).toEqual({ size: [1280, 720], dark: false });
  });

  test('a window that no screen has is refused', async () => {
    for (const viewport of [
      { width: 0, height: 10 },
      { width: 7681, height: 10 },
      { width: 1.5, height: 2 },
    ]) {
      await expect(client.scrape(site.url('/'), { viewport })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        issues: [{ path: ['viewport', 'width'] }],
      });
    }
  });
});

describe('headers', { timeout: 60_000 }, () => {
  const headers = { 'X-Ticket': 't-1', Authorization: 'Bearer secret', Cookie: 'seen=1' };

  test('go to the site of the page with every request, and to nobody else', async () => {
    site.clearLog();
    other.clearLog();
    await client.scrape(site.url('/embeds'), { engine: 'browser', headers });
    expect(site.log.map(({ url }) => url).sort()).toEqual(['/embeds', '/own.js']);
    for (const request of site.log) {
      expect(request.headers).toMatchObject({
        'x-ticket': 't-1',
        authorization: 'Bearer secret',
        cookie: 'seen=1',
      });
    }
    expect(other.log).toHaveLength(1);
    expect(Object.keys(other.log[0]?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:x-ticket|authorization|cookie)$/)]),
    );
  });

  test('are dropped where a redirect leaves the site', async () => {
    other.clearLog();
    const { markdown } = await client.scrape(site.url('/leaves'), { engine: 'browser', headers });
    expect(markdown).toContain('Third party');
    const sent = other.log[0]?.headers ?? {};
    expect(sent).not.toHaveProperty('authorization');
    expect(sent).not.toHaveProperty('cookie');
    expect(sent).not.toHaveProperty('x-ticket');
  });

  rareTest('are gone with the visit', async () => {
    site.clearLog();
    await client.scrape(site.url('/'), { engine: 'browser' });
    expect(header('cookie')).toBeUndefined();
    expect(header('x-ticket')).toBeUndefined();
    expect(await ask('document.cookie')).toBe('');
  });

  rareTest('user-agent: of the call, of the client, of the browser', async () => {
    site.clearLog();
    expect(await ask('navigator.userAgent', { headers: { 'User-Agent': 'Mine/1.0' } })).toBe(
      'Mine/1.0',
    );
    expect(header('user-agent')).toBe('Mine/1.0');
    await using named = createClient({
      network,
      cache: false,
      userAgent: 'Harbour/2.0 (+https://harbour.test)',
    });
    site.clearLog();
    await named.scrape(site.url('/'), { engine: 'browser' });
    expect(header('user-agent')).toBe('Harbour/2.0 (+https://harbour.test)');
    site.clearLog();
    await client.scrape(site.url('/'), { engine: 'browser' });
    expect(header('user-agent')).toMatch(/^Mozilla\/5\.0 .*Chrome\/\d/);
    expect(header('user-agent')).not.toMatch(/Headless/);
  });

  test('one that the browser sets itself is BAD_REQUEST that names it', async () => {
    const call = client.scrape(site.url('/'), {
      engine: 'browser',
      headers: { Host: 'else.test' },
    });
    await expect(call).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('host') as string,
    });
  });
});
