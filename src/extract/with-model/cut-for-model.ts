/** Cuts a page that is too long for one request: between blocks, and tables between their rows. */
import { setImmediate } from 'node:timers/promises';
import { estimateExactly } from '../../content/text/estimate-tokens.ts';
import { readMarkdownBlocks } from '../../content/text/markdown-blocks.ts';
import { toPieces } from '../../content/text/markdown-pieces.ts';

const limits = {
  atOnce: 2000, // units read before yielding to other work: some 20 ms
  leastHalved: 100, // tokens; halving a smaller part does not shorten the answer
  partedText: 1000, // rank of a cut in a paragraph; smaller between blocks, larger between rows
  moved: 0.25, // share of a full part that may move to the next one for a better cut
};

/** A part of a page's text. */
export interface TextPart {
  readonly text: string;
  /** The headings above its first line, the outermost first. */
  readonly headings: readonly string[];
  /** True when it continues the table at the end of the previous part. */
  readonly isRestOfTable: boolean;
}

/** The smallest piece, which is never split. */
interface Unit {
  readonly text: string;
  readonly tokens: number;
  /** Level of a heading: 1 to 6. */
  readonly level: number;
  /** The rank of a cut before it: the smaller, the better. */
  readonly depth: number;
  /** The table of a row that is not its first. */
  readonly table?: TableRows;
}

/**
 * Parts of at most `room` tokens, by estimate. Together they have all of the text, each once, except
 * that a table's header is repeated in each part with its rows, unless it takes most of a part. Takes linear
 * time and yields to other work.
 */
export async function cutForModel(markdown: string, room: number): Promise<TextPart[]> {
  if (markdown.length < room / 2 || estimateExactly(markdown) <= room) {
    return [{ text: markdown, headings: [], isRestOfTable: false }];
  }
  const parts: TextPart[] = [];
  let held: Unit[] = [];
  let tokens = 0;
  /** The headings above the next part. */
  let headings: { readonly level: number; readonly text: string }[] = [];
  let added = 0;
  for (const unit of unitsOf(markdown, room)) {
    add(unit);
    if (++added % limits.atOnce === 0) await setImmediate();
  }
  return end();

  function add(unit: Unit): void {
    if (held.length > 0 && tokens + unit.tokens > room) close(unit);
    push(unit);
  }

  function end(): TextPart[] {
    emit(held);
    return parts;
  }

  function push(unit: Unit): void {
    if (held.length === 0 && unit.table !== undefined) {
      tokens += estimateExactly(unit.table.head);
    }
    held.push(unit);
    tokens += unit.tokens;
  }

  /** Ends the part at the best cut among its last units; the rest begins the next part. */
  function close(next: Unit): void {
    const units = held;
    let best = units.length;
    let bestRank = rankOf(next);
    let moved = 0;
    for (let at = units.length - 1; at > 0; at -= 1) {
      const unit = units[at];
      if (unit === undefined) break;
      moved += unit.tokens;
      if (moved > room * limits.moved || moved + next.tokens > room * 0.8) break;
      // A heading at the end belongs to what follows.
      const isLoose = units.slice(at, best).every(({ level }) => level > 0);
      if (rankOf(unit) < bestRank || (isLoose && best === units.length)) {
        best = at;
        bestRank = rankOf(unit);
      }
    }
    emit(units.slice(0, best));
    held = [];
    tokens = 0;
    for (const unit of units.slice(best)) push(unit);
  }

  function emit(units: readonly Unit[]): void {
    const [first] = units;
    const table = first?.table;
    const text = units.map((unit) => unit.text).join('');
    if (/\S/.test(text)) {
      parts.push({
        text: `${table?.head ?? ''}${text}`.replace(/^\n+|\s+$/g, ''),
        headings: headings.map((heading) => heading.text),
        isRestOfTable: table !== undefined,
      });
    }
    for (const unit of units) {
      if (unit.level === 0) continue;
      const heading = unit.text.replace(/^[\s#]+|[\s#=-]+$/g, '').slice(0, 200);
      const outer = headings.filter(({ level }) => level < unit.level);
      headings = [...outer, { level: unit.level, text: heading }];
    }
  }
}

/** Splits the part in about two, for an answer that got too long; undefined for a short part. */
export async function halvePart(part: TextPart): Promise<TextPart[] | undefined> {
  const tokens = estimateExactly(part.text);
  if (tokens < limits.leastHalved) return undefined;
  const parts = await cutForModel(part.text, tokens * 0.55);
  if (parts.length < 2) return undefined;
  return parts.map((half, index) => ({
    text: half.text,
    headings: [...part.headings, ...half.headings],
    isRestOfTable: index === 0 ? part.isRestOfTable : half.isRestOfTable,
  }));
}

function* unitsOf(markdown: string, room: number): Generator<Unit, void, undefined> {
  const blocks = readMarkdownBlocks(markdown);
  for (const [index, block] of blocks.entries()) {
    const { kind, level, depth } = block;
    const text = markdown.slice(block.start, blocks[index + 1]?.start);
    const tokens = estimateExactly(text);
    const rows = kind === 'table' && tokens > room / 3 ? tableRows(text) : undefined;
    if (rows !== undefined) {
      // A header of most of a part would be most of all parts.
      const isWide = estimateExactly(rows.head) > room / 2;
      const table = isWide ? { ...rows, head: '' } : rows;
      for (const [at, row] of rows.rows.entries()) {
        const first = at === 0 ? rows.head + row : row;
        for (const [slice, sliced] of slices(first, room).entries()) {
          const isMore = at > 0 || slice > 0;
          const unit = {
            text: sliced,
            tokens: estimateExactly(sliced),
            level: 0,
            depth: at + slice,
          };
          yield isMore ? { ...unit, table } : unit;
        }
      }
      continue;
    }
    if (tokens <= room * 0.8) {
      yield { text, tokens, level, depth };
      continue;
    }
    for (const part of kind === 'text' ? sentenceGroups(text, room) : linesOf(text, room)) {
      yield { text: part, tokens: estimateExactly(part), level, depth: limits.partedText };
    }
  }
}

/** Splits a long paragraph at the ends of its sentences. */
function sentenceGroups(text: string, room: number): string[] {
  const blocks = readMarkdownBlocks(text);
  const pieces = toPieces(text, blocks, { room: room * 0.8, count: estimateExactly });
  return pieces.flatMap(({ start }, at) => slices(text.slice(start, pieces[at + 1]?.start), room));
}

/** Splits code, and any other long text, by lines. */
function linesOf(text: string, room: number): string[] {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).flatMap((line) => slices(line, room));
}

/** Cuts by characters: no character of common scripts has more than two tokens. */
function slices(text: string, room: number): string[] {
  if (estimateExactly(text) <= room * 0.8) return [text];
  const length = Math.max(1, Math.floor(room * 0.4));
  const found: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + length);
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '') && end < text.length) end += 1;
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}

