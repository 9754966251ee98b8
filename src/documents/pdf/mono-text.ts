/** Separates wrapped text from preformatted lines, in a file set in one monospaced font. */
import { boxAround, gapsOf, median, type Segment } from './geometry.ts';
import { firstWordWidth, hasWideGap, leadingOf, textFromLeft } from './line-text.ts';

const leastText = 0.3; // share of lines in paragraphs: a listing may have long comments

/** The parts of consecutive lines. `isTitle` recognizes lines styled as headings. */
export function monoParts(
  lines: readonly Segment[],
  isTitle: (line: Segment) => boolean,
): readonly { readonly lines: readonly Segment[]; readonly isText: boolean }[] {
  const page = boxAround(lines);
  const groups = groupsOf(lines).map((group) => ({ group, kind: kindOf(group, page, isTitle) }));
  const count = (kind: GroupKind): number =>
    groups.reduce((sum, one) => sum + (one.kind === kind ? one.group.length : 0), 0);
  const [text, code] = [count('text'), count('code')];
  if (text + code === 0) return [{ lines, isText: true }];
  const isListing = text < (text + code) * leastText;
  const parts: { lines: Segment[]; isText: boolean }[] = [];
  for (const [at, { group, kind }] of groups.entries()) {
    const isBesideCode = groups[at - 1]?.kind === 'code' || groups[at + 1]?.kind === 'code';
    const isCode =
      kind === 'code' || (kind !== 'title' && isListing) || (kind === 'line' && isBesideCode);
    const last = parts.at(-1);
    if (last?.isText === !isCode) last.lines.push(...group);
    else parts.push({ lines: [...group], isText: !isCode });
  }
  return parts;
}

/** Lines without a wide gap between them. */
function groupsOf(lines: readonly Segment[]): Segment[][] {
  const gaps = gapsOf(lines);
  const leading = leadingOf(lines);
  const groups: Segment[][] = [];
  for (const [at, line] of lines.entries()) {
    const gap = gaps[at - 1] ?? Infinity;
    if (gap > leading * 1.5 || gap < 0) groups.push([line]);
    else groups.at(-1)?.push(line);
  }
  return groups;
}

/** `line`: a single line, whose kind depends on its neighbours. */
type GroupKind = 'text' | 'code' | 'line' | 'title';

function kindOf(
  group: readonly Segment[],
  page: { readonly left: number; readonly right: number },
  isTitle: (line: Segment) => boolean,
): GroupKind {
  if (group.every(isTitle)) return 'title';
  if (group.some(({ runs }) => hasWideGap(runs, 1.3))) return 'code';
  if (group.length === 1) return sentence.test(textOf(group[0])) ? 'text' : 'line';
  return isWrapped(group, page) ? 'text' : 'code';
}

const sentence = /^.*(?:\p{L}+\W+){5,}.*[.!?:]$/u;

/** True if the lines are aligned and end because the next word does not fit. */
function isWrapped(
  group: readonly Segment[],
  page: { readonly left: number; readonly right: number },
): boolean {
  const { right: edge } = boxAround(group);
  const start = median(group.map(({ left }) => left));
  if (edge - start < (page.right - page.left) * 0.6) return false;
  const letters = group.map(textOf).join('');
  if ((letters.match(/[\p{L}\s.,']/gu)?.length ?? 0) < letters.length * 0.85) return false;
  return group.every((line, at) => {
    const next = group[at + 1];
    if (at > 0 && Math.abs(line.left - start) > line.size * 0.4) return false;
    return (
      next === undefined || edge - line.right < firstWordWidth(textOf(next), next) + line.size * 0.7
    );
  });
}

function textOf(line: Segment | undefined): string {
  return textFromLeft(line?.runs ?? []);
}
