/** A unified diff of two markdown texts, as text and as JSON, in bounded time. */
import { loadModule } from '../../../core/runtime/load-module.ts';
import { pauses } from '../../../core/runtime/yield-to-event-loop.ts';

const limits = {
  context: 3,
  changes: 20_000, // changed lines above which `json` has one change per position
  splitAtOnce: 256 * 1024, // characters split into lines before other work runs
  joinedAtOnce: 10_000, // lines joined before other work runs
  lines: 200_000, // old and new; beyond it the difference is one block: comparing takes seconds
  steps: 10_000_000,
};

/** A unified diff, as a patch for git and patch(1) and as objects. */
export interface MarkdownDiff {
  /** From `previous.md` to `current.md`, three lines of context. Both end in a line break. */
  readonly text: string;
  readonly json: { readonly files: readonly DiffFile[] };
}

/** One file of a diff: there is only one. */
export interface DiffFile {
  readonly from: string;
  readonly to: string;
  readonly chunks: readonly DiffChunk[];
}

/** One hunk of a file. */
export interface DiffChunk {
  /** `@@ -1,4 +1,5 @@`: first line and number of lines, before and after. */
  readonly content: string;
  readonly changes: readonly DiffChange[];
}

/**
 * A line with its sign, and its number: in the old text where it is removed, in the new one where it is
 * added, in both where it stays. In a diff of more than 20,000 changed lines all lines removed, or added,
 * at one place are one change: `content` has the lines, each with its sign.
 */
export type DiffChange =
  | { readonly type: 'add'; readonly add: true; readonly ln: number; readonly content: string }
  | { readonly type: 'del'; readonly del: true; readonly ln: number; readonly content: string }
  | {
      readonly type: 'normal';
      readonly normal: true;
      readonly ln1: number;
      readonly ln2: number;
      readonly content: string;
    };

/**
 * Compares two markdown texts line by line. Texts that differ much are compared in larger pieces, with a
 * `warning`: the diff is correct all the same. Takes at most some seconds for texts of 5 MB, and does
 * not block the process.
 */
export async function diffMarkdown(
  previous: string,
  current: string,
): Promise<{ readonly diff: MarkdownDiff; readonly warning?: string }> {
  const sides = { old: await linesOf(previous), now: await linesOf(current) };
  const { list, isFine } = await findDifferences(sides.old, sides.now);
  const changed = list.reduce((sum, at) => sum + at.to - at.from + at.newTo - at.newFrom, 0);
  const chunks: DiffChunk[] = [];
  const pieces: string[] = ['--- previous.md', '+++ current.md'];
  for (const group of grouped(list)) {
    const { changes, text, content } = await chunkOf(group, sides, changed > limits.changes);
    chunks.push({ content, changes });
    pieces.push(content, ...text);
  }
  const diff = {
    text: list.length === 0 ? '' : `${pieces.join('\n')}\n`,
    json: {
      files: list.length === 0 ? [] : [{ from: 'previous.md', to: 'current.md', chunks }],
    },
  };
  const warning =
    'changeTracking: so much of the page differs that the diff shows whole passages as replaced.';
  return isFine ? { diff } : { diff, warning };
}

async function linesOf(text: string): Promise<string[]> {
  const lines: string[] = [];
  if (text === '') return lines;
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const pause = pauses();
  for (let at = 0; at >= 0;) {
    const end = body.indexOf('\n', at + limits.splitAtOnce);
    const part = body.slice(at, end < 0 ? undefined : end);
    for (const line of part.split('\n')) lines.push(line);
    at = end < 0 ? -1 : end + 1;
    await pause();
  }
  return lines;
}

/** Groups differences whose context lines meet into one hunk. */
function grouped(list: readonly LineDifference[]): LineDifference[][] {
  const groups: LineDifference[][] = [];
  let end = -Infinity;
  for (const difference of list) {
    if (difference.from - end <= 2 * limits.context) groups.at(-1)?.push(difference);
    else groups.push([difference]);
    end = difference.to;
  }
  return groups;
}

