/** What decides whether a line begins a block: where it begins and ends, its look, its words. */
import type { BodyStyle } from './body-style.ts';
import { levelOfSize } from './body-style.ts';
import { isCodeLine } from './code-text.ts';
import type { Segment, TextRun } from './geometry.ts';
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
  /** All of its words are bold, but for code among them. */
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
  const length = text.search(/\s|$/);
  return {
    segment,
    text,
    start: isMirrored ? -right : left,
    end: isMirrored ? -left : right,
    size,
    baseline,
    isBold: isBoldLine(ordered, body),
    isCode: !body.isMono && isCodeLine(segment),
    level: levelOfSize(size, body),
    firstWord: ((right - left) * length) / Math.max(text.length, 1),
  };
}

/** Many typewriter fonts have no bold: code in a bold heading looks like any other. */
function isBoldLine(runs: readonly TextRun[], body: BodyStyle): boolean {
  const words = runs.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (body.isBold || words[0]?.font.isBold !== true) return false;
  if (words.every(({ font }) => font.isBold)) return true;
  if (body.isMono || !words.every(({ font }) => font.isBold || font.isMono)) return false;
  return lengthOf(runs.filter(({ font }) => font.isBold)) > lengthOf(runs) / 2;
}

function lengthOf(runs: readonly TextRun[]): number {
  return runs.reduce((sum, { text }) => sum + text.length, 0);
}

function isRtl(text: string): boolean {
  return /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(text);
}
