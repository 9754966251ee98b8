/** What decides whether a line begins a block: where it begins and ends, its look, its words. */
import type { BodyStyle } from './body-style.ts';
import { levelOfSize } from './body-style.ts';
import { isCodeLine } from './code-text.ts';
import type { Segment } from './geometry.ts';
import { inReadingOrder } from './line-text.ts';

/** A line with what is known of it. */
export interface Line {
  readonly segment: Segment;
  readonly text: string;
  /** Where it begins and ends in reading direction: mirrored for right-to-left scripts. */
  readonly start: number;
  readonly end: number;
  readonly size: number;
  readonly baseline: number;
  readonly isBold: boolean;
  readonly isCode: boolean;
  /** The level of a heading of its size. */
  readonly level: number | undefined;
  /** Points that its first word takes. */
  readonly firstWord: number;
}

export function lineOf(segment: Segment, body: BodyStyle): Line {
  const ordered = inReadingOrder(segment.runs);
  const text = ordered
    .map((run) => run.text)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  const isMirrored = (ordered[0]?.left ?? 0) > (ordered.at(-1)?.left ?? 0) || isRtl(text);
  const { left, right, size, baseline } = segment;
  const words = segment.runs.filter((run) => /[\p{L}\p{N}]/u.test(run.text));
  const length = text.search(/\s|$/);
  return {
    segment,
    text,
    start: isMirrored ? -right : left,
    end: isMirrored ? -left : right,
    size,
    baseline,
    isBold: !body.isBold && words.length > 0 && words.every(({ font }) => font.isBold),
    isCode: !body.isMono && isCodeLine(segment),
    level: levelOfSize(size, body),
    firstWord: ((right - left) * length) / Math.max(text.length, 1),
  };
}

function isRtl(text: string): boolean {
  return /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(text);
}
