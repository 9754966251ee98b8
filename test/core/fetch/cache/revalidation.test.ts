import { describe, expect, it } from 'vitest';
import type { CachedPage } from '../../../../src/core/fetch/cache/cached-page.ts';
import { conditionsOf, confirmedPage } from '../../../../src/core/fetch/cache/http-caching.ts';

const modified = 'Mon, 05 Jan 2026 10:00:00 GMT';
const url = 'https://site.test/page';
const pageWith = (headers: Record<string, string>, isRendered = false): CachedPage => ({
  url: 'https://site.test/',
  snapshot: {
    url,
    statusCode: 200,
    headers,
    body: new TextEncoder().encode('<p>stored</p>'),
    engine: 'http',
    redirects: [],
    warnings: [],
    requests: 0,
    bytes: 0,
  },
  reason: '',
  proxyUsed: 'basic',
  isRendered,
  askedAt: 1,
  cachedAt: 2,
});
const answer = (headers: Record<string, string>, at = url): CachedPage['snapshot'] => ({
  ...pageWith(headers).snapshot,
  url: at,
  statusCode: 304,
  body: new Uint8Array(0),
});
const times = { askedAt: 10, cachedAt: 11 };

describe('what is asked', () => {
  it.each<[string, Record<string, string>, unknown]>([
    ['a strong tag', { etag: '"a"' }, { 'if-none-match': '"a"' }],
    ['a weak tag, as it is', { etag: 'W/"a"' }, { 'if-none-match': 'W/"a"' }],
    ['a date', { 'last-modified': modified }, { 'if-modified-since': modified }],
    [
      'both',
      { etag: '"a"', 'last-modified': modified },
      { 'if-none-match': '"a"', 'if-modified-since': modified },
    ],
    ['no validator', {}, undefined],
    ['a tag without quotes', { etag: 'a' }, undefined],
    ['two tags', { etag: '"a", "b"' }, undefined],
    ['a date that is none', { 'last-modified': 'yesterday' }, undefined],
    ['a date with a line break', { 'last-modified': `${modified}\r\nx: y` }, undefined],
  ])('%s', (_, headers, expected) => {
    expect(conditionsOf(pageWith(headers))).toEqual(expected);
  });

  it('asks nothing of what a browser made', () => {
    expect(conditionsOf(pageWith({ etag: '"a"' }, true))).toBeUndefined();
  });
});

describe('what a 304 says', () => {
  it('brings new headers, keeps those of the message with the body, and starts the age again', () => {
    const stored = pageWith({
      etag: '"a"',
      'content-type': 'text/html',
      'content-length': '13',
      expires: 'x',
    });
    const fresh = {
      etag: '"a"',
      'content-type': 'text/plain',
      'content-length': '0',
      expires: 'y',
      connection: 'close',
    };
    const page = confirmedPage(stored, answer(fresh), times);
    expect(page).toMatchObject(times);
    expect(page?.snapshot.headers).toEqual({
      etag: '"a"',
      'content-type': 'text/html',
      'content-length': '13',
      expires: 'y',
    });
    expect(page?.snapshot.body).toBe(stored.snapshot.body);
  });

  it.each<[string, Record<string, string>, Record<string, string>, boolean]>([
    ['the same tag', { etag: '"a"' }, { etag: '"a"' }, true],
    ['the same tag, weak', { etag: '"a"' }, { etag: 'W/"a"' }, true],
    ['no tag', { etag: '"a"' }, {}, true],
    ['another tag', { etag: '"a"' }, { etag: '"b"' }, false],
    ['another date', { 'last-modified': modified }, { 'last-modified': 'x' }, false],
    ['the same date', { 'last-modified': modified }, { 'last-modified': modified }, true],
  ])('%s', (_, stored, fresh, isSame) => {
    expect(confirmedPage(pageWith(stored), answer(fresh), times) !== undefined).toBe(isSame);
  });

  it('is not about the copy when it comes from another URL', () => {
    const elsewhere = answer({ etag: '"a"' }, 'https://site.test/other');
    expect(confirmedPage(pageWith({ etag: '"a"' }), elsewhere, times)).toBeUndefined();
  });
});
