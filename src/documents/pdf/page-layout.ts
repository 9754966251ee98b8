/** Determines the layout of a page: runs on a baseline form segments; segments form rows and columns, in order. */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import { boxAround, rowsByBaseline, type Segment, type TextRun } from './geometry.ts';
import { areProseColumns } from './prose-columns.ts';

const limits = {
  wideGap: 0.7, // multiples of the font size: wider gaps separate columns or cells
  nearby: 60, // segments before and after one, by baseline, that are compared
  leastGap: 0.12, // multiples of the font size: words with smaller gaps are not apart
  unknownGap: 0.45, // the gap between words at unknown positions
  depth: 6,
};

/** The segments from the top; superscripts and subscripts are on the line that they belong to. */
export function segmentsOf(runs: readonly TextRun[]): Segment[] {
  const rows = rowsByBaseline(runs, (distance, { size }) => distance > Math.max(1, size * 0.2));
  const pieces = rows.flatMap(splitRow);
  return attachSuperscripts(pieces).sort((a, b) => a.baseline - b.baseline || a.left - b.left);
}

function splitRow(row: readonly TextRun[]): Segment[] {
  const sorted = [...row].sort((a, b) => a.left - b.left);
  const segments: Segment[] = [];
  let current: TextRun[] = [];
  let right = -Infinity;
  for (const run of sorted) {
    if (current.length > 0 && run.left - right > limits.wideGap * run.size) {
      segments.push(segmentOf(current));
      current = [];
      right = -Infinity;
    }
    current.push(run);
    right = Math.max(right, run.right);
  }
  if (current.length > 0) segments.push(segmentOf(current));
  return segments;
}

/** A segment of runs on one baseline, or superscript to it. */
export function segmentOf(runs: readonly TextRun[]): Segment {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  let [baseline, size, most] = [0, 0, -Infinity];
  for (const run of runs) {
    left = Math.min(left, run.left);
    right = Math.max(right, run.right);
    top = Math.min(top, run.baseline - run.size * 0.8);
    bottom = Math.max(bottom, run.baseline + run.size * 0.2);
    const weight = weightOf(run);
    if (weight <= most) continue;
    ({ baseline, size } = run);
    most = weight;
  }
  return { left, right, top, bottom, runs, baseline, size };
}

function weightOf({ text, verticalAlign, size }: TextRun): number {
  return verticalAlign === undefined ? text.length * size : 0;
}

/** Attaches small text right beside a line, slightly above or below it, to that line. */
function attachSuperscripts(segments: readonly Segment[]): Segment[] {
  const byBaseline = [...segments].sort((a, b) => a.baseline - b.baseline);
  const added = new Map<Segment, TextRun[]>();
  const gone = new Set<Segment>();
  for (const [index, small] of byBaseline.entries()) {
    if (small.right - small.left > small.size * 8) continue;
    const host = hostOf(small, byBaseline, index);
    if (host === undefined || gone.has(host)) continue;
    const verticalAlign: 'sup' | 'sub' = small.baseline < host.baseline ? 'sup' : 'sub';
    gone.add(small);
    getOrInsert(added, host, () => []).push(
      ...small.runs.map((run) => ({ ...run, verticalAlign })),
    );
  }
  return byBaseline
    .filter((segment) => !gone.has(segment))
    .map((segment) => {
      const more = added.get(segment);
      return more === undefined ? segment : segmentOf([...segment.runs, ...more]);
    });
}

/** The line of small text; distant lines are not compared. */
function hostOf(small: Segment, sorted: readonly Segment[], index: number): Segment | undefined {
  const end = Math.min(sorted.length, index + limits.nearby);
  for (let at = Math.max(0, index - limits.nearby); at < end; at += 1) {
    const large = sorted[at];
    if (large !== undefined && isBeside(small, large)) return large;
  }
  return undefined;
}

function isBeside(small: Segment, large: Segment): boolean {
  const shift = Math.abs(small.baseline - large.baseline);
  return (
    small.size < large.size * 0.9 &&
    shift > large.size * 0.02 &&
    shift < large.size * 0.75 &&
    shift < small.size * 1.3 &&
    small.left > large.left - large.size * 0.5 - (small.right - small.left) &&
    small.left < large.right + large.size * 0.35
  );
}

