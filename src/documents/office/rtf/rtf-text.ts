/** Writes the paragraphs and tables of an RTF file, or of a note, as HTML, by the formatting state of its groups. */
import { firstIndex } from '../../../core/runtime/first-index.ts';
import { BlockWriter, type HtmlBudget, InlineWriter, type RunMarks } from '../html-writer.ts';
import { inCell, type TableCell, writeTable } from '../table-writer.ts';

const layout = {
  indent: 360, // of a list level, in twips
  mostCells: 500, // in one row
  tolerance: 20, // twips; edges that differ by less are the same
};

/** Collects text, paragraph ends and cell ends. */
export class RtfText {
  readonly table: RtfTable;
  readonly #budget: HtmlBudget;
  readonly #blocks: BlockWriter;
  readonly #inline: InlineWriter;
  #cell: BlockWriter;
  /** The marker before the text of an item. */
  #marker = '';
  /** The start of the paragraph, which may be a typed marker. */
  #start = '';

  constructor(budget: HtmlBudget) {
    this.#budget = budget;
    this.#blocks = new BlockWriter(budget);
    this.#inline = new InlineWriter(budget);
    this.#cell = new BlockWriter(budget);
    this.table = new RtfTable(budget);
  }

  text(text: string, marks: RunMarks, { first }: ParagraphState): void {
    if (text === '\t' && first < 0 && typedMarker.test(this.#start)) {
      this.#marker = this.#start;
      this.#start = '';
      this.#inline.finish();
      return;
    }
    if (this.#start.length < 10) this.#start += text;
    this.#inline.text(text, marks);
  }

  html(html: string): void {
    this.#inline.html(html);
  }

  marker(text: string): void {
    if (this.#marker.length < 20) this.#marker += text;
  }

  lineBreak(): void {
    this.#inline.lineBreak();
  }

  /** `name` is the name of its style. */
  endParagraph(paragraph: ParagraphState, name: string): void {
    if (!paragraph.isInTable && this.table.isOpen) this.#blocks.add(this.table.finish());
    this.#write(paragraph.isInTable ? this.#cell : this.#blocks, paragraph, name);
  }

  endCell(paragraph: ParagraphState, name: string): void {
    this.#write(this.#cell, paragraph, name);
    this.table.cell(inCell(this.#cell.finish()));
    this.#cell = new BlockWriter(this.#budget);
  }

  finish(paragraph: ParagraphState, name: string): string {
    this.endParagraph(paragraph, name);
    if (this.table.isOpen) this.#blocks.add(this.table.finish());
    return this.#blocks.finish();
  }

  #write(blocks: BlockWriter, paragraph: ParagraphState, name: string): void {
    const html = this.#inline.finish();
    const marker = this.#marker.trim();
    this.#marker = '';
    this.#start = '';
    if (html === '') return;
    const [, named] = /^heading ([1-9])$/i.exec(name) ?? [];
    const outline = paragraph.outline ?? (named === undefined ? undefined : Number(named) - 1);
    if (outline !== undefined && outline < 9) {
      blocks.heading(outline + 1, marker === '' ? html : `${marker} ${html}`);
    } else if (/^title$/i.test(name)) blocks.heading(1, html);
    else if (marker !== '') {
      const level = paragraph.level ?? Math.round(paragraph.left / layout.indent) - 1;
      const isOrdered = /[\p{L}\d]/u.test(marker) && !/^o$/.test(marker);
      const digits = /\d+(?=\D*$)/.exec(marker.slice(0, 20))?.[0];
      const number = digits === undefined ? undefined : Number(digits);
      blocks.item(html, { level: Math.max(0, level), isOrdered, number });
    } else if (onlyCode.test(html) || codeStyle.test(name)) {
      blocks.codeLine(html.replaceAll('<br>', '\n').replace(tag, ''));
    } else if (/^(?:quotations?|(?:intense )?quote|block text)$/i.test(name)) blocks.quote(html);
    else if (paragraph.left >= layout.indent && blocks.isInList) {
      blocks.inItem(`<p>${html}</p>`, Math.max(0, Math.round(paragraph.left / layout.indent) - 1));
    } else blocks.paragraph(html);
  }
}

/** Skips quoted attribute values, which may contain any character. */
const tag = /<(?:[^"<>]|"[^"]*")*>/g;

const codeStyle = /^(?:preformatted text|source code|html preformatted|code)$/i;

/** Lines in a monospaced font only. */
const onlyCode = /^(?:<code>[^<]*<\/code>|<br>)+$/;

const typedMarker = /^\s*(?:[•·▪◦‣–*-]|\(?[\da-z]{1,3}[.)])\s*$/i;

// The formatting state of an RTF group. A group gets a copy of the outer state, and drops the copy at its end.

/** The destination of text. */
export type Destination =
  | 'text'
  /** Left out, except a description inside. */
  | 'skip'
  /** Left out with all content. */
  | 'drop'
  | 'fonts'
  | 'styles'
  | 'marker'
  | 'instruction'
  | 'fact'
  | 'property'
  | 'value'
  | 'time';

/** The state of a paragraph; `\pard` resets it. */
interface ParagraphState {
  readonly style: number | undefined;
  readonly outline: number | undefined;
  readonly level: number | undefined;
  readonly isInTable: boolean;
  /** In twips. */
  readonly left: number;
  /** In twips; negative for a hanging indent. */
  readonly first: number;
}

/** The full state of a group. */
export interface RtfState {
  destination: Destination;
  /** The name of the property being read: `title`. */
  fact: string;
  marks: RunMarks;
  isHidden: boolean;
  font: number;
  /** Number of fallback characters for each `\u`. */
  fallback: number;
  field: { instruction: string } | undefined;
  paragraph: ParagraphState;
  /** True for a footnote. */
  isNote: boolean;
  /** True after `\*`: a reader that does not know the group skips it. */
  isOptional: boolean;
}

/** The default state of a paragraph. */
export const plainParagraph: ParagraphState = {
  style: undefined,
  outline: undefined,
  level: undefined,
  isInTable: false,
  left: 0,
  first: 0,
};

/** The state at the start of a file. */
export function startState(): RtfState {
  return {
    destination: 'text',
    fact: '',
    marks: {},
    isHidden: false,
    font: -1,
    fallback: 1,
    field: undefined,
    paragraph: plainParagraph,
    isNote: false,
    isOptional: false,
  };
}

/** Groups whose text is not document text, by their first control word. */
export const destinations: ReadonlyMap<string, Destination> = new Map<string, Destination>([
  ...(
    'colortbl objdata objclass header headerl headerr headerf footer footerl footerr footerf nonshppict shprslt ' +
    'listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping datastore latentstyles xmlnstbl ' +
    'annotation atnid atnauthor atnref atndate atntime bkmkstart bkmkend pgptbl filetbl nonesttables ' +
    'fchars lchars wgrffmtfilter mmathPr ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn tc xe rxe private'
  )
    .split(' ')
    .map((name) => [name, 'drop'] as const),
  ['pict', 'skip'],
  ['sp', 'skip'],
  ['fonttbl', 'fonts'],
  ['stylesheet', 'styles'],
  ['listtext', 'marker'],
  ['pntext', 'marker'],
  ['fldinst', 'instruction'],
  ...'title author subject keywords doccomm'.split(' ').map((name) => [name, 'fact'] as const),
  ['creatim', 'time'],
  ['revtim', 'time'],
  ['sn', 'property'],
  ['sv', 'value'],
  ['shptxt', 'text'],
  ['info', 'skip'],
]);

/** Control words that represent a character. */
export const characters: ReadonlyMap<string, string> = new Map([
  ['tab', '\t'],
  ['emdash', '—'],
  ['endash', '–'],
  ['emspace', ' '],
  ['enspace', ' '],
  ['bullet', '•'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
]);

// Tables of RTF files: rows of cells with known right edges.

/** A cell as defined by the row. */
interface CellShape {
  /** Its right edge, in twips. */
  readonly end: number;
  /** True when it continues the cell above. */
  readonly isCovered: boolean;
  /** True when it continues the previous cell. */
  readonly isJoined: boolean;
}

interface RtfRow {
  readonly cells: readonly string[];
  readonly shapes: readonly CellShape[];
  readonly isHeader: boolean;
}

/** Collects the rows of a table. */
class RtfTable {
  readonly #budget: HtmlBudget;
  #rows: RtfRow[] = [];
  #cells: string[] = [];
  #shapes: CellShape[] = [];
  #isHeader = false;
  #isCovered = false;
  #isJoined = false;

  constructor(budget: HtmlBudget) {
    this.#budget = budget;
  }

  /** True while cells are pending. */
  get isOpen(): boolean {
    return this.#rows.length > 0 || this.#cells.length > 0;
  }

  /** Handles a control word of the row. */
  word(name: string, number: number | undefined): void {
    if (name === 'trowd') {
      this.#shapes = [];
      this.#isHeader = false;
    } else if (name === 'trhdr') this.#isHeader = true;
    else if (name === 'clvmrg') this.#isCovered = true;
    else if (name === 'clmrg') this.#isJoined = true;
    else if (name === 'cellx') {
      const shape = { end: number ?? 0, isCovered: this.#isCovered, isJoined: this.#isJoined };
      if (this.#shapes.length < layout.mostCells) this.#shapes.push(shape);
      this.#isCovered = false;
      this.#isJoined = false;
    }
  }

  cell(html: string): void {
    if (this.#cells.length < layout.mostCells) this.#cells.push(html);
  }

  row(): void {
    if (this.#cells.length === 0) return;
    this.#rows.push({ cells: this.#cells, shapes: this.#shapes, isHeader: this.#isHeader });
    this.#cells = [];
  }

  /** Returns the table so far, and starts a new one. */
  finish(): string {
    this.row();
    const rows = this.#rows;
    this.#rows = [];
    const ends = columnEnds(rows);
    let headerRows = 0;
    while (rows[headerRows]?.isHeader === true) headerRows += 1;
    const table: TableCell[][] = [];
    /** Cells that may continue below, by first column. */
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

function columnEnds(rows: readonly RtfRow[]): number[] {
  const all = new Set(rows.flatMap(({ shapes }) => shapes.map(({ end }) => end)));
  const ends: number[] = [];
  for (const end of [...all].sort((one, other) => one - other)) {
    if (end - (ends.at(-1) ?? -Infinity) > layout.tolerance) ends.push(end);
  }
  return ends;
}

/** The number of columns up to an edge. */
function columnAfter(ends: readonly number[], end: number): number {
  return firstIndex(ends.length, (at) => (ends[at] ?? 0) >= end - layout.tolerance) + 1;
}
