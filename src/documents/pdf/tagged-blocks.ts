/** Builds the blocks of a tagged page from its structure tree (ISO 32000-1, 14.8.4). */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { type Block, type Cell, type Inline, type ListItem, textOf } from './blocks.ts';
import {
  type Box,
  boxAround,
  type PageContent,
  type Segment,
  type StructureNode,
  type TextRun,
} from './geometry.ts';
import { codeText, isCodeLine, textOfLines } from './line-text.ts';
import { segmentOf } from './page-layout.ts';
import type { BlockContext } from './paragraphs.ts';

/** Roles that are always blocks. */
const blockRoles =
  /^(?:P|H[1-6]?|Title|L|LI|LBody|Table|TR|BlockQuote|TOCI?|Sect|Div|Part|Art|Document|Aside|Figure|Formula|Caption|Note|FENote|Index|TBody|THead|TFoot)$/;

export function blocksOfTree(
  page: PageContent,
  tree: StructureNode,
  context: BlockContext,
): { blocks: readonly Block[]; notes: readonly Block[]; rest: readonly TextRun[] } {
  const reader = new TreeReader(page, context);
  const blocks = reader.blocksOf(tree);
  const rest = page.runs.filter(({ isArtifact, content }) => !isArtifact && !reader.knows(content));
  return { blocks, notes: reader.notes, rest };
}

/** True if the tree has more than paragraphs. */
export function hasStructure(tree: StructureNode): boolean {
  const open: StructureNode[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (/^(?:H[1-6]?|Title|L|Table|TOC)$/.test(node.role)) return true;
    for (const child of node.children) if ('role' in child) open.push(child);
  }
  return false;
}

/** The marked-content ids in the tree. */
export function contentOf(tree: StructureNode): Set<string> {
  const found = new Set<string>();
  const open: StructureNode[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const child of node.children) {
      if ('role' in child) open.push(child);
      else found.add(child.content);
    }
  }
  return found;
}

class TreeReader {
  readonly notes: Block[] = [];
  readonly #page: PageContent;
  readonly #context: BlockContext;
  readonly #runs = new Map<string, TextRun[]>();
  readonly #seen = new Set<string>();

