import { describe, expect, it } from 'vitest';
import { LinkSimilarity } from '../../../src/core/frontier/orders/best-first.ts';

/** As near as the text has `a`. */
const nearness = (texts: readonly string[]): Promise<readonly number[]> =>
  Promise.resolve(texts.map((text) => text.split('a').length / 10));

describe('the meaning of links', () => {
  it('is that of link and URL together, and a little that of the page', async () => {
    const asked: string[] = [];
    const meaning = new LinkSimilarity((texts) => {
      asked.push(...texts);
      return Promise.resolve(texts.map((text) => (text === 'Title' ? 0 : 1)));
    });
    const scores = await meaning.scores([
      ['docs  one', 'First\nlink', 'Title'],
      ['docs one', undefined, undefined],
    ]);
    expect(asked).toEqual(['First link: docs one', 'Title', 'docs one']);
    expect(scores).toEqual([0.85, 1]);
  });

  it('asks nobody about what has no words, and cuts what is long', async () => {
    const asked: string[] = [];
    const meaning = new LinkSimilarity((texts) => {
      asked.push(...texts);
      return nearness(texts);
    });
    expect(await meaning.scores([['', undefined, '  ']])).toEqual([0]);
    expect(asked).toEqual([]);
    await meaning.scores([['x'.repeat(199) + '😀', undefined, undefined]]);
    expect(asked).toEqual(['x'.repeat(199)]);
  });

  it('asks about 20,000 texts, and puts links beyond them last, which it tells once', async () => {
    let asked = 0;
    const told: number[] = [];
    const meaning = new LinkSimilarity(
      (texts) => {
        asked += texts.length;
        return nearness(texts);
      },
      (texts) => told.push(texts),
    );
    const links = Array.from({ length: 20_500 }, (_, n) => [`page ${n}`, undefined, undefined]);
    const scores = await meaning.scores(links);
    expect(asked).toBe(20_000);
    expect(scores?.filter((score) => score === -1)).toHaveLength(500);
    expect(await meaning.scores([['page 7', undefined, undefined]])).toEqual([0.2]);
    expect(await meaning.scores([['another', undefined, undefined]])).toEqual([-1]);
    expect(told).toEqual([20_000]);
  });

  it('is undefined when it cannot be told any more', async () => {
    const meaning = new LinkSimilarity(() => Promise.resolve(undefined));
    expect(await meaning.scores([['a', undefined, undefined]])).toBeUndefined();
  });
});
