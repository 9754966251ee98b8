/** Locates each leaf at one of its spans: the leaves of a row are close together, rows in order. */
import { wordsOf } from '../facts/property-names.ts';
import {
  type SpanCandidates,
  firstSpan,
  lastSpan,
  type TextSpan,
  someSpans,
} from './span-candidates.ts';
import { matchLeaf } from './match-leaf.ts';
import { foldValue } from './folded-text.ts';
import type { Leaf, LeafGroup, MatchResult } from './leaves.ts';
import type { PageIndex } from './page-index.ts';

const limits = {
  tries: 50, // candidates tried on each side of a position
  anchors: 20, // positions where a row may begin
  witnesses: 10, // leaves whose distance to each anchor is measured
  farAway: 3000, // spans farther away do not count as near
  lineCost: 500, // cost of a line break, in characters
};

/** A leaf with its span, or with its status without one. */
export interface LocatedLeaf {
  readonly leaf: Leaf;
  readonly span: TextSpan | undefined;
  readonly otherwise: MatchResult['otherwise'];
}

/** Chooses a span for each leaf, one after the other in the order of the data. */
export async function locateLeaves(
  root: LeafGroup,
  page: PageIndex,
  pause: () => Promise<void>,
): Promise<LocatedLeaf[]> {
  const located: LocatedLeaf[] = [];
  await locateGroup(root, undefined);
  return located;

  /** Returns the position where the next row of the same list may begin. */
  async function locateGroup(group: LeafGroup, from: number | undefined): Promise<number> {
    const seen: Seen[] = [];
    for (const leaf of group.leaves) {
      await pause();
      seen.push({ leaf, matchResult: matchLeaf(leaf, page) });
    }
    const anchor = from === undefined ? undefined : anchorOf(seen, from, page);
    const choose =
      anchor === undefined ? firstChoice(from ?? 0, page) : nearChoice(anchor, from ?? 0, page);
    let end = anchor?.end ?? from ?? 0;
    for (const { leaf, matchResult } of seen) {
      const { candidates, otherwise } = matchResult;
      const span = candidates === undefined ? undefined : choose(leaf, candidates);
      if (anchor !== undefined && span !== undefined && isBeside(span, anchor, page)) {
        end = Math.max(end, span.end);
      }
      // The leaf has a span, but the budget did not suffice to find it again.
      const isLost = candidates !== undefined && span === undefined;
      located.push({ leaf, span, otherwise: isLost ? 'unverified' : otherwise });
    }
    for (const rows of group.lists) {
      let next = anchor?.start ?? from ?? 0;
      for (const row of rows) next = await locateGroup(row, next);
      if (from !== undefined) end = Math.max(end, next);
    }
    return end;
  }
}

interface Seen {
  readonly leaf: Leaf;
  readonly matchResult: MatchResult;
}

type Choice = (leaf: Leaf, candidates: SpanCandidates) => TextSpan | undefined;

/** The first span; entries of a list follow each other as far as they are in order. */
function firstChoice(from: number, page: PageIndex): Choice {
  const ends = new Map<string, number>();
  return (leaf, candidates) => {
    const { list } = leaf;
    const after = (list === undefined ? undefined : ends.get(list)) ?? from;
    const span =
      (list === undefined ? besideLabel(leaf, candidates, page) : undefined) ??
      firstSpan(candidates, after, limits.tries) ??
      firstSpan(candidates);
    if (list !== undefined && span !== undefined) ends.set(list, span.end);
    return span;
  };
}

/** A number or a short word may be anywhere: prefers the span after the property's name, if any. */
function besideLabel(
  leaf: Leaf,
  candidates: SpanCandidates,
  page: PageIndex,
): TextSpan | undefined {
  if (candidates.count < 2 || String(leaf.value).length > 6) return undefined;
  const labels = page.texts.find(foldValue(wordsOf(leaf.name).join(' ')));
  for (const { end } of labels === undefined ? [] : someSpans(labels, 0, limits.anchors)) {
    const span = firstSpan(candidates, end, 1);
    const between = span === undefined ? undefined : page.markdown.slice(end, span.start);
    if (between !== undefined && between.length <= 60 && !/\n\s*\n/.test(between)) return span;
  }
  return undefined;
}

/** The span nearest to the row; not before the row's start, unless there is no other. */
function nearChoice(anchor: TextSpan, from: number, page: PageIndex): Choice {
  const ends = new Map<string, number>();
  const taken = new Set<number>();
  return ({ list }, candidates) => {
    const after = list === undefined ? undefined : ends.get(list);
    let span =
      (after === undefined ? undefined : firstSpan(candidates, after, limits.tries)) ??
      nearest(candidates, anchor, from, page) ??
      firstSpan(candidates);
    // Two cells of a row may have the same text.
    if (span !== undefined && taken.has(span.start)) {
      const next = firstSpan(candidates, span.end, 1);
      if (next !== undefined && isBeside(next, span, page)) span = next;
    }
    if (span !== undefined) taken.add(span.start);
    if (list !== undefined && span !== undefined) ends.set(list, span.end);
    return span;
  };
}

/** The span at which the leaf with the fewest candidates is closest to the other leaves. */
function anchorOf(seen: readonly Seen[], from: number, page: PageIndex): TextSpan | undefined {
  const known = seen.flatMap(({ matchResult: { candidates } }) => candidates ?? []);
  const [rarest, ...others] = [...known].sort((a, b) => a.count - b.count);
  if (rarest === undefined) return undefined;
  const spans = [...someSpans(rarest, from, limits.anchors), ...someSpans(rarest, 0, 5)];
  let best: { readonly span: TextSpan; readonly cost: number } | undefined;
  for (const span of spans) {
    let cost = span.start < from ? limits.farAway : 0;
    for (const other of others.slice(0, limits.witnesses)) {
      const near = nearest(other, span, from, page);
      cost += near === undefined ? limits.farAway : distance(near, span, page);
    }
    if (best === undefined || cost < best.cost) best = { span, cost };
    if (others.length === 0) break;
  }
  return best?.span ?? firstSpan(rarest);
}

function nearest(
  candidates: SpanCandidates,
  anchor: TextSpan,
  from: number,
  page: PageIndex,
): TextSpan | undefined {
  const after = firstSpan(candidates, anchor.start, limits.tries);
  const before = lastSpan(candidates, anchor.start, Math.min(from, anchor.start), limits.tries);
  if (after === undefined || before === undefined) return after ?? before;
  return distance(before, anchor, page) < distance(after, anchor, page) ? before : after;
}

function distance(span: TextSpan, anchor: TextSpan, page: PageIndex): number {
  const between = Math.max(span.start - anchor.end, anchor.start - span.end, 0);
  const isFar = between > limits.farAway || !isBeside(span, anchor, page);
  return Math.min(between + (isFar ? limits.lineCost : 0), limits.farAway);
}

/** True when both are on the same line. */
function isBeside(span: TextSpan, anchor: TextSpan, { markdown }: PageIndex): boolean {
  const [first, second] = span.start < anchor.start ? [span, anchor] : [anchor, span];
  if (second.start - first.end > limits.farAway) return false;
  return !markdown.slice(first.end, second.start).includes('\n');
}
