/** From runs to parts of lines: what stands on one baseline without a wide gap. */
import type { Segment, TextRun } from './geometry.ts';

/** In heights of the font: wider gaps are between columns or cells. */
const wideGap = 0.7;

/** The parts of lines, from the top; raised and lowered text is on the line that it belongs to. */
export function segmentsOf(runs: readonly TextRun[]): Segment[] {
  const rows = rowsOf(runs);
  const pieces = rows.flatMap(splitRow);
  return attachRaised(pieces).sort((a, b) => a.baseline - b.baseline || a.left - b.left);
}

/** Runs in rows by their baselines. */
function rowsOf(runs: readonly TextRun[]): TextRun[][] {
  const sorted = [...runs].sort((a, b) => a.baseline - b.baseline);
  const rows: TextRun[][] = [];
  let row: TextRun[] = [];
  let baseline = -Infinity;
  for (const run of sorted) {
    if (run.baseline - baseline > Math.max(1, run.size * 0.2)) {
      row = [];
      rows.push(row);
      baseline = run.baseline;
    }
    row.push(run);
  }
  return rows;
}

function splitRow(row: readonly TextRun[]): Segment[] {
  const sorted = [...row].sort((a, b) => a.left - b.left);
  const segments: Segment[] = [];
  let current: TextRun[] = [];
  let right = -Infinity;
  for (const run of sorted) {
    if (current.length > 0 && run.left - right > wideGap * run.size) {
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

/** A part of a line made of runs on one baseline, or raised from it. */
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

function weightOf({ text, raised, size }: TextRun): number {
  return raised === undefined ? text.length * size : 0;
}

/** Small text right beside a line, a little above or below it, becomes part of that line. */
function attachRaised(segments: readonly Segment[]): Segment[] {
  const byBaseline = [...segments].sort((a, b) => a.baseline - b.baseline);
  const added = new Map<Segment, TextRun[]>();
  const gone = new Set<Segment>();
  for (const [index, small] of byBaseline.entries()) {
    if (small.right - small.left > small.size * 8) continue;
    const host = hostOf(small, byBaseline, index);
    if (host === undefined || gone.has(host)) continue;
    const raised: 'sup' | 'sub' = small.baseline < host.baseline ? 'sup' : 'sub';
    gone.add(small);
    const list = added.get(host) ?? [];
    added.set(host, list);
    list.push(...small.runs.map((run) => ({ ...run, raised })));
  }
  return byBaseline
    .filter((segment) => !gone.has(segment))
    .map((segment) => {
      const more = added.get(segment);
      return more === undefined ? segment : segmentOf([...segment.runs, ...more]);
    });
}

/** The line that small text belongs to; lines far away are not looked at. */
function hostOf(small: Segment, sorted: readonly Segment[], index: number): Segment | undefined {
  const end = Math.min(sorted.length, index + nearby);
  for (let at = Math.max(0, index - nearby); at < end; at += 1) {
    const large = sorted[at];
    if (large !== undefined && isBeside(small, large)) return large;
  }
  return undefined;
}

/** Parts of lines before and after one, by their baselines. */
const nearby = 60;

function isBeside(small: Segment, large: Segment): boolean {
  const shift = Math.abs(small.baseline - large.baseline);
  return (
    small.size < large.size * 0.9 &&
    shift > large.size * 0.02 &&
    shift < large.size * 0.75 &&
    small.left > large.left - large.size * 0.5 - (small.right - small.left) &&
    small.left < large.right + large.size * 0.35
  );
}

/** In heights of the font: words that are closer are not apart, and those whose places are not known. */
const leastGap = 0.12;
const unknownGap = 0.45;

/** The parts of a part of a line that are more than a space apart; itself where no gap is that wide. */
export function splitAtGaps(segment: Segment): readonly Segment[] {
  if (segment.runs.length === 1 && !segment.runs.some(hasGap)) return [segment];
  const pieces = [...segment.runs].sort((a, b) => a.left - b.left).flatMap(splitRun);
  const parts: TextRun[][] = [];
  let right = -Infinity;
  for (const piece of pieces) {
    const gap = piece.left - right;
    const isApart = piece.words?.[0]?.isApart ?? gap > piece.size * unknownGap;
    const last = parts.at(-1);
    if (last === undefined) parts.push([piece]);
    else if (isApart && gap > piece.size * leastGap && piece.raised === undefined) {
      parts.push([piece]);
    } else last.push(piece);
    right = Math.max(right, piece.right);
  }
  return parts.length < 2 ? [segment] : parts.map(segmentOf);
}

/** Code keeps the gaps that it has. */
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

/** The parts of a run whose words are known, cut before these of them. */
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