  constructor(page: PageContent, context: BlockContext) {
    this.#page = page;
    this.#context = context;
    for (const run of page.runs) {
      if (run.content === undefined || run.isArtifact) continue;
      getOrInsert(this.#runs, run.content, () => []).push(run);
    }
  }

  knows(content: string | undefined): boolean {
    return content !== undefined && this.#seen.has(content);
  }

  /** The blocks of a node, with paragraphs of the text between them. */
  blocksOf(node: StructureNode): Block[] {
    const blocks: Block[] = [];
    let pending: TextRun[] = [];
    const flush = (): void => {
      blocks.push(...this.#paragraph(pending));
      pending = [];
    };
    for (const child of node.children) {
      if ('role' in child && hasBlocks(child)) {
        const [inner, note] = [this.#block(child), /^(?:FE)?Note$/.test(child.role)];
        if (note) continue;
        flush();
        blocks.push(...inner);
      } else pending.push(...this.#runsOf(child));
    }
    flush();
    return blocks;
  }

  #block(node: StructureNode): Block[] {
    const heading = /^H([1-6])$/.exec(node.role);
    if (heading !== null || node.role === 'H' || node.role === 'Title') {
      const level = heading === null ? (node.role === 'H' ? 2 : 1) : Number(heading[1]);
      const content = this.#text(this.#runsOf(node)).map((part) => ({ ...part, isBold: false }));
      return content.length === 0 ? [] : [{ kind: 'heading', level, content }];
    }
    switch (node.role) {
      case 'L':
      case 'TOC':
        return this.#list(node);
      case 'Table':
        return this.#table(node);
      case 'BlockQuote':
        return [{ kind: 'quote', blocks: this.blocksOf(node) }];
      case 'Figure':
      case 'Formula':
        return this.#figure(node);
      case 'Note':
      case 'FENote':
        return this.#note(node);
      default:
        return this.blocksOf(node);
    }
  }

  #paragraph(runs: readonly TextRun[]): Block[] {
    const lines = linesInOrder(runs);
    if (lines.length === 0) return [];
    const isCode = !this.#context.body.isMono && lines.every(isCodeLine);
    if (isCode && lines.length > 1) return [{ kind: 'code', text: codeText(lines) }];
    const content = textOfLines(lines, this.#context.words);
    return content.length === 0 ? [] : [{ kind: 'paragraph', content }];
  }

  #list(node: StructureNode): Block[] {
    const items: ListItem[] = [];
    let start: number | undefined;
    for (const child of node.children) {
      if (!('role' in child)) continue;
      // Some programs write a nested list as a sibling of its item.
      if (child.role === 'L' || child.role === 'TOC') {
        const inner = this.#list(child);
        const last = items.pop();
        items.push({ blocks: [...(last?.blocks ?? []), ...inner] });
        continue;
      }
      const label = child.children.find((one) => 'role' in one && one.role === 'Lbl');
      const mark = label === undefined ? '' : textOf(this.#text(this.#runsOf(label)));
      const number = /^\(?(\d{1,4})[.)]?$/.exec(mark.trim())?.[1];
      if (items.length === 0 && number !== undefined) start = Number(number);
      const blocks = this.blocksOf({
        ...child,
        children: child.children.filter((one) => one !== label),
      });
      const item = label === undefined ? withoutMark(blocks) : { number: undefined, blocks };
      if (items.length === 0) start ??= item.number;
      if (blocks.length > 0) items.push({ blocks: item.blocks.map(withoutLeaders) });
    }
    return items.length === 0 ? [] : [{ kind: 'list', start, items }];
  }

  #table(node: StructureNode): Block[] {
    const rows: TaggedCell[][] = [];
    const before: Block[] = [];
    for (const child of node.children) {
      if ('content' in child) {
        this.#seen.add(child.content);
        continue;
      }
      if (child.role === 'Caption') before.push(...this.blocksOf(child));
      for (const row of child.role === 'TR' ? [child] : child.children) {
        if (!('role' in row) || row.role !== 'TR') continue;
        rows.push(
          row.children.flatMap((cell) => ('role' in cell ? [this.#cell(cell, child)] : [])),
        );
      }
    }
    const filled = rows.filter((row) => row.length > 0);
    return filled.length === 0 ? before : [...before, { kind: 'table', rows: layOutCells(filled) }];
  }

  #cell(node: StructureNode, part: StructureNode): TaggedCell {
    const runs = this.#runsOf(node);
    const lines = linesInOrder(runs);
    const isHeader = node.role === 'TH' || part.role === 'THead';
    const content = this.#text(runs).map((text) => (isHeader ? { ...text, isBold: false } : text));
    return { content, isHeader, box: lines.length === 0 ? undefined : boxAround(lines) };
  }

  #figure(node: StructureNode): Block[] {
    const inner = this.blocksOf({ ...node, role: 'Div' });
    const alt = oneLine(node.alt ?? '');
    return alt === '' ? inner : [{ kind: 'figure', alt }];
  }

  #note(node: StructureNode): Block[] {
    const lines = linesInOrder(this.#runsOf(node));
    const [first] = lines;
    if (first === undefined) return [];
    const [label, ...rest] = first.runs;
    const mark = /^(?:\d{1,3}|[*†‡§])$/u.exec(label?.text.trim() ?? '')?.[0];
    const text = mark === undefined ? lines : [{ ...first, runs: rest }, ...lines.slice(1)];
    const content = textOfLines(text, this.#context.words);
    const id = `pdf-note-${this.#page.number}-${mark ?? this.notes.length + 1}`;
    this.notes.push({ kind: 'note', label: id, content });
    return [];
  }

  #text(runs: readonly TextRun[]): Inline[] {
    return textOfLines(linesInOrder(runs), this.#context.words);
  }

  /** All text below a node, in tree order. */
  #runsOf(node: StructureNode | { readonly content: string }): TextRun[] {
    if ('content' in node) {
      if (this.#seen.has(node.content)) return [];
      this.#seen.add(node.content);
      return this.#runs.get(node.content) ?? [];
    }
    if (/^(?:FE)?Note$/.test(node.role)) {
      this.#note({ ...node, role: 'Div' });
      return [];
    }
    return node.children.flatMap((child) => this.#runsOf(child));
  }
}

function hasBlocks(node: StructureNode): boolean {
  return (
    blockRoles.test(node.role) || node.children.some((child) => 'role' in child && hasBlocks(child))
  );
}

// Lines of text in structure tree order, which is not the page's order.

/** A line ends where the next run is on another baseline. */
function linesInOrder(runs: readonly TextRun[]): Segment[] {
  const lines: TextRun[][] = [];
  let main: TextRun | undefined;
  for (const run of runs) {
    const line = lines.at(-1);
    const shift = main === undefined ? 0 : run.baseline - main.baseline;
    if (line === undefined || main === undefined || isNextLine(main, run, shift)) {
      lines.push([run]);
      main = run;
    } else if (run.size < main.size * 0.85 && Math.abs(shift) > 0.5) {
      line.push({ ...run, verticalAlign: shift < 0 ? 'sup' : 'sub' });
    } else {
      if (main.size < run.size * 0.85 && Math.abs(shift) > 0.5 && line.length === 1) {
        line[0] = { ...main, verticalAlign: shift > 0 ? 'sup' : 'sub' };
      }
      line.push(run);
      if (run.size > main.size) main = run;
    }
  }
  return lines.map(segmentOf);
}

function isNextLine(main: TextRun, run: TextRun, shift: number): boolean {
  return Math.abs(shift) > Math.max(main.size, run.size) * 0.6;
}

// Tables of the structure tree: it has rows and cells; the spans of cells come from the layout.

/** A cell before its column is known. */
interface TaggedCell {
  readonly content: readonly Inline[];
  readonly isHeader: boolean;
  /** The box of its text; undefined for an empty cell. */
  readonly box: Box | undefined;
}

const maxColumns = 200;

/** Assigns cells to columns; in rows with too few cells, some span to the right, or from above. */
function layOutCells(rows: readonly (readonly TaggedCell[])[]): Cell[][] {
  const count = Math.min(Math.max(0, ...rows.map((row) => row.length)), maxColumns);
  const starts = columnStarts(rows, count);
  const laidOut: {
    cells: { cell: TaggedCell; column: number; columns: number; rows: number }[];
  }[] = [];
  for (const row of rows) {
    const columns = columnsFor(row.slice(0, maxColumns), starts, count);
    const cells = row.slice(0, maxColumns).map((cell, at) => {
      const column = columns[at] ?? at;
      const next = columns[at + 1] ?? count;
      return { cell, column, columns: Math.max(1, next - column), rows: 1 };
    });
    const [first] = cells;
    const above = laidOut.at(-1)?.cells[0];
    // Rows that begin further right are beside a cell that spans down to them.
    if (first !== undefined && first.column > 0 && above !== undefined) {
      const owner = laidOut.findLast(({ cells: [one] }) => one?.column === 0)?.cells[0];
      if (owner !== undefined) owner.rows += 1;
    }
    laidOut.push({ cells });
  }
  return laidOut.map(({ cells }) =>
    cells.map(({ cell, columns, rows: down }) => ({
      content: cell.content,
      isHeader: cell.isHeader,
      columns,
      rows: down,
    })),
  );
}

/** The left edges of columns, from rows with all cells. */
function columnStarts(rows: readonly (readonly TaggedCell[])[], count: number): number[] {
  return Array.from({ length: count }, (_, column) =>
    Math.min(
      ...rows
        .filter((row) => row.length === count)
        .map((row) => row[column]?.box?.left ?? Infinity),
    ),
  );
}

/** The column of each cell: the closest left edge, in ascending order. */
function columnsFor(
  row: readonly TaggedCell[],
  starts: readonly number[],
  count: number,
): number[] {
  if (row.length >= count) return row.map((_, at) => at);
  const columns: number[] = [];
  for (const [at, { box }] of row.entries()) {
    const least = (columns.at(-1) ?? -1) + 1;
    const most = count - (row.length - at);
    let best = least;
    if (box !== undefined) {
      for (let column = least; column <= most; column += 1) {
        const distance = Math.abs((starts[column] ?? Infinity) - box.left);
        if (distance < Math.abs((starts[best] ?? Infinity) - box.left)) best = column;
      }
    }
    columns.push(best);
  }
  return columns;
}

// Items of tagged lists whose bullet or number is part of their text.

/** An item without its marker. */
interface TaggedItem {
  readonly number: number | undefined;
  readonly blocks: readonly Block[];
}

const leadingMark =
  /^\s*(?:[•‣⁃▪▫■□●○◦◆◇➢➤✓\uf0b7\uf0a7\uf0d8]\s*|[-–*·o]\s+|\(?(\d{1,4})[.)]\s+)/u;

/** Removes the marker from the first paragraph. */
function withoutMark(blocks: readonly Block[]): TaggedItem {
  const [first, ...rest] = blocks;
  if (first?.kind !== 'paragraph') return { number: undefined, blocks };
  const text = textOf(first.content);
  const found = leadingMark.exec(text);
  if (found === null || found[0].length === text.length) return { number: undefined, blocks };
  const content = dropStart(first.content, found[0].length);
  return {
    number: found[1] === undefined ? undefined : Number(found[1]),
    blocks: [{ kind: 'paragraph', content }, ...rest],
  };
}

function dropStart(content: readonly Inline[], length: number): Inline[] {
  let left = length;
  return content.flatMap((part) => {
    const text = part.text.slice(left);
    left = Math.max(0, left - part.text.length);
    return text === '' ? [] : [{ ...part, text }];
  });
}

/** A line of a table of contents without the dot leader. */
function withoutLeaders(block: Block): Block {
  if (block.kind !== 'paragraph') return block;
  const content = block.content.map((part) => ({
    ...part,
    text: part.text.replace(/[\s.]*(?:\.[ ]?){4}[\s.]*/g, ' '),
  }));
  return { ...block, content };
}
