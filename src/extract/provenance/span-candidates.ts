/** Spans of a page's markdown where a value may be. */

/** A range of the markdown; the end is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
  /** False if the span only has a part of the value, or is ambiguous. */
  readonly isCertain?: boolean;
}

/** Candidates in document order. Candidates for texts are read only on demand. */
export interface SpanCandidates {
  /** Becomes 0 when the budget is used up. */
  readonly count: number;
  /** The approximate position of the candidate; rises with the index. */
  startOf(index: number): number;
  /** The span, or undefined if the value is not there after all. */
  read(index: number): TextSpan | undefined;
}

/** The remaining work for one page. Leaves beyond the budget are `unverified`. */
export interface SearchBudget {
  steps: number;
}

/** Candidates for spans that are already known. */
export function knownSpans(spans: readonly TextSpan[]): SpanCandidates {
  return {
    count: spans.length,
    startOf: (index) => spans[index]?.start ?? 0,
    read: (index) => spans[index],
  };
}

/** The first span at `from` or after it; at most `tries` candidates are read. */
export function firstSpan(
  candidates: SpanCandidates,
  from: number = 0,
  tries: number = Infinity,
): TextSpan | undefined {
  const begin = indexFrom(candidates, from);
  for (let index = begin; index < Math.min(candidates.count, begin + tries); index += 1) {
    const span = candidates.read(index);
    if (span !== undefined) return span;
  }
  return undefined;
}

/** The last span before `before`, not before `from`. */
export function lastSpan(
  candidates: SpanCandidates,
  before: number,
  from: number,
  tries: number,
): TextSpan | undefined {
  const begin = indexFrom(candidates, before) - 1;
  for (let index = begin; index >= 0 && index > begin - tries; index -= 1) {
    if (candidates.startOf(index) < from) return undefined;
    const span = candidates.read(index);
    if (span !== undefined) return span;
  }
  return undefined;
}

/** Up to `count` spans from `from` on. */
export function someSpans(candidates: SpanCandidates, from: number, count: number): TextSpan[] {
  const spans: TextSpan[] = [];
  const begin = indexFrom(candidates, from);
  for (let index = begin; index < Math.min(candidates.count, begin + count); index += 1) {
    const span = candidates.read(index);
    if (span !== undefined) spans.push(span);
  }
  return spans;
}

/** The first index whose candidate is not before `position`. */
function indexFrom(candidates: SpanCandidates, position: number): number {
  let low = 0;
  let high = candidates.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (candidates.startOf(middle) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
