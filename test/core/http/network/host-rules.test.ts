/** Which entry of `createClient({ hosts })` is for a URL, and which entries are refused. */
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type ClientOptions, createClient, type PagewrightError } from '../../../../src/index.ts';
import { HostRules } from '../../../../src/core/http/network/host-rules.ts';
import { failure } from '../../../support/failure.ts';

const none = { delay: 0, most: Infinity, perMinute: Infinity };

function perMinuteOf(rules: Readonly<Record<string, number>>, url: string): number {
  const entries = Object.entries(rules).map(([host, perMinute]) => [host, { perMinute }] as const);
  return new HostRules(Object.fromEntries(entries)).limitsOf(new URL(url), none).perMinute;
}

describe('the hosts of a key', () => {
  test.each<[key: string, fits: readonly string[], others: readonly string[]]>([
    [
      'api.example.com',
      ['http://api.example.com/', 'https://API.example.com:8443/a', 'https://api.example.com./'],
      ['https://example.com/', 'https://v2.api.example.com/', 'https://api.example.com.evil.test/'],
    ],
    ['API.Example.COM.', ['https://api.example.com/'], []],
    [
      '*.example.com',
      ['https://a.example.com/', 'https://a.b.example.com:81/'],
      ['https://example.com/', 'https://badexample.com/'],
    ],
    [
      'example.com:443',
      ['https://example.com/'],
      ['http://example.com/', 'https://example.com:1/'],
    ],
    ['*.example.com:81', ['http://a.example.com:81/'], ['http://a.example.com/']],
    ['*:8080', ['http://a.test:8080/'], ['http://a.test/']],
    ['münchen.example', ['https://xn--mnchen-3ya.example/'], []],
    ['*.münchen.example', ['https://a.xn--mnchen-3ya.example/'], []],
    ['127.0.0.1', ['http://127.0.0.1:99/', 'http://2130706433/'], ['http://127.0.0.2/']],
    ['[::1]', ['http://[0:0::1]/'], ['http://[::2]/']],
    ['[0:0::1]:81', ['http://[::1]:81/'], ['http://[::1]/']],
    ['*', ['http://a.test/', 'http://[::1]:4/'], []],
  ])('%s', (key, fits, others) => {
    for (const url of fits) expect([url, perMinuteOf({ [key]: 7 }, url)]).toEqual([url, 7]);
    for (const url of others)
      expect([url, perMinuteOf({ [key]: 7 }, url)]).toEqual([url, Infinity]);
  });
});

test('each rule is that of the most specific entry', () => {
  const rules = new HostRules({
    '*': { delay: 1, concurrency: 9, perMinute: 90 },
    '*.example.com': { delay: 2, concurrency: 8 },
    '*.api.example.com': { delay: 3 },
    'v1.api.example.com': { concurrency: 1 },
    'v1.api.example.com:81': { concurrency: 2 },
  });
  const of = (url: string): unknown => Object.values(rules.limitsOf(new URL(url), none));
  expect(of('https://other.test/')).toEqual([1000, 9, 90]);
  expect(of('https://a.example.com/')).toEqual([2000, 8, 90]);
  expect(of('https://v2.api.example.com/')).toEqual([3000, 8, 90]);
  expect(of('https://v1.api.example.com/')).toEqual([3000, 1, 90]);
  expect(of('https://v1.api.example.com:81/')).toEqual([3000, 2, 90]);
});

test('over http, headers are sent where the most specific entry that has any names a port', () => {
  const headers = { 'x-a': '1' };
  const sentTo = (url: string, hosts: ClientOptions['hosts']): unknown =>
    new HostRules(hosts ?? {}).headers?.of(new URL(url));
  const withPort = { 'a.test:81': { headers } };
  expect(sentTo('http://a.test:81/', withPort)).toEqual(headers);
  expect(sentTo('http://a.test/', { 'a.test': { headers } })).toBeUndefined();
  const both = { 'a.test': { headers: { 'x-a': '2' } }, '*:81': { headers } };
  expect(sentTo('http://a.test:81/', both)).toBeUndefined();
  expect(sentTo('https://a.test:81/', both)).toEqual({ 'x-a': '2' });
  expect(sentTo('http://b.test:81/', both)).toEqual(headers);
});

