import { expect, test } from 'vitest';
import { canParseUrl } from '../../../src/core/url/normalize-url.ts';

// More than it takes until the engine compiles the call.
const often = 20_000;

test.each([
  ['https://faß.example/', true],
  ['https://bücher.example/', true],
  ['https://例え.example/', true],
  ['https://example.test/é', true],
  ['https://example.test/', true],
  ['https://<ß>.example/', false],
  ['https://exa mple.test/ß', false],
  ['//faß.example/', false],
])('%s is a URL or none however often it is asked: %s', (url, is) => {
  const answers = new Set<boolean>();
  for (let count = 0; count < often; count += 1) answers.add(canParseUrl(url));
  expect([...answers]).toEqual([is]);
});

test('a base counts, in letters of any alphabet', () => {
  for (let count = 0; count < often; count += 1) {
    expect(canParseUrl('/ä', 'https://faß.example/')).toBe(true);
  }
  expect(canParseUrl('/a', 'faß.example')).toBe(false);
});
