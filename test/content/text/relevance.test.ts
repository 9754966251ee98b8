import { describe, expect, test } from 'vitest';
import { Relevance } from '../../../src/content/text/relevance.ts';

/** The texts in the order of their scores; those without any are left out. */
function ranked(query: string, texts: readonly string[]): string[] {
  const relevance = new Relevance(query, [1]);
  return texts
    .map((text) => ({ text, match: relevance.add([text]) }))
    .map(({ text, match }) => ({ text, score: match === undefined ? 0 : relevance.score(match) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ text }) => text);
}

describe('relevance', () => {
  test('more of the query is better, and rare words count more', () => {
    const texts = ['sea', 'sea map', 'sea lamp', 'sea bird', 'map of the lamp', 'tree'];
    expect(ranked('sea lamp', texts).slice(0, 2)).toEqual(['sea lamp', 'map of the lamp']);
  });

  test('a short text that has the word is better than a long one', () => {
    expect(ranked('lamp', ['a lamp and six other things of the house', 'the lamp'])).toEqual([
      'the lamp',
      'a lamp and six other things of the house',
    ]);
  });

  test('the word itself is better than its forms, these are better than compounds', () => {
    expect(ranked('Brot', ['Roggenbrot', 'Brote', 'Brot'])).toEqual([
      'Brot',
      'Brote',
      'Roggenbrot',
    ]);
  });

  test('what nearly every link has answers nothing beside something rare', () => {
    const texts = ['docs of a', 'docs of b', 'docs of c', 'docs of d', 'docs of webhooks'];
    expect(ranked('docs webhooks', texts)).toEqual(['docs of webhooks']);
    expect(ranked('docs', texts)).toHaveLength(5);
  });

  test('words that no link has take nothing away', () => {
    expect(ranked('lamp zeppelin', ['lamp', 'tree'])).toEqual(['lamp']);
  });

  test('weights say which text counts more', () => {
    const relevance = new Relevance('lamp', [1, 3]);
    const [first, second] = [relevance.add(['lamp', 'tree']), relevance.add(['tree', 'lamp'])];
    expect(relevance.score(second!)).toBeGreaterThan(relevance.score(first!));
  });

  test('long queries, long texts and texts without words are taken', () => {
    const relevance = new Relevance('word '.repeat(10_000) + 'x'.repeat(10_000), [1, 1]);
    expect(relevance.add(['?', undefined])).toBeUndefined();
    expect(relevance.add(['word '.repeat(100_000), ''])).toBeDefined();
  });
});