function refusal(options: ClientOptions): Promise<PagewrightError> {
  return failure(Promise.resolve().then(() => createClient(options)));
}

describe('wrong entries', () => {
  test.each(
    [
      '',
      'https://a.test',
      'a.test/x',
      'a b',
      '*.',
      '**.a.test',
      'a.*.test',
      '*a.test',
      '::1',
    ].concat(['a.test:0', 'a.test:99999', '*.127.0.0.1', '10.0.0.0/8', '[::1', 'a..test']),
  )('%j', async (key) => {
    const error = await refusal({ hosts: { [key]: {} } });
    expect(error).toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: ['hosts', key] }] });
    expect(error.message).toContain('expected a host such as "api.example.com"');
  });

  test.each<[unknown, string]>([
    [{ 'A.test': {}, 'a.test.': {} }, 'hosts.a.test.: is the same host as "A.test"'],
    [{ 'a.test': { concurrency: 0 } }, 'hosts.a.test.concurrency: '],
    [{ 'a.test': { perMinute: 1.5 } }, 'hosts.a.test.perMinute: '],
    [{ 'a.test': { delay: 1000 } }, "for milliseconds write '1000ms'"],
    [{ 'a.test': { perMinutes: 3 } }, 'did you mean "hosts.a.test.perMinute"?'],
    [{ 'a.test': { headers: { Cookie: 'a=b' } } }, 'use the option cookies'],
    [{ 'a.test': { headers: { HOST: 'b.test' } } }, 'belongs to the connection'],
    [{ 'a.test': { headers: { 'transfer-encoding': 'x' } } }, 'belongs to the connection'],
    [{ 'a.test': { headers: { 'x-a': 'a\nb' } } }, 'without control characters'],
    [{ 'a.test': { proxy: 'nowhere' } }, 'expected a URL such as "http://user:password@host:8080"'],
    [{ 'a.test': { proxy: ['http://a:1'] } }, 'expected a URL such as'],
    [{ 'a.test': { proxy: null } }, 'expected a URL such as'],
    [{ 'a.test': { proxy: true } }, 'expected a URL such as'],
    [{ 'a.test': { proxy: { url: 'ftp://x' } } }, 'expected the scheme'],
    [[], 'hosts: expected record'],
    [{ 'a.test': 3 }, 'hosts.a.test: expected object'],
  ])('%j', async (hosts, message) => {
    const error = await refusal({ hosts: hosts as ClientOptions['hosts'] });
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.message).toContain(message);
  });

  test('messages do not repeat secrets', async () => {
    const hosts = {
      'a.test': { headers: { authorization: 'secret-1\n' }, proxy: 'http://ann:secret-2@x/y' },
    };
    const error = await refusal({ hosts });
    expect(error.message).toContain('hosts.a.test.headers');
    expect(error.message).toContain('hosts.a.test.proxy');
    expect(JSON.stringify([error, error.message])).not.toContain('secret');
    const mistakes = [{ 'https://ann:secret@a.test': {} }, { 'a.test': 'http://ann:secret@x:1' }];
    for (const wrong of mistakes) {
      const refused = await refusal({ hosts: wrong as ClientOptions['hosts'] });
      expect(refused.message).toMatch(/a\.test: expected/);
      expect(inspect(refused, { depth: 9 })).not.toContain('secret');
    }
  });

  test('a browser with trustBrowser has one proxy', async () => {
    const hosts = { 'a.test': { proxy: false as const } };
    const error = await refusal({ hosts, network: { trustBrowser: true } });
    expect(error.message).toContain('hosts.a.test.proxy: a browser with network.trustBrowser');
  });
});