async function chunkOf(
  group: readonly LineDifference[],
  { old, now }: { readonly old: readonly string[]; readonly now: readonly string[] },
  inBlocks: boolean,
): Promise<DiffChunk & { readonly text: readonly string[] }> {
  const changes: DiffChange[] = [];
  const text: string[] = [];
  const pause = pauses();
  const first = group[0] ?? { from: 0, newFrom: 0 };
  const lead = Math.min(limits.context, first.from, first.newFrom);
  const begin = { old: first.from - lead, now: first.newFrom - lead };
  let [at, newAt] = [begin.old, begin.now];
  const keep = (until: number): void => {
    for (; at < until; at += 1, newAt += 1) {
      const content = ` ${old[at] ?? ''}`;
      text.push(content);
      changes.push({ type: 'normal', normal: true, ln1: at + 1, ln2: newAt + 1, content });
    }
  };
  const take = async (
    sign: '-' | '+',
    lines: readonly string[],
    add: (content: string, index: number) => void,
  ): Promise<void> => {
    const parts: string[] = [];
    for (let index = 0; index < lines.length; index += limits.joinedAtOnce) {
      const signed = lines.slice(index, index + limits.joinedAtOnce).map((line) => sign + line);
      if (!inBlocks) signed.forEach((line, offset) => add(line, index + offset));
      parts.push(signed.join('\n'));
      await pause();
    }
    if (parts.length === 0) return;
    const joined = parts.join('\n');
    text.push(joined);
    if (inBlocks) add(joined, 0);
  };
  for (const { from, to, newFrom, newTo } of group) {
    keep(from);
    await take('-', old.slice(from, to), (content, index) =>
      changes.push({ type: 'del', del: true, ln: from + index + 1, content }),
    );
    await take('+', now.slice(newFrom, newTo), (content, index) =>
      changes.push({ type: 'add', add: true, ln: newFrom + index + 1, content }),
    );
    [at, newAt] = [to, newTo];
  }
  keep(Math.min(old.length, at + limits.context));
  const content = `@@ -${range(begin.old, at)} +${range(begin.now, newAt)} @@`;
  return { content, changes, text };
}

/** First line and number of lines. An empty range names the line before it, as in diff(1). */
function range(from: number, to: number): string {
  return `${from === to ? from : from + 1},${to - from}`;
}

// The differences between two lists of lines, in bounded time and deterministic.