/** Prefers headings, then blocks on their own, then items of lists, then rows. */
function rankOf({ level, depth, table }: Unit): number {
  if (table !== undefined) return 2000;
  return level > 0 ? level : 10 + depth;
}

// Splits a markdown table by rows, with its header above each part.

/** A table: its header, and its rows. */
export interface TableRows {
  readonly head: string;
  /** Each row with its line end. Joined after `head` they are the original text. */
  readonly rows: readonly string[];
}

/** Reads a pipe table or an HTML table; undefined for a table with fewer than two rows. */
export function tableRows(text: string): TableRows | undefined {
  const found = /^\s*(?:>\s*)*</.test(text) ? htmlRows(text) : pipeRows(text);
  return found !== undefined && found.rows.length > 1 ? found : undefined;
}

function pipeRows(text: string): TableRows | undefined {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const rule = lines.findIndex((line) => /^[\s>|:-]+$/.test(line) && /-/.test(line));
  if (rule < 1) return undefined;
  const rows = lines.slice(rule + 1);
  const last = rows.findLastIndex((line) => /\S/.test(line));
  return {
    head: lines.slice(0, rule + 1).join(''),
    rows: [...rows.slice(0, Math.max(0, last)), rows.slice(Math.max(0, last)).join('')],
  };
}

/** The first row is the header. */
function htmlRows(text: string): TableRows | undefined {
  const ends = [...text.matchAll(/<\/tr>\s{0,100}(?:<\/t(?:head|body)>\s{0,100})?/gi)].map(
    ({ index, 0: mark }) => index + mark.length,
  );
  const pieces = ends.map((end, at) => text.slice(at === 0 ? 0 : ends[at - 1], end));
  const [first, ...rest] = pieces;
  if (first === undefined || rest.length === 0) return undefined;
  const last = rest.pop() ?? '';
  return { head: first, rows: [...rest, last + text.slice(ends.at(-1))] };
}