/** The parts of a segment that are more than a space apart; the segment itself without such a gap. */
export function splitAtGaps(segment: Segment): readonly Segment[] {
  if (segment.runs.length === 1 && !segment.runs.some(hasGap)) return [segment];
  const pieces = [...segment.runs].sort((a, b) => a.left - b.left).flatMap(splitRun);
  const parts: TextRun[][] = [];
  let right = -Infinity;
  for (const piece of pieces) {
    const gap = piece.left - right;
    const isApart = piece.words?.[0]?.isApart ?? gap > piece.size * limits.unknownGap;
    const last = parts.at(-1);
    if (last === undefined) parts.push([piece]);
    else if (isApart && gap > piece.size * limits.leastGap && piece.verticalAlign === undefined) {
      parts.push([piece]);
    } else last.push(piece);
    right = Math.max(right, piece.right);
  }
  return parts.length < 2 ? [segment] : parts.map(segmentOf);
}

/** True for a wide gap between words; gaps in code do not count. */
function hasGap({ words = [], font }: TextRun): boolean {
  return !font.isMono && words.some(({ isApart }, at) => at > 0 && isApart);
}

function splitRun(run: TextRun): readonly TextRun[] {
  if (!hasGap(run)) return [run];
  const { words = [] } = run;
  return cutRun(
    run,
    words.flatMap(({ isApart }, at) => (at > 0 && isApart ? [at] : [])),
  );
}

/** Splits a run with known word positions before the words at `cuts`. */
export function cutRun(run: TextRun, cuts: readonly number[]): readonly TextRun[] {
  const { text, words = [] } = run;
  const texts = text.trim().split(/\s+/);
  return [0, ...cuts].map((from, at) => {
    const inside = words.slice(from, cuts[at]);
    return {
      ...run,
      text: texts.slice(from, cuts[at]).join(' '),
      left: inside[0]?.left ?? run.left,
      right: inside.at(-1)?.right ?? run.right,
      afterSpace: at > 0 || run.afterSpace,
      words: inside,
    };
  });
}

// The reading order of a page: columns from top to bottom, one after the other.

/** Segments on one baseline, from the left. */
export type SegmentRow = readonly Segment[];

/** Rows that are read consecutively: a column, or content across all columns. */
export interface PageRegion {
  readonly rows: readonly SegmentRow[];
  readonly left: number;
  readonly right: number;
}

/** Regions in reading order. */
export function regionsOf(segments: readonly Segment[]): PageRegion[] {
  return cutIntoRegions(segments, 0);
}

function cutIntoRegions(segments: readonly Segment[], depth: number): PageRegion[] {
  const rows = rowsOf(segments);
  if (rows.length === 0) return [];
  const gutter = depth < limits.depth ? findGutter(segments, rows) : undefined;
  if (gutter === undefined) return [regionOf(rows)];
  return bandsAt(rows, gutter).flatMap((band) => {
    const all = band.rows.flat();
    if (!band.isCut) return cutIntoRegions(all, depth + 1);
    const left = all.filter((segment) => middleOf(segment) < gutter);
    const right = all.filter((segment) => middleOf(segment) >= gutter);
    return [...cutIntoRegions(left, depth + 1), ...cutIntoRegions(right, depth + 1)];
  });
}

function regionOf(rows: readonly SegmentRow[]): PageRegion {
  const { left, right } = boxAround(rows.flat());
  return { rows, left, right };
}

/** Segments grouped in rows, from the top. */
export function rowsOf(segments: readonly Segment[]): SegmentRow[] {
  const fromLeft = [...segments].sort((a, b) => a.left - b.left);
  const rows = rowsByBaseline(
    fromLeft,
    (distance, { size }) => distance > Math.max(1, size * 0.25),
  );
  return rows.map((row) => row.sort((a, b) => a.left - b.left || a.baseline - b.baseline));
}

/**
 * The x of the gutter between two columns. Many lines begin right of it, few cross it, and either the file
 * writes one side before the other, which it does not do for tables, or the lines of each side are wrapped
 * text.
 */
function findGutter(segments: readonly Segment[], rows: readonly SegmentRow[]): number | undefined {
  if (segments.length < 6) return undefined;
  const { left, right } = boxAround(segments);
  let best: { x: number; score: number } | undefined;
  for (const x of candidates(segments)) {
    if (x - left < (right - left) * 0.15 || right - x < (right - left) * 0.15) continue;
    const score = scoreOf(rows, x);
    if (score > (best?.score ?? 0)) best = { x, score };
  }
  return best?.x;
}