/** A difference: lines `from` to `to` became lines `newFrom` to `newTo`; ends exclusive. */
export interface LineDifference {
  readonly from: number;
  readonly to: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** All differences in order; the lines between them are common. */
export interface LineDifferences {
  readonly list: readonly LineDifference[];
  /** False when a part was taken as a whole because a finer comparison would take too long. */
  readonly isFine: boolean;
}

/** Edits searched for at most: the work grows with their square, and with the number of lines. */
const mostEdits = { whole: 300, part: 100 };

/**
 * The shortest edit script, where it is short. Else lines that occur once on both sides serve as anchors,
 * and the lines between two anchors are compared, or taken as a whole.
 */
async function findDifferences(
  previous: readonly string[],
  current: readonly string[],
): Promise<LineDifferences> {
  const { diffArrays } = await loadModule(() => import('diff'));
  const pause = pauses();
  const whole = trimmed(previous, current, {
    from: 0,
    to: previous.length,
    newFrom: 0,
    newTo: current.length,
  });
  if (isEmpty(whole)) return { list: [], isFine: true };
  if (isOneSided(whole)) return { list: [whole], isFine: true };
  if (sizeOf(whole) > limits.lines) return { list: [whole], isFine: false };

  // Comparing numbers takes constant time, comparing lines of megabytes does not.
  const numbers = new Map<string, number>();
  const numbersOf = async (lines: readonly string[]): Promise<number[]> => {
    const found: number[] = [];
    for (const line of lines) {
      const number = numbers.get(line) ?? numbers.size;
      numbers.set(line, number);
      if (found.push(number) % 1024 === 0) await pause();
    }
    return found;
  };
  const before = await numbersOf(previous.slice(whole.from, whole.to));
  const after = await numbersOf(current.slice(whole.newFrom, whole.newTo));

  /** Undefined when the part needs more edits. */
  const compare = (part: LineDifference, edits: number): LineDifference[] | undefined => {
    const maxEditLength = Math.min(edits, Math.floor(limits.steps / sizeOf(part)));
    const changes = diffArrays(
      before.slice(part.from, part.to),
      after.slice(part.newFrom, part.newTo),
      { maxEditLength },
    );
    return changes && differencesOf(changes, part);
  };
  const placed = (list: readonly LineDifference[]): LineDifference[] =>
    list.map((one) => shifted(one, whole.from, whole.newFrom));

  const all = { from: 0, to: before.length, newFrom: 0, newTo: after.length };
  const shortest = compare(all, mostEdits.whole);
  if (shortest !== undefined) return { list: placed(shortest), isFine: true };
  await pause();
  const list: LineDifference[] = [];
  let isFine = true;
  for (const gap of gapsBetween(await anchors(before, after, pause), all)) {
    const part = trimmed(before, after, gap);
    if (isEmpty(part)) continue;
    const closer = isOneSided(part) ? [part] : compare(part, mostEdits.part);
    if (closer === undefined) isFine = false;
    for (const one of closer ?? [part]) list.push(one);
    await pause();
  }
  return { list: placed(list), isFine };
}

function isEmpty({ from, to, newFrom, newTo }: LineDifference): boolean {
  return from === to && newFrom === newTo;
}

function isOneSided({ from, to, newFrom, newTo }: LineDifference): boolean {
  return from === to || newFrom === newTo;
}

function sizeOf({ from, to, newFrom, newTo }: LineDifference): number {
  return to - from + newTo - newFrom;
}

function shifted(difference: LineDifference, old: number, now: number): LineDifference {
  const { from, to, newFrom, newTo } = difference;
  return { from: from + old, to: to + old, newFrom: newFrom + now, newTo: newTo + now };
}

/** Removes the common lines at both ends. */
function trimmed<T>(
  before: readonly T[],
  after: readonly T[],
  part: LineDifference,
): LineDifference {
  let { from, to, newFrom, newTo } = part;
  while (from < to && newFrom < newTo && before[from] === after[newFrom]) {
    from += 1;
    newFrom += 1;
  }
  while (from < to && newFrom < newTo && before[to - 1] === after[newTo - 1]) {
    to -= 1;
    newTo -= 1;
  }
  return { from, to, newFrom, newTo };
}

/** Joins adjacent removed and added lines into one difference. */
function differencesOf(
  runs: readonly { readonly count: number; readonly added: boolean; readonly removed: boolean }[],
  { from: old, newFrom: now }: LineDifference,
): LineDifference[] {
  const list: LineDifference[] = [];
  let [from, newFrom, to, newTo] = [old, now, old, now];
  const close = (): void => {
    if (from < to || newFrom < newTo) list.push({ from, to, newFrom, newTo });
  };
  for (const { count, added, removed } of runs) {
    if (removed) to += count;
    else if (added) newTo += count;
    else {
      close();
      from = to += count;
      newFrom = newTo += count;
    }
  }
  close();
  return list;
}

/** The two indices of a line that occurs once on both sides. */
type LineAnchor = readonly [old: number, now: number];

/** The longest list of such lines in the same order on both sides: patience diff. */
async function anchors(
  before: readonly number[],
  after: readonly number[],
  pause: () => Promise<void>,
): Promise<LineAnchor[]> {
  const places = uniquePlaces(after);
  await pause();
  const own = uniquePlaces(before);
  await pause();
  const pairs = [...own].flatMap(([number, old]): LineAnchor[] => {
    const now = places.get(number);
    return now === undefined ? [] : [[old, now]];
  });
  /** By length of the sequence: its last pair, the earliest possible, and the pairs before it. */
  const ends: { readonly pair: LineAnchor; readonly before: AnchorLink | undefined }[] = [];
  for (const pair of pairs) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.pair[1] ?? Infinity) < pair[1]) low = middle + 1;
      else high = middle;
    }
    ends[low] = { pair, before: ends[low - 1] };
    if (pair[0] % 1024 === 0) await pause();
  }
  const longest: LineAnchor[] = [];
  for (let link: AnchorLink | undefined = ends.at(-1); link !== undefined; link = link.before) {
    longest.push(link.pair);
  }
  return longest.reverse();
}

interface AnchorLink {
  readonly pair: LineAnchor;
  readonly before: AnchorLink | undefined;
}

/** The indices of numbers that occur once, by number, in order. */
function uniquePlaces(numbers: readonly number[]): Map<number, number> {
  const places = new Map<number, number>();
  const repeated = new Set<number>();
  for (const [place, number] of numbers.entries()) {
    if (places.has(number)) repeated.add(number);
    else places.set(number, place);
  }
  for (const number of repeated) places.delete(number);
  return places;
}

function* gapsBetween(
  fixed: readonly LineAnchor[],
  all: LineDifference,
): Generator<LineDifference> {
  let { from, newFrom } = all;
  for (const [to, newTo] of fixed) {
    yield { from, to, newFrom, newTo };
    from = to + 1;
    newFrom = newTo + 1;
  }
  yield { from, to: all.to, newFrom, newTo: all.newTo };
}
