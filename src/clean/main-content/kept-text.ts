/** How much of the text of each element is kept. */
import type { Block } from './measure.ts';

/** Characters of text that is kept, by element. */
export type KeptText = (block: Block) => number;

/** Sums it up for all elements. */
export function sumKept(blocks: readonly Block[], kept: ReadonlySet<number>): KeptText {
  const sums = new Array<number>(blocks.length).fill(0);
  const textOf: KeptText = ({ index }) => sums[index] ?? 0;
  for (let index = blocks.length - 1; index >= 0; index--) {
    const block = blocks[index] as Block;
    const sum = textOf(block) + (kept.has(index) ? block.own.length : 0);
    sums[index] = sum;
    if (block.parent !== undefined) sums[block.parent.index] = textOf(block.parent) + sum;
  }
  return textOf;
}
