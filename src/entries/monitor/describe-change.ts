/** Describes changes of a page in words, the same for the same change: no model is used. */
import type { ChangeTracking } from '../../content/formats/change-tracking/tracking-options.ts';
import { markdownWords } from '../../content/text/markdown-inline.ts';
import { oneLine } from '../../content/text/plain-text.ts';

const limits = {
  longest: 400, // characters of a description
  named: 4, // changes listed one by one; others are counted
  changed: 90, // words of the changed part
  around: 50, // unchanged words around it
};

/** The part of change tracking that is described. */
type TrackedChange = Pick<ChangeTracking<'git-diff' | 'json'>, 'diff' | 'json'>;

/** `price: 64 → 52`, or of the text: `Price: € 64.00 → € 52.00; 2 paragraphs added under “Shipping”`. */
export function describeChange({ diff, json = {} }: TrackedChange, markdown: string): string {
  const values = Object.entries(json).map(
    ([path, { previous, current }]) =>
      `${path}: ${displayValue(previous)} → ${displayValue(current)}`,
  );
  const named = values.length > 0 ? values : describeText(diff, markdown);
  const rest = named.length - limits.named;
  const more = rest > 0 ? [`${rest} more ${rest === 1 ? 'change' : 'changes'}`] : [];
  return cut(
    [...named.slice(0, limits.named), ...more].join('; ') || 'The text changed.',
    limits.longest,
  );
}

/** A text of at most `length` characters. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;
}

function displayValue(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return cut(oneLine(typeof value === 'string' ? value : JSON.stringify(value)), 80);
}

/** Lines that were removed and added at one position. */
interface ReplacedLines {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** The heading above. */
  readonly heading: string;
}

/** A replaced line is described by its words, longer passages by the number of blocks under each heading. */
function describeText(diff: TrackedChange['diff'], markdown: string): string[] {
  const sentences: string[] = [];
  const counts = new Map<string, BlockCounts>();
  for (const { removed, added, heading } of replacementsIn(diff, markdown)) {
    const [before, after] = [removed[0] ?? '', added[0] ?? ''];
    const isOne = removed.length === 1 && added.length === 1;
    const sentence = isOne ? describeWords(plainLine(before), plainLine(after)) : undefined;
    if (sentence !== undefined) sentences.push(sentence);
    else {
      const count = counts.get(heading) ?? { added: new Map(), removed: new Map() };
      for (const line of removed) countBlock(count.removed, line);
      for (const line of added) countBlock(count.added, line);
      counts.set(heading, count);
    }
  }
  const counted = Array.from(counts, ([heading, count]) => describeCounts(heading, count));
  return [...sentences, ...counted];
}

function* replacementsIn(diff: TrackedChange['diff'], markdown: string): Generator<ReplacedLines> {
  const headings = headingsOf(markdown);
  for (const { content, changes } of diff?.json.files[0]?.chunks ?? []) {
    let line = Number(/\+(\d+)/.exec(content)?.[1] ?? 1);
    let removed: string[] = [];
    let added: string[] = [];
    const replacement = (): ReplacedLines => ({ removed, added, heading: headings(line) });
    for (const change of changes) {
      if (change.type === 'normal') {
        // A blank line between two changed paragraphs does not separate them.
        if (change.content.trim() === '') continue;
        if (removed.length + added.length > 0) yield replacement();
        [removed, added] = [[], []];
        line = change.ln2;
        continue;
      }
      if (change.type === 'add') line = change.ln;
      const lines = change.content.split('\n').map((one) => one.slice(1));
      (change.type === 'add' ? added : removed).push(...lines.filter((one) => one.trim() !== ''));
    }
    if (removed.length + added.length > 0) yield replacement();
  }
}

/** Finds the heading above a line, counted from 1; the first heading is the page's title, not a section. */
function headingsOf(markdown: string): (line: number) => string {
  const headings: (readonly [line: number, text: string])[] = [];
  markdown.split('\n').forEach((text, index) => {
    if (/^#{1,6} /.test(text)) headings.push([index + 1, plainLine(text)]);
  });
  return (line) => headings.slice(1).findLast(([at]) => at <= line)?.[1] ?? '';
}

function plainLine(line: string): string {
  return oneLine(markdownWords(line.replace(/^\s*(?:#{1,6} |[-*+] |\d{1,9}[.)] |> )/, '')));
}

/** `Price: 64 → 52`; undefined if the lines have little in common, or too much of them differs. */
function describeWords(before: string, after: string): string | undefined {
  const [old, now] = [before.split(' '), after.split(' ')];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const from = old.slice(start, old.length - end).join(' ');
  const to = now.slice(start, now.length - end).join(' ');
  if (from.length > limits.changed || to.length > limits.changed || from === to) return undefined;
  const [lead, tail] = [now.slice(0, start).join(' '), now.slice(now.length - end).join(' ')];
  const label = lead.length <= limits.around ? lead : `…${lead.slice(-limits.around)}`;
  const rest =
    end === 0
      ? ''
      : tail.length <= limits.around
        ? ` ${tail}`
        : ` ${tail.slice(0, limits.around)}…`;
  const change = from === '' ? `+ “${to}”` : to === '' ? `− “${from}”` : `${from} → ${to}`;
  return `${label === '' ? '' : `${label} `}${change}${rest}`;
}

/** Blocks by their kind. */
interface BlockCounts {
  readonly added: Map<string, number>;
  readonly removed: Map<string, number>;
}

function countBlock(counts: Map<string, number>, line: string): void {
  const kind = blockKind(line);
  if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

/** Undefined for the line below a table's head. */
function blockKind(line: string): string | undefined {
  if (/^\s*\|[\s|:-]+$/.test(line)) return undefined;
  if (/^\s*\|/.test(line)) return 'row';
  if (/^\s*(?:[-*+]|\d{1,9}[.)]) /.test(line)) return 'list item';
  return /^#{1,6} /.test(line) ? 'heading' : 'paragraph';
}

/** `2 paragraphs added, 1 removed under “Shipping”`. */
function describeCounts(heading: string, { added, removed }: BlockCounts): string {
  const parts: string[] = [];
  for (const kind of new Set([...added.keys(), ...removed.keys()])) {
    const [plus = 0, minus = 0] = [added.get(kind), removed.get(kind)];
    const named = (count: number): string => `${count} ${kind}${count === 1 ? '' : 's'}`;
    if (plus > 0) parts.push(`${named(plus)} added`);
    if (minus > 0) parts.push(`${plus > 0 ? minus : named(minus)} removed`);
  }
  return `${parts.join(', ')}${heading === '' ? '' : ` under “${cut(heading, 60)}”`}`;
}
