/** Tables of rich text files: rows of cells that know where they end. */
import type { HtmlBudget } from '../writing/html-budget.ts';
import { type TableCell, writeTable } from '../writing/table-writer.ts';

/** A cell as the row describes it. */
interface CellShape {
  /** Where it ends, in twips. */
  readonly end: number;
  /** It goes on from the cell above. */
  readonly isCovered: boolean;
  /** It goes on from the cell before. */
  readonly isJoined: boolean;
}

interface Row {
  readonly cells: readonly string[];
  readonly shapes: readonly CellShape[];
  readonly isHeader: boolean;
}

/** Cells of one row. */
const mostCells = 500;

/** Collects the rows of a table. */
export class RtfTable {
  readonly #budget: HtmlBudget;
  #rows: Row[] = [];
  #cells: string[] = [];
  #shapes: CellShape[] = [];
  #isHeader = false;
  #isCovered = false;
  #isJoined = false;

  constructor(budget: HtmlBudget) {
    this.#budget = budget;
  }

  /** True while there are cells that were not written. */
  get isOpen(): boolean {
    return this.#rows.length > 0 || this.#cells.length > 0;
  }

  /** A word that describes the row. */
  word(name: string, number: number | undefined): void {
    if (name === 'trowd') {
      this.#shapes = [];
      this.#isHeader = false;
    } else if (name === 'trhdr') this.#isHeader = true;
    else if (name === 'clvmrg') this.#isCovered = true;
    else if (name === 'clmrg') this.#isJoined = true;
    else if (name === 'cellx') {
      const shape = { end: number ?? 0, isCovered: this.#isCovered, isJoined: this.#isJoined };
      if (this.#shapes.length < mostCells) this.#shapes.push(shape);
      this.#isCovered = false;
      this.#isJoined = false;
    }
  }

  cell(html: string): void {
    if (this.#cells.length < mostCells) this.#cells.push(html);
  }

  row(): void {
    if (this.#cells.length === 0) return;
    this.#rows.push({ cells: this.#cells, shapes: this.#shapes, isHeader: this.#isHeader });
    this.#cells = [];
  }

  /** The table so far, which begins anew. */
  finish(): string {
    this.row();
    const rows = this.#rows;
    this.#rows = [];
    const ends = columnEnds(rows);
    let headerRows = 0;
    while (rows[headerRows]?.isHeader === true) headerRows += 1;
    const table: TableCell[][] = [];
    /** The cell that may go on below, by its first column. */
    const above = new Map<number, { rows: number }>();
    for (const { cells, shapes } of rows) {
      const line: { html: string; columns: number; rows: number }[] = [];
      let column = 0;
      cells.forEach((html, index) => {
        const shape = shapes[index];
        const next = shape === undefined ? column + 1 : columnAfter(ends, shape.end);
        const columns = Math.max(1, next - column);
        const covering = above.get(column);
        const before = line.at(-1);
        if (shape?.isCovered === true && covering !== undefined) covering.rows += 1;
        else if (shape?.isJoined === true && before !== undefined) before.columns += columns;
        else {
          const cell = { html, columns, rows: 1 };
          line.push(cell);
          above.set(column, cell);
        }
        column += columns;
      });
      table.push(line);
    }
    return writeTable(table, headerRows, this.#budget);
  }
}

/** Ends that differ by less than this, in twips, are one. */
const tolerance = 20;

function columnEnds(rows: readonly Row[]): number[] {
  const all = new Set(rows.flatMap(({ shapes }) => shapes.map(({ end }) => end)));
  const ends: number[] = [];
  for (const end of [...all].sort((one, other) => one - other)) {
    if (end - (ends.at(-1) ?? -Infinity) > tolerance) ends.push(end);
  }
  return ends;
}

/** The columns up to an end, by halving. */
function columnAfter(ends: readonly number[], end: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) < end - tolerance) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}
