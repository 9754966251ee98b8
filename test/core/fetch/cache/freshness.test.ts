import { describe, expect, it } from 'vitest';
import type { CachedPage } from '../../../../src/core/fetch/cache/cached-page.ts';
import {
  forbidsStoring,
  isFresh,
  mayBeStale,
  variesByAnything,
} from '../../../../src/core/fetch/cache/http-caching.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const now = Date.UTC(2026, 0, 10);
const date = new Date(now).toUTCString();
const second = 1000;

const pageWith = (
  headers: Record<string, string>,
  times: Partial<CachedPage> = {},
): CachedPage => ({
  url: 'https://site.test/',
  snapshot: {
    url: 'https://site.test/',
    statusCode: 200,
    headers,
    body: new Uint8Array(0),
    engine: 'http',
    redirects: [],
    warnings: [],
    requests: 0,
    bytes: 0,
  },
  reason: '',
  proxyUsed: 'basic',
  isRendered: false,
  askedAt: now,
  cachedAt: now,
  ...times,
});

/** Seconds for which the page is fresh, as found by asking. */
function freshFor(page: CachedPage): number {
  let low = 0;
  let high = 400 * 24 * 3600;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isFresh(page, now + middle * second - 1)) low = middle;
    else high = middle - 1;
  }
  return low;
}

describe('how long a copy is fresh (RFC 9111, 4.2)', () => {
  it.each<[string, Record<string, string>, number]>([
    ['max-age', { date, 'cache-control': 'public, max-age=60' }, 60],
    ['max-age in quotes and capitals', { date, 'cache-control': 'Max-Age="60"' }, 60],
    ['the first of two', { date, 'cache-control': 'max-age=60, max-age=600' }, 60],
    ['s-maxage is for shared caches', { date, 'cache-control': 's-maxage=60' }, 0],
    ['max-age wins over Expires', { date, 'cache-control': 'max-age=9', expires: date }, 9],
    ['a max-age that is no number', { date, 'cache-control': 'max-age=-1' }, 0],
    ['no-cache', { date, 'cache-control': 'no-cache, max-age=60' }, 0],
    ['Pragma where there is no Cache-Control', { date, pragma: 'no-cache' }, 0],
    ['Pragma beside Cache-Control', { pragma: 'no-cache', 'cache-control': 'max-age=60' }, 60],
    ['Expires', { date, expires: new Date(now + 90 * second).toUTCString() }, 90],
    ['Expires in the past', { date, expires: new Date(now - second).toUTCString() }, 0],
    ['Expires: 0', { date, expires: '0' }, 0],
    ['the age in another cache', { date, 'cache-control': 'max-age=60', age: '20' }, 40],
    [
      'a Date of before',
      { date: new Date(now - 20 * second).toUTCString(), 'cache-control': 'max-age=60' },
      40,
    ],
    ['a Date that is none', { date: 'yesterday', 'cache-control': 'max-age=60' }, 60],
    [
      'a tenth of the time without a change',
      { date, 'last-modified': new Date(now - 1000 * second).toUTCString() },
      100,
    ],
    ['changed in the future', { date, 'last-modified': new Date(now + second).toUTCString() }, 0],
    ['changed at no time', { date, 'last-modified': 'never' }, 0],
    ['nothing', {}, 0],
  ])('%s', (_, headers, expected) => {
    expect(freshFor(pageWith(headers))).toBe(expected);
  });

  it('counts the time that the answer took', () => {
    const page = pageWith({ date, 'cache-control': 'max-age=60' }, { askedAt: now - 5 * second });
    expect(freshFor(page)).toBe(55);
  });

  it('reads a hostile Cache-Control in no time', () => {
    const hostile = ['a="'.repeat(30_000), '=,'.repeat(30_000), '"\\'.repeat(30_000)];
    const started = cpuTime();
    for (const text of hostile) isFresh(pageWith({ 'cache-control': text }), now);
    expect(cpuTime() - started).toBeLessThan(1000);
  });
});

describe('what is kept, and what may be stale', () => {
  it.each([
    ['private', false],
    ['No-Store', true],
    ['private, no-store, max-age=0', true],
    ['max-age="no-store"', false],
    ['x-no-store', false],
  ])('%s forbids storing: %j', (text, expected) => {
    expect(forbidsStoring({ 'cache-control': text })).toBe(expected);
  });

  it.each([
    ['Accept-Encoding', false],
    [' * ', true],
  ])('Vary: %s is by anything: %j', (vary, expected) => {
    expect(variesByAnything({ vary })).toBe(expected);
  });

  it.each<[string, boolean]>([
    ['max-age=1', true],
    ['max-age=1, must-revalidate', false],
    ['no-cache', false],
  ])('%s may be stale: %j', (text, expected) => {
    expect(mayBeStale(pageWith({ 'cache-control': text }))).toBe(expected);
  });
});