/** Positions just left of where several segments begin. */
function candidates(segments: readonly Segment[]): number[] {
  const counts = new Map<number, { count: number; least: number }>();
  for (const { left } of segments) {
    const key = Math.round(left / 4);
    const known = counts.get(key) ?? { count: 0, least: left };
    counts.set(key, { count: known.count + 1, least: Math.min(known.least, left) });
  }
  return [...counts.values()]
    .filter(({ count }) => count >= 3)
    .sort((a, b) => b.count - a.count)
    .slice(0, 12)
    .map(({ least }) => least - 2);
}

/** The number of rows in bands that the gutter splits, if it is one; else 0. */
function scoreOf(rows: readonly SegmentRow[], x: number): number {
  let score = 0;
  for (const band of bandsAt(rows, x)) if (band.isCut) score += band.rows.length;
  return score >= rows.length * 0.25 ? score : 0;
}

interface RowBand {
  readonly rows: readonly SegmentRow[];
  readonly isCut: boolean;
}

/** Bands of rows: bands split by the gutter, and bands with a line across it. */
function bandsAt(rows: readonly SegmentRow[], x: number): RowBand[] {
  const bands: { rows: SegmentRow[]; isOpen: boolean }[] = [];
  for (const row of rows) {
    const isOpen = row.every(({ left, right }) => right <= x || left >= x - 1);
    const last = bands.at(-1);
    if (last?.isOpen === isOpen) last.rows.push(row);
    else bands.push({ rows: [row], isOpen });
  }
  const merged: RowBand[] = [];
  for (const band of bands) {
    const isCut = band.isOpen && areColumns(band.rows, x);
    const last = merged.at(-1);
    if (last !== undefined && !last.isCut && !isCut) {
      merged[merged.length - 1] = { rows: [...last.rows, ...band.rows], isCut: false };
    } else merged.push({ rows: band.rows, isCut });
  }
  return merged;
}

function areColumns(rows: readonly SegmentRow[], x: number): boolean {
  const all = rows.flat();
  const left = all.filter((segment) => middleOf(segment) < x);
  const right = all.filter((segment) => middleOf(segment) >= x);
  const least = Math.min(countRows(left), countRows(right));
  if (least < 3) return false;
  const gap = Math.min(...right.map((one) => one.left)) - Math.max(...left.map((one) => one.right));
  if (gap < Math.min(...all.map(({ size }) => size)) * 0.6) return false;
  const isInOrder =
    all.length >= 8 &&
    changesOfSide(all, x) <= Math.max(1, least * 0.25) &&
    (areBeside(left, right) || areBeside(right, left));
  return isInOrder || areProseColumns(left, right);
}

/** True if most lines have one beside them, unlike indented lines of code. */
function areBeside(lines: readonly Segment[], others: readonly Segment[]): boolean {
  const heights = others.map(({ baseline }) => baseline).sort((a, b) => a - b);
  let at = 0;
  let count = 0;
  for (const { baseline, size } of [...lines].sort((a, b) => a.baseline - b.baseline)) {
    while (at < heights.length && (heights[at] ?? 0) < baseline - size * 0.8) at += 1;
    if ((heights[at] ?? Infinity) <= baseline + size * 0.8) count += 1;
  }
  return count * 2 > lines.length;
}

/** How often the file switches from the left side to the right side. */
function changesOfSide(segments: readonly Segment[], x: number): number {
  const inFile = segments
    .map((segment) => ({ isLeft: middleOf(segment) < x, order: firstOrder(segment) }))
    .sort((a, b) => a.order - b.order);
  let changes = 0;
  for (let at = 1; at < inFile.length; at += 1) {
    if (inFile[at - 1]?.isLeft === true && inFile[at]?.isLeft === false) changes += 1;
  }
  return changes;
}

function firstOrder({ runs }: Segment): number {
  return Math.min(...runs.map(({ order }) => order));
}

function countRows(segments: readonly Segment[]): number {
  return new Set(segments.map(({ baseline }) => Math.round(baseline / 2))).size;
}

function middleOf({ left, right }: Segment): number {
  return (left + right) / 2;
}
