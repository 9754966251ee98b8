/** Two markdowns to a unified diff, as text and as JSON. */
import { type Difference, findDifferences } from './line-differences.ts';
import { pauses } from './pause.ts';

/** A unified diff: a patch as git and patch(1) read it, and the same in parts. */
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

/** One place of a file. */
export interface DiffChunk {
  /** `@@ -1,4 +1,5 @@`: first line and number of lines, before and after. */
  readonly content: string;
  readonly changes: readonly DiffChange[];
}

/**
 * A line with its sign, and its number: that of the old text where it is removed, of the new one where
 * it is added, of both where it stays. In a diff of more than 20,000 changed lines what is removed, or
 * added, at one place is one change: `content` has its lines, each with its sign.
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

const context = 3;
/** Changed lines above which `json` has one change a place: a million objects are no use to anyone. */
const mostChanges = 20_000;
/** Characters that are split into lines at once, and lines that are joined. */
const splitAtOnce = 256 * 1024;
const joinedAtOnce = 10_000;

/**
 * Compares two markdowns line by line. Two texts of which much differs are compared in larger pieces,
 * which `warning` tells: it is a correct diff all the same. Neither takes more than some seconds for
 * texts of 5 MB, nor holds up the process.
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
    const { changes, text, content } = await chunkOf(group, sides, changed > mostChanges);
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

interface Sides {
  readonly old: readonly string[];
  readonly now: readonly string[];
}

async function linesOf(text: string): Promise<string[]> {
  const lines: string[] = [];
  if (text === '') return lines;
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const pause = pauses();
  for (let at = 0; at >= 0;) {
    const end = body.indexOf('\n', at + splitAtOnce);
    const part = body.slice(at, end < 0 ? undefined : end);
    for (const line of part.split('\n')) lines.push(line);
    at = end < 0 ? -1 : end + 1;
    await pause();
  }
  return lines;
}

/** Places whose context meets are one chunk. */
function grouped(list: readonly Difference[]): Difference[][] {
  const groups: Difference[][] = [];
  let end = -Infinity;
  for (const difference of list) {
    if (difference.from - end <= 2 * context) groups.at(-1)?.push(difference);
    else groups.push([difference]);
    end = difference.to;
  }
  return groups;
}

async function chunkOf(
  group: readonly Difference[],
  { old, now }: Sides,
  inBlocks: boolean,
): Promise<DiffChunk & { readonly text: readonly string[] }> {
  const changes: DiffChange[] = [];
  const text: string[] = [];
  const pause = pauses();
  const first = group[0] ?? { from: 0, newFrom: 0 };
  const lead = Math.min(context, first.from, first.newFrom);
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
    for (let index = 0; index < lines.length; index += joinedAtOnce) {
      const signed = lines.slice(index, index + joinedAtOnce).map((line) => sign + line);
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
  keep(Math.min(old.length, at + context));
  const content = `@@ -${range(begin.old, at)} +${range(begin.now, newAt)} @@`;
  return { content, changes, text };
}

/** First line and number of lines. An empty range begins before its line, as diff(1) has it. */
function range(from: number, to: number): string {
  return `${from === to ? from : from + 1},${to - from}`;
}
