/** A page without structure of its own becomes blocks by how it looks. */
import { groupRows } from './aligned-tables.ts';
import type { Block, Cell, Column } from './blocks.ts';
import { regionsOf } from './columns.ts';
import { drawnBullets } from './drawn-bullets.ts';
import { linkNotes, type Note, splitNotes } from './footnotes.ts';
import type { PageContent, Segment } from './geometry.ts';
import { type BlockContext, blocksOfLines } from './paragraphs.ts';
import { type PlacedTable, ruledTables } from './ruled-tables.ts';
import { segmentOf, segmentsOf } from './segments.ts';

/** Blocks in reading order; `notes` come after all else. */
export interface PageBlocks {
  readonly blocks: readonly Block[];
  readonly notes: readonly Block[];
}

/** A part of a page: lines that follow each other, or a table. */
type Part = { readonly lines: readonly Segment[] } | { readonly block: Block };

export function blocksOfPage(page: PageContent, context: BlockContext): PageBlocks {
  const runs = page.runs.filter(({ isArtifact }) => !isArtifact);
  const tables = ruledTables(runs, page.rulings, context.words);
  const inTables = new Set(tables.flatMap((table) => table.runs));
  const places = new Map<Segment, PlacedTable>();
  for (const table of tables) places.set(placeOf(table), table);
  const free = segmentsOf(runs.filter((run) => !inTables.has(run)));
  const notes: Note[] = [];
  const parts: Part[] = [];
  for (const region of regionsOf([...free, ...places.keys()])) {
    let lines: Segment[] = [];
    const flush = (): void => {
      if (lines.length > 0) parts.push({ lines });
      lines = [];
    };
    const groups = groupsAround(region.rows, places, page, context);
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
  const marks = new Set(notes.map(({ mark }) => mark));
  const blocks = parts.flatMap((part) =>
    'block' in part
      ? [part.block]
      : blocksOfLines(
          part.lines.map((line) => ({
            ...line,
            runs: linkNotes(line.runs, page.number, marks),
            bullet: bullets.get(line),
          })),
          context,
        ),
  );
  return { blocks, notes: notes.map(({ block }) => block) };
}

/** The rows of a region in groups; tables that lines make stand where they are. */
function groupsAround(
  rows: readonly (readonly Segment[])[],
  places: ReadonlyMap<Segment, PlacedTable>,
  page: PageContent,
  context: BlockContext,
): Part[] {
  const parts: Part[] = [];
  let pending: (readonly Segment[])[] = [];
  const flush = (): void => {
    for (const group of groupRows(pending, page.rulings.horizontal, context)) {
      parts.push('lines' in group ? group : { block: tableBlock(group.table, group.columns) });
    }
    pending = [];
  };
  for (const row of rows) {
    const tables = row.flatMap((segment) => places.get(segment) ?? []);
    if (tables.length === 0) {
      pending.push(row);
      continue;
    }
    flush();
    parts.push(
      ...tables.map(({ rows: cells, columns }) => ({ block: tableBlock(cells, columns) })),
    );
    const beside = row.filter((segment) => !places.has(segment));
    if (beside.length > 0) pending.push(beside);
  }
  flush();
  return parts;
}

function tableBlock(rows: readonly (readonly Cell[])[], columns: readonly Column[]): Block {
  return { kind: 'table', rows, columns };
}

/** A table among the lines: it stands where its first line is. */
function placeOf({ box, runs }: PlacedTable): Segment {
  const place = segmentOf(runs);
  return { ...place, ...box, baseline: Math.min(...runs.map(({ baseline }) => baseline)) };
}
