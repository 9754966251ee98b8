/** The caller's cookies without a browser: by host, path, scheme and time. */
import { expect, test } from 'vitest';
import { RedirectCookies } from '../../../src/core/http/follow-redirects.ts';
import type { Cookie } from '../../../src/core/model/request-options.ts';

const cookie = (name: string, more: Partial<Cookie> = {}): Cookie => ({
  name,
  value: name.toUpperCase(),
  domain: 'www.boats.test',
  path: '/',
  expires: -1,
  httpOnly: true,
  secure: false,
  sameSite: 'Lax',
  ...more,
});

test('each is sent where it belongs, and nowhere else', async () => {
  const cookies = new RedirectCookies([
    cookie('host'),
    cookie('site', { domain: '.boats.test' }),
    cookie('tls', { secure: true }),
    cookie('inner', { path: '/inner' }),
    cookie('old', { expires: 1_000_000_000 }),
    cookie('later', { expires: 4_000_000_000.5 }),
    cookie('all', { domain: '.test' }),
    cookie('port', { domain: '127.0.0.1' }),
  ]);
  const sent = async (url: string): Promise<string[]> =>
    ((await cookies.header(new URL(url), undefined)) ?? '').split('; ').sort();
  expect(await sent('http://www.boats.test/')).toEqual(['host=HOST', 'later=LATER', 'site=SITE']);
  expect(await sent('https://www.boats.test/inner/a')).toEqual([
    'host=HOST',
    'inner=INNER',
    'later=LATER',
    'site=SITE',
    'tls=TLS',
  ]);
  expect(await sent('http://www.boats.test/innermost')).not.toContain('inner=INNER');
  expect(await sent('http://rent.boats.test/')).toEqual(['site=SITE']);
  expect(await sent('http://other.test/')).toEqual(['']);
  expect(await sent('http://127.0.0.1:8080/')).toEqual(['port=PORT']);
  expect(await sent('http://127.0.0.2/')).toEqual(['']);
});

test('those that a site sets replace them, and they replace those of a header', async () => {
  const cookies = new RedirectCookies([cookie('a'), cookie('b')]);
  const url = new URL('http://www.boats.test/');
  await cookies.keep(['a=new; Path=/'], url);
  expect(await cookies.header(url, 'b=header; c=header')).toBe('c=header; a=new; b=B');
});
