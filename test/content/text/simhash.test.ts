import { describe, expect, it } from 'vitest';
import { NearDuplicates } from '../../../src/core/frontier/settled-pages.ts';
import { simhash } from '../../../src/content/text/simhash.ts';
import { seeded } from '../../support/memory-web.ts';

const vocabulary = Array.from({ length: 3000 }, (_, n) => (n * 7919 + 101).toString(36));

function text(seed: number, words: number): string[] {
  const chance = seeded(seed);
  return Array.from({ length: words }, () => vocabulary[Math.floor(chance() ** 2 * 3000)] ?? '');
}

/** Whether each text is taken for a repetition of the one before it. */
function isNear(one: readonly string[], other: readonly string[]): boolean {
  const texts = new NearDuplicates();
  texts.add(simhash(one.join(' ')) ?? '', 'http://site.test/one');
  return texts.find(simhash(other.join(' ')) ?? '') !== undefined;
}

describe('the hash of nearly equal texts', () => {
  it('is the same whatever case, punctuation and white space', () => {
    const words = text(1, 80);
    expect(simhash(words.join(' '))).toMatch(/^[0-9a-f]{64}$/);
    expect(simhash(words.join(',\n\t').toUpperCase())).toBe(simhash(words.join(' ')));
  });

  it('is none for a text of less than 50 words', () => {
    expect(simhash(text(1, 49).join(' '))).toBeUndefined();
    expect(simhash('')).toBeUndefined();
    expect(simhash(text(1, 50).join(' '))).toBeDefined();
  });

  it.each([
    ['Chinese', '山'.codePointAt(0) ?? 0, ''],
    ['Russian', 'а'.codePointAt(0) ?? 0, ' '],
    ['Hindi', 'क'.codePointAt(0) ?? 0, ' '],
  ])('is made of words of any script: %s', (_, first, gap) => {
    const chance = seeded(3);
    const letters = Array.from({ length: 400 }, () =>
      String.fromCodePoint(first + Math.floor(chance() * 25)),
    );
    const words = Array.from({ length: 100 }, (_, n) => letters.slice(4 * n, 4 * n + 4).join(''));
    const other = [...words.slice(50), ...words.slice(0, 49).reverse()];
    expect(isNear(words, [...words.slice(0, 99)])).toBe(true);
    expect(simhash(other.join(gap))).not.toBe(simhash(words.join(gap)));
    expect(simhash(words.join(gap))).toBeDefined();
  });

  it('recognises a new date, a number of visitors and a line for the printer', () => {
    for (let seed = 0; seed < 40; seed++) {
      const words = text(seed, 300);
      expect(isNear(words, [...words.slice(0, 290), '3', 'may', '2024', ...words.slice(293)])).toBe(
        true,
      );
      expect(isNear(words, [...words, 'printed', 'for', 'visitor', '4711'])).toBe(true);
    }
  });

  it('tells pages apart of whose words four in five are the same', () => {
    for (let seed = 0; seed < 40; seed++) {
      const template = text(seed, 400);
      const one = [...template, ...text(seed + 1000, 100)];
      const other = [...template, ...text(seed + 2000, 100)];
      expect(isNear(one, other)).toBe(false);
    }
  });

  it('does not mix up any of 2,000 texts', () => {
    const texts = new NearDuplicates();
    for (let n = 0; n < 2000; n++) {
      const hash = simhash(text(n, 120).join(' ')) ?? '';
      expect(texts.find(hash)).toBeUndefined();
      texts.add(hash, `http://site.test/${n}`);
    }
    expect(texts.find(simhash(text(777, 120).join(' ')) ?? '')).toBe('http://site.test/777');
  });

  it('takes a text of any length', () => {
    const long = text(5, 60_000);
    expect(isNear(long, [...long.slice(0, 59_000), ...text(6, 1000)])).toBe(true);
    expect(isNear(long, text(7, 60_000))).toBe(false);
  });
});
