/** Separates columns of wrapped text from columns of a table, if the file writes both line by line. */
import { boxAround, gapsOf, median, rowsByBaseline, type Segment } from './geometry.ts';
import { firstWordWidth, isCodeLine, textFromLeft } from './line-text.ts';

const limits = {
  leastFull: 0.6, // share of lines that are full
  leastContinued: 0.34, // share of lines that begin in the middle of a sentence
  leastFullWithoutCase: 0.8, // `leastFull` for scripts without capitals, whose sentences have no visible start
  sharedBreaks: 1, // lines of both sides that end at one height before a gap: more are table rows
};

export function areProseColumns(left: readonly Segment[], right: readonly Segment[]): boolean {
  if ([left, right].some((side) => side.filter(isCodeLine).length * 2 > side.length)) return false;
  const columns = [left, right].map(linesOf);
  return columns.every(isProse) && sharedBreaks(columns) <= limits.sharedBreaks;
}

interface Line {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  readonly size: number;
  readonly isBold: boolean;
}

function linesOf(segments: readonly Segment[]): Line[] {
  return rowsByBaseline(segments, (distance) => distance >= 1.5).map((line) => {
    const runs = line.flatMap((one) => one.runs);
    const [{ baseline = 0, size = 10 } = {}] = line;
    const { left, right } = boxAround(line);
    const text = textFromLeft(runs);
    return { text, left, right, baseline, size, isBold: runs.every(({ font }) => font.isBold) };
  });
}

/** True if lines end because the next word does not fit. Headings among them do not count. */
function isProse(all: readonly Line[]): boolean {
  const size = median(all.map((line) => line.size));
  const isBold = all.filter((line) => line.isBold).length * 2 > all.length;
  const lines = all.filter(
    (line) => line.isBold === isBold && Math.abs(line.size - size) < size * 0.1,
  );
  const edge = Math.max(...lines.map(({ right }) => right));
  const leading = median(gapsOf(lines));
  let [pairs, full, continued] = [0, 0, 0];
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1];
    if (next === undefined) continue;
    if (next.baseline - line.baseline > leading * 1.35 || sentenceEnd.test(line.text)) continue;
    pairs += 1;
    if (edge - line.right < firstWordOf(next) + line.size * 0.3) full += 1;
    if (/^[\p{Ll}(]/u.test(next.text)) continued += 1;
  }
  const text = lines.map((line) => line.text).join(' ');
  if (pairs < 2 || !/[.,;!?。、،؟।]/u.test(text)) return false;
  const hasCase = /\p{Ll}/u.test(text);
  return hasCase
    ? full >= pairs * limits.leastFull && continued >= pairs * limits.leastContinued
    : pairs > 2 && full >= pairs * limits.leastFullWithoutCase;
}

const sentenceEnd = /[.!?:。！？؟।]["'”’)\]]?$/u;

/** Width of the first word in points; of scripts without spaces, of a letter. */
function firstWordOf(line: Line): number {
  const isUnspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(line.text);
  return isUnspaced ? line.size : firstWordWidth(line.text, line);
}

/** The number of heights at which both columns have a gap; a gap below a heading does not indicate a table. */
function sharedBreaks(columns: readonly (readonly Line[])[]): number {
  const [first = [], second = []] = columns.map((lines) => {
    const leading = median(gapsOf(lines));
    return lines.flatMap((line, at) => {
      const before = lines[at - 1];
      if (before === undefined || before.isBold || line.isBold) return [];
      return line.baseline - before.baseline > leading * 1.35
        ? [Math.round(line.baseline / 3)]
        : [];
    });
  });
  const heights = new Set(second.flatMap((height) => [height - 1, height, height + 1]));
  return first.filter((height) => heights.has(height)).length;
}
