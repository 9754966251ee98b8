/** Locates each leaf at one of its spans: the leaves of a row stand close together, rows in order. */
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

/** A leaf with its span, or with its status where it has none. */
export interface LocatedLeaf {
  readonly leaf: Leaf;
  readonly place: TextSpan | undefined;
  readonly otherwise: MatchResult['otherwise'];
}

/** Chooses a span for each leaf, one after the other in the order of the data. */
export async function locateLeaves(
  root: LeafGroup,
  page: PageIndex,
  pause: () => Promise<void>,
): Promise<LocatedLeaf[]> {
  const placed: LocatedLeaf[] = [];
  await placeGroup(root, undefined);
  return placed;

  /** Returns the position where the next row of the same list may begin. */
  async function placeGroup(group: LeafGroup, from: number | undefined): Promise<number> {
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
      const place = candidates === undefined ? undefined : choose(leaf, candidates);
      if (anchor !== undefined && place !== undefined && isBeside(place, anchor, page)) {
        end = Math.max(end, place.end);
      }
      // The leaf has a span, but the budget did not suffice to find it again.
      const isLost = candidates !== undefined && place === undefined;
      placed.push({ leaf, place, otherwise: isLost ? 'unverified' : otherwise });
    }
    for (const rows of group.lists) {
      let next = anchor?.start ?? from ?? 0;
      for (const row of rows) next = await placeGroup(row, next);
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
    const place =
      (list === undefined ? besideLabel(leaf, candidates, page) : undefined) ??
      firstSpan(candidates, after, limits.tries) ??
      firstSpan(candidates);
    if (list !== undefined && place !== undefined) ends.set(list, place.end);
    return place;
  };
}

/** A number or a short word may stand anywhere: prefers the span after the property's name, if any. */
function besideLabel(
  leaf: Leaf,
  candidates: SpanCandidates,
  page: PageIndex,
): TextSpan | undefined {
  if (candidates.count < 2 || String(leaf.value).length > 6) return undefined;
  const labels = page.texts.find(foldValue(wordsOf(leaf.name).join(' ')));
  for (const { end } of labels === undefined ? [] : someSpans(labels, 0, limits.anchors)) {
    const place = firstSpan(candidates, end, 1);
    const between = place === undefined ? undefined : page.markdown.slice(end, place.start);
    if (between !== undefined && between.length <= 60 && !/\n\s*\n/.test(between)) return place;
  }
  return undefined;
}

/** The span nearest to the row; not before the row's start, unless there is no other. */
function nearChoice(anchor: TextSpan, from: number, page: PageIndex): Choice {
  const ends = new Map<string, number>();
  const taken = new Set<number>();
  return ({ list }, candidates) => {
    const after = list === undefined ? undefined : ends.get(list);
    let place =
      (after === undefined ? undefined : firstSpan(candidates, after, limits.tries)) ??
      nearest(candidates, anchor, from, page) ??
      firstSpan(candidates);
    // Two cells of a row may say the same.
    if (place !== undefined && taken.has(place.start)) {
      const next = firstSpan(candidates, place.end, 1);
      if (next !== undefined && isBeside(next, place, page)) place = next;
    }
    if (place !== undefined) taken.add(place.start);
    if (list !== undefined && place !== undefined) ends.set(list, place.end);
    return place;
  };
}

/** The span at which the leaf with the fewest candidates stands closest to the other leaves. */
function anchorOf(seen: readonly Seen[], from: number, page: PageIndex): TextSpan | undefined {
  const known = seen.flatMap(({ matchResult: { candidates } }) => candidates ?? []);
  const [rarest, ...others] = [...known].sort((a, b) => a.count - b.count);
  if (rarest === undefined) return undefined;
  const places = [...someSpans(rarest, from, limits.anchors), ...someSpans(rarest, 0, 5)];
  let best: { readonly place: TextSpan; readonly cost: number } | undefined;
  for (const place of places) {
    let cost = place.start < from ? limits.farAway : 0;
    for (const other of others.slice(0, limits.witnesses)) {
      const near = nearest(other, place, from, page);
      cost += near === undefined ? limits.farAway : distance(near, place, page);
    }
    if (best === undefined || cost < best.cost) best = { place, cost };
    if (others.length === 0) break;
  }
  return best?.place ?? firstSpan(rarest);
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

function distance(place: TextSpan, anchor: TextSpan, page: PageIndex): number {
  const between = Math.max(place.start - anchor.end, anchor.start - place.end, 0);
  const isFar = between > limits.farAway || !isBeside(place, anchor, page);
  return Math.min(between + (isFar ? limits.lineCost : 0), limits.farAway);
}

/** True when both are on the same line. */
function isBeside(place: TextSpan, anchor: TextSpan, { markdown }: PageIndex): boolean {
  const [first, second] = place.start < anchor.start ? [place, anchor] : [anchor, place];
  if (second.start - first.end > limits.farAway) return false;
  return !markdown.slice(first.end, second.start).includes('\n');
}
