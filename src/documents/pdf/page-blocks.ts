/** Builds blocks from the layout of a page without a structure tree; splits off and links footnotes. */
import { groupRows } from './aligned-tables.ts';
import type { Block, Cell, Column } from './blocks.ts';
import type { BodyStyle } from './body-style.ts';
import type { PageContent, Segment, TextRun } from './geometry.ts';
import { inReadingOrder, textOfLines, type Vocabulary } from './line-text.ts';
import { drawnBullets } from './list-markers.ts';
import { titleLines } from './outline.ts';
import { regionsOf, segmentOf, segmentsOf } from './page-layout.ts';
import { type BlockContext, blocksOfLines } from './paragraphs.ts';
import { type PositionedTable, ruledTables } from './ruled-tables.ts';

/** Blocks in reading order; `notes` follow at the end. */
export interface PageBlocks {
  readonly blocks: readonly Block[];
  readonly notes: readonly Block[];
}

/** A part of a page: consecutive lines, or a table. */
type PagePart = { readonly lines: readonly Segment[] } | { readonly block: Block };

export function blocksOfPage(page: PageContent, given: BlockContext): PageBlocks {
  const side = page.number % 2;
  const { lefts, hanging } = given.body;
  const context = { ...given, left: lefts[side], hanging: hanging?.[side] };
  const runs = page.runs.filter(({ isArtifact }) => !isArtifact);
  const tables = ruledTables(runs, page.rulings, context.words);
  const inTables = new Set(tables.flatMap((table) => table.runs));
  const tableAt = new Map<Segment, PositionedTable>();
  for (const table of tables) tableAt.set(placeholderOf(table), table);
  const free = segmentsOf(runs.filter((run) => !inTables.has(run)));
  const notes: Footnote[] = [];
  const parts: PagePart[] = [];
  for (const region of regionsOf([...free, ...tableAt.keys()])) {
    let lines: Segment[] = [];
    const flush = (): void => {
      if (lines.length > 0) parts.push({ lines });
      lines = [];
    };
    const groups = groupsAround(region.rows, tableAt, page, context);
    for (const group of groups) {
      if ('lines' in group) lines.push(...group.lines);
      else {
        flush();
        parts.push(group);
      }
    }
    const split = splitNotes(lines, context.body, { number: page.number, words: context.words });
    lines = [...split.lines];
    notes.push(...split.notes);
    flush();
  }
  const bullets = drawnBullets(
    parts.flatMap((part) => ('lines' in part ? part.lines : [])),
    page.shapes,
  );
  const titles = titleLines(
    parts.flatMap((part) => ('lines' in part ? part.lines : [])),
    page.titles ?? [],
  );
  const marks = new Set(notes.map(({ mark }) => mark));
  const blocks = parts.flatMap((part) =>
    'block' in part
      ? [part.block]
      : blocksOfLines(
          part.lines.map((line) => ({
            ...line,
            runs: linkNotes(line.runs, page.number, marks),
            bullet: bullets.get(line),
            title: titles.get(line),
          })),
          context,
        ),
  );
  return { blocks, notes: notes.map(({ block }) => block) };
}

/** The rows of a region in groups; ruled tables stay in their position. */
function groupsAround(
  rows: readonly (readonly Segment[])[],
  tableAt: ReadonlyMap<Segment, PositionedTable>,
  page: PageContent,
  context: BlockContext,
): PagePart[] {
  const parts: PagePart[] = [];
  let pending: (readonly Segment[])[] = [];
  const flush = (): void => {
    for (const group of groupRows(pending, page.rulings.horizontal, context)) {
      if ('lines' in group) parts.push(group);
      else if (group.isDefinitions) parts.push(...group.table.map(definition));
      else parts.push({ block: tableBlock(group.table, group.columns) });
    }
    pending = [];
  };
  for (const row of rows) {
    const tables = row.flatMap((segment) => tableAt.get(segment) ?? []);
    if (tables.length === 0) {
      pending.push(row);
      continue;
    }
    flush();
    parts.push(
      ...tables.map(({ rows: cells, columns }) => ({ block: tableBlock(cells, columns) })),
    );
    const beside = row.filter((segment) => !tableAt.has(segment));
    if (beside.length > 0) pending.push(beside);
  }
  flush();
  return parts;
}

/** A term and its definition as a paragraph. */
function definition(row: readonly Cell[]): PagePart {
  const content = row.flatMap(({ content: parts }, at) =>
    at === 0 ? parts : [{ ...plain, text: ' ' }, ...parts],
  );
  return { block: { kind: 'paragraph', content } };
}

const plain = { isBold: false, isItalic: false, isMono: false };

function tableBlock(rows: readonly (readonly Cell[])[], columns: readonly Column[]): Block {
  return { kind: 'table', rows, columns };
}

/** A placeholder segment for a table, at its first line. */
function placeholderOf({ box, runs }: PositionedTable): Segment {
  const whole = segmentOf(runs);
  return { ...whole, ...box, baseline: Math.min(...runs.map(({ baseline }) => baseline)) };
}

// Footnotes: small text at the foot of a page or column, whose numbers are superscripts in the text.

/** A note, with its page: numbers may restart on each page. */
interface Footnote {
  readonly mark: string;
  readonly block: Block;
}

/** Splits the notes from the end of the lines. */
function splitNotes(
  lines: readonly Segment[],
  body: BodyStyle,
  page: { readonly number: number; readonly words: Vocabulary },
): { readonly lines: readonly Segment[]; readonly notes: readonly Footnote[] } {
  let start = lines.length;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at];
    if (line === undefined || line.size > body.size * 0.94) break;
    if (markOf(line) !== undefined) start = at;
  }
  if (start === lines.length) return { lines, notes: [] };
  const notes: Footnote[] = [];
  let current: Segment[] = [];
  let mark = '';
  const close = (): void => {
    if (current.length === 0) return;
    const content = textOfLines(current, page.words);
    notes.push({ mark, block: { kind: 'note', label: noteId(page.number, mark), content } });
  };
  for (const line of lines.slice(start)) {
    const found = markOf(line);
    if (found !== undefined) {
      close();
      current = [{ ...line, runs: found.rest }];
      mark = found.mark;
    } else current.push(line);
  }
  close();
  return { lines: lines.slice(0, start), notes };
}

/** The id of a note in the HTML of the whole file. */
function noteId(page: number, mark: string): string {
  return `pdf-note-${page}-${mark}`;
}

/** The runs of a page, with links from superscript marks to its notes. */
function linkNotes(runs: readonly TextRun[], page: number, marks: ReadonlySet<string>): TextRun[] {
  const sorted = inReadingOrder(runs);
  return sorted.map((run, at) => {
    const mark = run.text.trim();
    const before = sorted[at - 1];
    // A superscript after the letter of a formula is an exponent.
    const isExponent = before?.font.isItalic === true && before.text.trim().length < 3;
    return run.verticalAlign === 'sup' && run.href === undefined && marks.has(mark) && !isExponent
      ? { ...run, href: `#${noteId(page, mark)}` }
      : run;
  });
}

const noteMark = /^(?:\d{1,3}|[*†‡§¶a-z])$/u;

function markOf(line: Segment): { mark: string; rest: readonly TextRun[] } | undefined {
  const [first, ...rest] = inReadingOrder(line.runs);
  const mark = first?.text.trim() ?? '';
  if (first?.verticalAlign !== 'sup' || rest.length === 0 || !noteMark.test(mark)) return undefined;
  return { mark, rest };
}
