import { describe, expect, it } from 'vitest';
import { RepeatedBlocks } from '../../../src/core/jobs/repeated-blocks.ts';

const host = 'site.test';

/** Learns from pages that hold these blocks. */
function learnFrom(pages: readonly (readonly number[])[]): ReadonlySet<number> | undefined {
  const blocks = new RepeatedBlocks();
  for (const page of pages) blocks.add(host, page);
  blocks.learn(host);
  return blocks.repeatedOn(host);
}

describe('what repeats on a site', () => {
  it('stands on more than half of its pages', () => {
    expect(learnFrom([[1, 2], [1, 2, 3], [1, 3], [1]])).toEqual(new Set([1]));
    expect(learnFrom([[2], [1, 2], [1, 2], [3]])).toEqual(new Set([2]));
  });

  it('stands on three pages at least', () => {
    expect(learnFrom([[1], [1]])).toEqual(new Set());
    expect(learnFrom([[1], [1], [1]])).toEqual(new Set([1]));
  });

  it('is the same in whatever order the pages of the sample come', () => {
    const pages = [[1, 2], [1, 3], [2, 3], [2, 1], [4], [2]];
    expect(learnFrom([...pages].reverse())).toEqual(learnFrom(pages));
  });

  it('is known after 32 pages and never changes', () => {
    const blocks = new RepeatedBlocks();
    for (let page = 0; page < 31; page += 1) blocks.add(host, [1]);
    expect(blocks.repeatedOn(host)).toBeUndefined();
    blocks.add(host, [1]);
    const learnt = blocks.repeatedOn(host);
    expect(learnt).toEqual(new Set([1]));
    for (let page = 0; page < 99; page += 1) blocks.add(host, [2]);
    blocks.learn(host);
    expect(blocks.repeatedOn(host)).toBe(learnt);
  });

  it('is learnt for each host by itself', () => {
    const blocks = new RepeatedBlocks();
    for (let page = 0; page < 32; page += 1) blocks.add('a.test', [1]);
    blocks.add('b.test', [1]);
    expect(blocks.repeatedOn('a.test')).toEqual(new Set([1]));
    expect(blocks.repeatedOn('b.test')).toBeUndefined();
  });

  it('is nothing for hosts after the hundredth', () => {
    const blocks = new RepeatedBlocks();
    for (let n = 0; n < 100; n += 1) blocks.add(`host-${n}.test`, [1]);
    expect(blocks.repeatedOn('host-99.test')).toBeUndefined();
    expect(blocks.repeatedOn('one-more.test')).toEqual(new Set());
  });
});
