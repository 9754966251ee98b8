/** The order in which the parts of a page are read: columns from top to bottom, one after the other. */
import { boxAround, type Segment } from './geometry.ts';

/** Parts of lines that stand on one baseline, from the left. */
export type Row = readonly Segment[];

/** Rows that are read one after the other: a column, or what goes across all of them. */
export interface Region {
  readonly rows: readonly Row[];
  readonly left: number;
  readonly right: number;
}

const maxDepth = 6;

/** Regions in reading order. */
export function regionsOf(segments: readonly Segment[]): Region[] {
  return cut(segments, 0);
}

function cut(segments: readonly Segment[], depth: number): Region[] {
  const rows = rowsOf(segments);
  if (rows.length === 0) return [];
  const gutter = depth < maxDepth ? findGutter(segments, rows) : undefined;
  if (gutter === undefined) return [regionOf(rows)];
  return bandsAt(rows, gutter).flatMap((band) => {
    const all = band.rows.flat();
    if (!band.isCut) return cut(all, depth + 1);
    const left = all.filter((segment) => middleOf(segment) < gutter);
    const right = all.filter((segment) => middleOf(segment) >= gutter);
    return [...cut(left, depth + 1), ...cut(right, depth + 1)];
  });
}

function regionOf(rows: readonly Row[]): Region {
  const { left, right } = boxAround(rows.flat());
  return { rows, left, right };
}

/** Parts of lines as rows, from the top. */
export function rowsOf(segments: readonly Segment[]): Row[] {
  const sorted = [...segments].sort((a, b) => a.baseline - b.baseline || a.left - b.left);
  const rows: Segment[][] = [];
  let baseline = -Infinity;
  for (const segment of sorted) {
    if (segment.baseline - baseline > Math.max(1, segment.size * 0.25)) {
      rows.push([]);
      baseline = segment.baseline;
    }
    rows.at(-1)?.push(segment);
  }
  return rows.map((row) => row.sort((a, b) => a.left - b.left));
}

/**
 * The x of the space between two columns. Many lines begin right of it, few go across, and the file
 * writes one side before the other: a table is written row by row.
 */
function findGutter(segments: readonly Segment[], rows: readonly Row[]): number | undefined {
  if (segments.length < 8) return undefined;
  const { left, right } = boxAround(segments);
  let best: { x: number; score: number } | undefined;
  for (const x of candidates(segments)) {
    if (x - left < (right - left) * 0.15 || right - x < (right - left) * 0.15) continue;
    const score = scoreOf(rows, x);
    if (score > (best?.score ?? 0)) best = { x, score };
  }
  return best?.x;
}

/** Just left of where several parts of lines begin. */
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

/** Rows of the bands that the gutter cuts, where it is one; else 0. */
function scoreOf(rows: readonly Row[], x: number): number {
  let score = 0;
  for (const band of bandsAt(rows, x)) if (band.isCut) score += band.rows.length;
  return score >= rows.length * 0.25 ? score : 0;
}

interface Band {
  readonly rows: readonly Row[];
  readonly isCut: boolean;
}

/** Rows in bands: those that the gutter cuts, and those with a line across it. */
function bandsAt(rows: readonly Row[], x: number): Band[] {
  const bands: { rows: Row[]; isOpen: boolean }[] = [];
  for (const row of rows) {
    const isOpen = row.every(({ left, right }) => right <= x || left >= x - 1);
    const last = bands.at(-1);
    if (last?.isOpen === isOpen) last.rows.push(row);
    else bands.push({ rows: [row], isOpen });
  }
  const merged: Band[] = [];
  for (const band of bands) {
    const isCut = band.isOpen && areColumns(band.rows, x);
    const last = merged.at(-1);
    if (last !== undefined && !last.isCut && !isCut) {
      merged[merged.length - 1] = { rows: [...last.rows, ...band.rows], isCut: false };
    } else merged.push({ rows: band.rows, isCut });
  }
  return merged;
}

function areColumns(rows: readonly Row[], x: number): boolean {
  const all = rows.flat();
  const left = all.filter((segment) => middleOf(segment) < x);
  const right = all.filter((segment) => middleOf(segment) >= x);
  const least = Math.min(countRows(left), countRows(right));
  if (least < 3) return false;
  const gap = Math.min(...right.map((one) => one.left)) - Math.max(...left.map((one) => one.right));
  if (gap < Math.min(...all.map(({ size }) => size)) * 0.6) return false;
  return changesOfSide(all, x) <= Math.max(1, least * 0.25);
}

/** How often the file goes from the left side to the right one. */
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
