import { expect, test } from 'vitest';
import { isHeavy } from '../../../src/core/page/run-inline-or-worker.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ['an empty page', '', false],
  ['the densest small page', '<p>'.repeat(10_000), false],
  ['a srcset of 200 KB', `<img srcset="${'/a.png 1x,'.repeat(20_000)}">`, true],
  ['an article of 200 KB', `<p>${'words '.repeat(30)}</p>`.repeat(1_000), false],
  ['200 KB of nothing but tags', '<br>'.repeat(50_000), true],
  ['300 KB of text', 'words '.repeat(50_000), true],
])('%s', (_, text, heavy) => {
  expect(isHeavy(bytes(text))).toBe(heavy);
});
