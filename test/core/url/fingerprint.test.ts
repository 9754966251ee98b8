import { describe, expect, test } from 'vitest';
import { fingerprint } from '../../../src/core/url/fingerprint.ts';

const exact = { ignoreQueryParameters: false, deduplicateSimilarURLs: false };
const similar = { ignoreQueryParameters: false, deduplicateSimilarURLs: true };
const withoutQuery = { ignoreQueryParameters: true, deduplicateSimilarURLs: false };

describe('whatever the options', () => {
  test.each([
    ['http://e.test/a#part', 'http://e.test/a'],
    ['http://e.test:80/a', 'http://e.test/a'],
    ['http://E.test/a', 'http://e.test/a'],
    ['http://e.test/x/../a', 'http://e.test/a'],
    ['http://e.test/%7ea', 'http://e.test/~a'],
    ['http://e.test/a?', 'http://e.test/a'],
    ['http://e.test/a?b=2&a=1', 'http://e.test/a?a=1&b=2'],
    ['http://e.test/a?q=x%20y', 'http://e.test/a?q=x+y'],
    ['http://e.test/a?utm_source=x&UTM_Medium=y', 'http://e.test/a'],
    ['http://e.test/a?gclid=1&id=7&fbclid=2', 'http://e.test/a?id=7'],
    ['http://e.test/p?mtm_source=x&mtm_medium=y', 'http://e.test/p'],
    [
      'http://e.test/p?pk_campaign=x&piwik_kwd=y&hsa_acc=1&itm_source=a&oly_enc_id=2',
      'http://e.test/p',
    ],
    ['http://e.test/p;JSESSIONID=1?osCsid=2&matomo_cid=3', 'http://e.test/p'],
    ['http://e.test/a?_ga=1&_gl=2&msclkid=3&mc_cid=4&mc_eid=5&igshid=6&yclid=7', 'http://e.test/a'],
    ['http://e.test/a?&&id=7&', 'http://e.test/a?id=7'],
    ['http://e.test/a;jsessionid=0A1B?id=7', 'http://e.test/a?id=7'],
    ['http://e.test/a?PHPSESSID=1', 'http://e.test/a'],
    ['http://e.test/a??id=7&gclid=1', 'http://e.test/a??id=7'],
    ['http://e.test/a??&gclid=1', 'http://e.test/a??'],
  ])('%s is %s', (one, other) => {
    for (const options of [exact, similar]) {
      expect(fingerprint(one, options)).toBe(fingerprint(other, options));
    }
  });

  test.each([
    ['http://e.test/a', 'http://e.test/A'],
    ['http://e.test/a', 'http://e.test:8080/a'],
    ['http://e.test/a?ref=1', 'http://e.test/a'],
    ['http://e.test/a?id=1', 'http://e.test/a?id=2'],
    ['http://e.test/a?t=1&t=2', 'http://e.test/a?t=2&t=1'],
    ['http://e.test/a??id=7&gclid=1', 'http://e.test/a?id=7'],
    ['http://e.test/a%2Fb', 'http://e.test/a/b'],
    ['http://e.test/#/a', 'http://e.test/#/b'],
    ['http://e.test/', 'http://sub.e.test/'],
  ])('%s is not %s', (one, other) => {
    for (const options of [exact, similar]) {
      expect(fingerprint(one, options)).not.toBe(fingerprint(other, options));
    }
  });
});

const variants = [
  ['http://e.test/a', 'https://e.test/a'],
  ['http://www.e.test/a', 'http://e.test/a'],
  ['http://e.test./a', 'http://e.test/a'],
  ['http://e.test/a/', 'http://e.test/a'],
  ['http://e.test/a/?id=7', 'http://e.test/a?id=7'],
  ['http://e.test/index.html', 'http://e.test'],
  ['http://e.test/a/index.php', 'http://e.test/a'],
  ['http://e.test/a/INDEX.htm?id=7', 'http://e.test/a?id=7'],
  ['http://e.test/a/Default.aspx', 'http://e.test/a/'],
  ['https://www.e.test:443/a/index.aspx#x', 'http://e.test/a'],
] as const;

test.each(variants)('%s is similar to %s', (one, other) => {
  expect(fingerprint(one, similar)).toBe(fingerprint(other, similar));
});

test.each(variants)('%s is another page than %s when similar URLs are kept', (one, other) => {
  expect(fingerprint(one, exact)).not.toBe(fingerprint(other, exact));
});

test.each([
  ['http://e.test:8080/', 'http://e.test:8443/'],
  ['http://e.test:443/', 'https://e.test:80/'],
  ['http://e.test/a/index.html', 'http://e.test/a/index.xml'],
  ['http://e.test/myindex.html', 'http://e.test/'],
  ['http://e.test/a//', 'http://e.test/a'],
  ['http://www.test/', 'http://test/'],
])('%s is not even similar to %s', (one, other) => {
  expect(fingerprint(one, similar)).not.toBe(fingerprint(other, similar));
});

test('the query makes no difference when it is ignored', () => {
  expect(fingerprint('http://e.test/a?id=1', withoutQuery)).toBe(
    fingerprint('http://e.test/a?id=2', withoutQuery),
  );
});

test('text that is no URL is its own key', () => {
  expect(fingerprint('nonsense', similar)).toBe('nonsense');
});
