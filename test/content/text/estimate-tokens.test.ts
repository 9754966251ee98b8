import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { estimateTokens } from '../../../src/content/text/estimate-tokens.ts';

const page = (path: string): string =>
  readFileSync(new URL(`../../../fixtures/pages/${path}`, import.meta.url), 'utf8');
const paragraphs = (html: string): string =>
  [...html.matchAll(/<p>(.*?)<\/p>/g)].map(([, text = '']) => text).join('\n');

/** Tokens of `o200k_base`, counted with a tokenizer. */
test.each<[language: string, text: string, tokens: number]>([
  ['English', page('golden/retention.md'), 826],
  ['German', paragraphs(page('summary/german-article/page.html')), 245],
  ['Japanese', paragraphs(page('summary/japanese-article/page.html')), 277],
  ['Chinese', paragraphs(page('chunks/long-paragraph-chinese/page.html')), 112],
])('%s is estimated within 12 %', (_, text, tokens) => {
  expect(Math.abs(estimateTokens(text) / tokens - 1)).toBeLessThan(0.12);
});

test('what is empty has no tokens, and a character has one', () => {
  expect(estimateTokens('')).toBe(0);
  expect(['a', '1', '.', '\n', '\u{1f30a}', '\0'].map(estimateTokens)).toEqual([1, 1, 1, 2, 2, 1]);
});
