/** Reads the outline (bookmarks) of a file, and finds the lines of a page that are its titles. */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import type { OutlineTitle, Segment } from './geometry.ts';
import { wordsInOrder } from './line-text.ts';
import type { OpenPdf } from './open-pdf.ts';

const limits = {
  titles: 5000,
  depth: 8,
  length: 300,
  titlesOfPage: 60, // titles of one page that are searched: a page with more is an index
  lines: 4, // of one title
};

/** Titles by the `refKey` or `indexKey` of their page. */
export type Outline = ReadonlyMap<string, readonly OutlineTitle[]>;

/** Empty without an outline, or with an unreadable one (ISO 32000-1, 12.3.3). */
export async function readOutline({ file }: OpenPdf): Promise<Outline> {
  const titles = new Map<string, OutlineTitle[]>();
  try {
    const given: unknown = await file.getOutline();
    for (const { title, depth, dest } of nodesOf(given)) {
      const key = await pageKey(file, dest);
      if (key === undefined) continue;
      const list = getOrInsert(titles, key, () => []);
      if (list.length < limits.titlesOfPage) list.push({ title, depth });
    }
  } catch {
    // The text is sufficient without it.
  }
  return titles;
}

interface OutlineNode extends OutlineTitle {
  readonly dest: unknown;
}

/** The nodes in order. */
function nodesOf(given: unknown): OutlineNode[] {
  const nodes: OutlineNode[] = [];
  const add = (items: unknown, depth: number): void => {
    if (!Array.isArray(items) || depth > limits.depth) return;
    for (const item of items as Record<string, unknown>[]) {
      if (nodes.length >= limits.titles) return;
      const { title, dest, items: inner } = item;
      if (typeof title === 'string')
        nodes.push({ title: title.slice(0, limits.length), depth, dest });
      add(inner, depth + 1);
    }
  };
  add(given, 1);
  return nodes;
}

async function pageKey(file: OpenPdf['file'], dest: unknown): Promise<string | undefined> {
  const target: unknown = typeof dest === 'string' ? await file.getDestination(dest) : dest;
  const page: unknown = Array.isArray(target) ? target[0] : undefined;
  if (typeof page === 'number') return indexKey(page);
  return typeof page === 'object' && page !== null ? refKey(page) : undefined;
}

/** The key of a page by its reference, which pdf.js gives as an object. */
export function refKey(ref: object): string {
  const { num, gen } = ref as { num?: unknown; gen?: unknown };
  return `${String(num)} ${String(gen)} R`;
}

/** The key of a page by its index, from 0. */
export function indexKey(index: number): string {
  return `page ${index}`;
}

/** The lines of each title found on a page: the first line, and its continuation lines. */
export function titleLines(
  lines: readonly Segment[],
  titles: readonly OutlineTitle[],
): ReadonlyMap<Segment, OutlineTitle> {
  const found = new Map<Segment, OutlineTitle>();
  if (titles.length === 0) return found;
  const wanted = new Map<string, OutlineTitle[]>();
  for (const title of titles) {
    const keys = titleKeys(title.title);
    const list = keys.map((key) => wanted.get(key)).find((one) => one !== undefined) ?? [];
    list.push(title);
    for (const key of keys) if (!wanted.has(key)) wanted.set(key, list);
  }
  const matches = new Map<readonly OutlineTitle[], (readonly Segment[])[]>();
  for (let at = 0; at < lines.length;) {
    const match = titleAt(lines, at, wanted);
    if (match !== undefined) getOrInsert(matches, match.titles, () => []).push(match.lines);
    at += match?.lines.length ?? 1;
  }
  for (const [list, candidates] of matches) {
    // The most prominent of equal lines are the headings.
    const chosen = new Set(
      [...candidates].sort((a, b) => prominence(b[0]) - prominence(a[0])).slice(0, list.length),
    );
    for (const [at, match] of candidates.filter((one) => chosen.has(one)).entries()) {
      const title = list[at];
      if (title !== undefined) for (const line of match) found.set(line, title);
    }
  }
  return found;
}

/** The lines, from `at` on, whose text is a title. */
function titleAt(
  lines: readonly Segment[],
  at: number,
  wanted: ReadonlyMap<string, readonly OutlineTitle[]>,
): { readonly titles: readonly OutlineTitle[]; readonly lines: readonly Segment[] } | undefined {
  let text = '';
  for (let end = at; end < Math.min(lines.length, at + limits.lines); end += 1) {
    const line = lines[end];
    const before = lines[end - 1];
    if (line === undefined || text.length > limits.length) return undefined;
    if (end > at && before !== undefined && !areClose(before, line)) return undefined;
    text += `${wordsInOrder(line.runs)} `;
    // A page number may be above a title that begins with a number.
    if (!/\p{L}/u.test(text)) return undefined;
    const titles = titleKeys(text)
      .map((key) => wanted.get(key))
      .find((list) => list !== undefined);
    if (titles !== undefined) return { titles, lines: lines.slice(at, end + 1) };
  }
  return undefined;
}

/** True for lines of one heading: a chapter's number is above its title. */
function areClose(a: Segment, b: Segment): boolean {
  const gap = b.baseline - a.baseline;
  return gap > 0 && gap < Math.max(a.size, b.size) * 3;
}

function prominence(line: Segment | undefined): number {
  if (line === undefined) return 0;
  return line.size + (line.runs.every(({ font }) => font.isBold) ? 0.5 : 0);
}

/** Its letters, with and without the section number, which an outline may leave out: `2.1`, `Chapter 2`. */
function titleKeys(text: string): string[] {
  const plain = text.normalize('NFKC').trim();
  return [plain, plain.replace(sectionNumber, '')].map(lettersOf).filter((key) => key !== '');
}

const sectionNumber =
  /^(?:\p{Lu}\p{L}{2,11}\s)?(?:\d{1,3}|[A-Z]|[IVXLC]{1,6})(?:\.\d{1,3}){0,6}[.:)]?\s+(?=\S)/u;

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
