/** Determines the style of a file's body text, and the sizes of its headings. */
import type { TextRun } from './geometry.ts';

/** The reference for recognising headings, notes and code. */
export interface BodyStyle {
  /** Font size of most text. */
  readonly size: number;
  /** True when most text is bold or monospaced: the style then has no meaning. */
  readonly isBold: boolean;
  readonly isMono: boolean;
  /** Larger sizes, the largest first: levels of headings. */
  readonly headingSizes: readonly number[];
}

/** Limit of heading levels by size; bold headings in the body's size come below them. */
const maxSizes = 4;

export function bodyStyleOf(runs: Iterable<TextRun>): BodyStyle {
  const weights = new Map<number, number>();
  let [all, bold, mono] = [0, 0, 0];
  for (const { text, size, font } of runs) {
    const key = Math.round(size * 2) / 2;
    weights.set(key, (weights.get(key) ?? 0) + text.length);
    all += text.length;
    if (font.isBold) bold += text.length;
    if (font.isMono) mono += text.length;
  }
  const size = [...weights].reduce((best, one) => (one[1] > best[1] ? one : best), [10, 0])[0];
  const larger = [...weights]
    .filter(([one, weight]) => one >= size * 1.12 && weight < all * 0.2 && weight >= 2)
    .map(([one]) => one)
    .sort((a, b) => b - a);
  return {
    size,
    isBold: bold > all * 0.5,
    isMono: mono > all * 0.6,
    headingSizes: groups(larger).slice(0, maxSizes),
  };
}

/** Merges sizes that hardly differ. */
function groups(sizes: readonly number[]): number[] {
  const kept: number[] = [];
  for (const size of sizes) {
    const last = kept.at(-1);
    if (last === undefined || size < last * 0.94) kept.push(size);
  }
  return kept;
}

/** The level of a heading of this size, from 1; undefined for text no larger than the body's. */
export function levelOfSize(
  size: number,
  { size: body, headingSizes }: BodyStyle,
): number | undefined {
  if (size < body * 1.1) return undefined;
  const at = headingSizes.findIndex((one) => size >= one * 0.94);
  return at < 0 ? (headingSizes.length === 0 ? undefined : headingSizes.length) : at + 1;
}
