/** Writes paragraphs, lists, tables and runs of text of an OpenDocument file as HTML. */
import { escapeText } from '../../../content/html/serialize.ts';
import {
  isXmlElement,
  xmlChild,
  xmlChildren,
  type XmlElement,
  xmlText,
} from '../../../content/html/xml.ts';
import { imageElement, type Pictures } from '../pictures.ts';
import {
  BlockWriter,
  type HtmlBudget,
  InlineWriter,
  noteReference,
  type RunMarks,
  titleText,
} from '../html-writer.ts';
import { mathElements } from '../mathml.ts';
import { inCell, type TableCell, writeTable } from '../table-writer.ts';
import type { OdfStyles } from './odf-styles.ts';

const limits = {
  rows: 50_000, // rows and cells of a table, repeated ones included; others are left out
  repeats: 100,
  blanks: 200, // represented by one element
};

/** The list position of a paragraph. */
interface OdfListLevel {
  readonly level: number;
  readonly style: string | undefined;
  /** The numbers of the outer levels and its own. */
  readonly numbers: number[];
  /** True after the first paragraph of an item, which alone begins it. */
  isBegun: boolean;
}

/** Reads elements with paragraphs. */
export class ContentReader {
  readonly #parts: OdfParts;
  readonly #blocks: BlockWriter;
  /** The last numbers of lists, by their ids and styles: later lists may continue them. */
  readonly #lastNumbers = new Map<string, number>();

  constructor(parts: OdfParts) {
    this.#parts = parts;
    this.#blocks = new BlockWriter(parts.budget);
  }

  read(parent: XmlElement): string {
    this.#content(parent, undefined);
    return this.#blocks.finish();
  }

  /** The content of a cell; its paragraphs become lines. */
  readCell(cell: XmlElement): string {
    const lines = xmlChildren(cell, 'text:p').map((paragraph) => this.#line(paragraph).html);
    return lines.filter((line) => line !== '').join('<br>');
  }

  /** Reads a frame, a box or a group of them. */
  readShape(shape: XmlElement): string {
    this.#shape(shape);
    return this.#blocks.finish();
  }

  readTitle(parent: XmlElement): string {
    return titleText(xmlChildren(parent, 'text:p').map((paragraph) => this.#line(paragraph).html));
  }

  #content(parent: XmlElement, listLevel: OdfListLevel | undefined): void {
    for (const element of xmlChildren(parent)) {
      switch (element.name) {
        case 'text:h':
        case 'text:p':
          this.#paragraph(element, listLevel);
          break;
        case 'text:list':
          this.#list(element, listLevel);
          break;
        case 'table:table':
          this.#blocks.add(this.#table(element));
          break;
        // Tracked changes hold deleted text; an index only repeats headings.
        case 'text:tracked-changes':
        case 'text:table-of-content':
        case 'office:forms':
          break;
        case 'draw:frame':
        case 'draw:g':
        case 'draw:custom-shape':
          this.#shape(element);
          break;
        case 'text:section':
        case 'text:index-body':
        case 'text:numbered-paragraph':
        case 'text:alphabetical-index':
        case 'text:bibliography':
        case 'text:illustration-index':
          this.#content(element, listLevel);
      }
    }
  }

  #paragraph(element: XmlElement, listLevel: OdfListLevel | undefined): void {
    const blocks = this.#blocks;
    const { styles } = this.#parts;
    const name = element.attributes['text:style-name'];
    const kind = styles.kindOf(name);
    if (styles.isHidden(name, 'paragraph')) return;
    const { html, found } = this.#line(element, kind === 'code');
    if (element.name === 'text:h') {
      const level = Number(element.attributes['text:outline-level'] ?? 1) || 1;
      blocks.heading(level, html, found.id);
    } else if (kind === 'code') blocks.codeLine(html);
    else if (kind === 'title') blocks.heading(1, html, found.id);
    else if (html !== '' && listLevel !== undefined) this.#item(html, listLevel, found.id);
    else if (kind === 'quote') blocks.quote(html);
    else blocks.paragraph(html, found.id);
    for (const shape of found.boxes) blocks.add(new ContentReader(this.#parts).readShape(shape));
  }

  #item(html: string, listLevel: OdfListLevel, id: string | undefined): void {
    if (listLevel.isBegun) {
      if (this.#blocks.isInList) this.#blocks.inItem(`<p>${html}</p>`, listLevel.level);
      else this.#blocks.paragraph(html, id);
      return;
    }
    listLevel.isBegun = true;
    const { isOrdered } = this.#parts.styles.levelOf(listLevel.style, listLevel.level);
    this.#blocks.item(
      html,
      { level: listLevel.level, isOrdered, number: listLevel.numbers.at(-1) },
      id,
    );
  }

  #line(
    element: XmlElement,
    isCode = false,
  ): { readonly html: string; readonly found: RunFindings } {
    const out = new InlineWriter(this.#parts.budget, isCode);
    const found: RunFindings = { boxes: [], id: undefined };
    readRuns(element, this.#parts, out, found);
    return { html: out.finish(), found };
  }

  #list(list: XmlElement, around: OdfListLevel | undefined): void {
    const level = around === undefined ? 0 : around.level + 1;
    const style = list.attributes['text:style-name'] ?? around?.style ?? this.#styleInside(list);
    const { attributes } = list;
    const isNext = attributes['text:continue-numbering'] === 'true';
    const before = attributes['text:continue-list'] ?? (isNext ? (style ?? '') : undefined);
    const known = before === undefined ? undefined : this.#lastNumbers.get(`${level} ${before}`);
    let number = known ?? this.#parts.styles.levelOf(style, level).start - 1;
    for (const item of xmlChildren(list)) {
      if (item.name !== 'text:list-item' && item.name !== 'text:list-header') continue;
      const start = Number(item.attributes['text:start-value']);
      number = Number.isInteger(start) ? start : number + 1;
      const isHeader = item.name === 'text:list-header';
      const numbers = [...(around?.numbers ?? []), number];
      this.#content(item, { level, style, numbers, isBegun: isHeader });
    }
    for (const name of [attributes['xml:id'], style ?? '']) {
      if (name !== undefined) this.#lastNumbers.set(`${level} ${name}`, number);
    }
  }

  /** Lists without a style use the list style of their paragraphs. */
  #styleInside(list: XmlElement): string | undefined {
    const paragraph = xmlChild(list, 'text:list-item', 'text:p');
    return this.#parts.styles.listStyleOf(paragraph?.attributes['text:style-name']);
  }

  #shape(shape: XmlElement): void {
    const box = xmlChild(shape, 'draw:text-box');
    const table = xmlChild(shape, 'table:table');
    if (shape.name === 'draw:g') {
      for (const inner of xmlChildren(shape)) this.#shape(inner);
    } else if (box !== undefined) this.#content(box, undefined);
    else if (table !== undefined) this.#blocks.add(this.#table(table));
    else if (shape.name === 'draw:frame') {
      const out = new InlineWriter(this.#parts.budget);
      const holder: XmlElement = { name: '', attributes: {}, children: [shape] };
      const found: RunFindings = { boxes: [], id: undefined };
      readRuns(holder, this.#parts, out, found);
      this.#blocks.paragraph(out.finish());
      for (const box of found.boxes) this.#shape(box);
    } else this.#content(shape, undefined);
  }

  #table(table: XmlElement): string {
    const rows: TableCell[][] = [];
    const headerRows = this.#rows(table, rows);
    while (rows.at(-1)?.every(({ html }) => html === '') === true) rows.pop();
    return writeTable(rows, Math.min(headerRows, rows.length), this.#parts.budget);
  }

  #rows(parent: XmlElement, rows: TableCell[][]): number {
    let headerRows = 0;
    for (const element of xmlChildren(parent)) {
      if (rows.length >= limits.rows) break;
      if (element.name === 'table:table-header-rows') {
        const before = rows.length;
        this.#rows(element, rows);
        if (before === 0) headerRows = rows.length;
      } else if (/^table:table-row(?:s|-group)$/.test(element.name)) {
        headerRows = Math.max(headerRows, this.#rows(element, rows));
      } else if (element.name === 'table:table-row') {
        const row = this.#cells(element);
        const repeats = repeatsOf(element, 'table:number-rows-repeated');
        for (let at = 0; at < repeats && rows.length < limits.rows; at += 1) {
          if (at > 0) for (const { html } of row) this.#parts.budget.spend(html);
          rows.push(row);
        }
      }
    }
    return headerRows;
  }

  #cells(row: XmlElement): TableCell[] {
    const cells: TableCell[] = [];
    for (const cell of xmlChildren(row, 'table:table-cell')) {
      const made: TableCell = {
        html: inCell(new ContentReader(this.#parts).read(cell)),
        isHeading: this.#isHeading(cell),
        columns: Number(cell.attributes['table:number-columns-spanned'] ?? 1) || 1,
        rows: Number(cell.attributes['table:number-rows-spanned'] ?? 1) || 1,
      };
      const repeats = repeatsOf(cell, 'table:number-columns-repeated');
      for (let at = 0; at < repeats; at += 1) {
        this.#parts.budget.spend(made.html);
        cells.push(made);
      }
    }
    return cells;
  }

  #isHeading(cell: XmlElement): boolean {
    const { styles } = this.#parts;
    return xmlChildren(cell).every(
      ({ name, attributes }) =>
        name === 'text:p' && styles.kindOf(attributes['text:style-name']) === 'table heading',
    );
  }
}

function repeatsOf({ attributes }: XmlElement, name: string): number {
  return Math.min(limits.repeats, Math.max(1, Number(attributes[name] ?? 1) || 1));
}

// The text of a paragraph of an OpenDocument file: marks, links, pictures, formulas, notes.

/** The contents of a paragraph besides its text. */
interface RunFindings {
  /** Text boxes with their own paragraphs, which are written after it. */
  readonly boxes: XmlElement[];
  /** The first bookmark in it. */
  id: string | undefined;
}

/** Reads the content of a paragraph into a writer. */
function readRuns(
  parent: XmlElement,
  parts: OdfParts,
  out: InlineWriter,
  found: RunFindings,
  marks: RunMarks = {},
): void {
  for (const node of parent.children) {
    // Line ends in the file are spaces; several spaces are one.
    if (typeof node === 'string') out.text(node.replace(/[ \t\r\n]+/g, ' '), marks);
    else readRun(node, parts, out, found, marks);
  }
}

function readRun(
  element: XmlElement,
  parts: OdfParts,
  out: InlineWriter,
  found: RunFindings,
  marks: RunMarks,
): void {
  const { name, attributes } = element;
  switch (name) {
    case 'text:s': {
      const count = Math.min(limits.blanks, Math.max(1, Number(attributes['text:c'] ?? 1) || 1));
      out.text(' '.repeat(count), marks);
      break;
    }
    case 'text:tab':
      out.text('\t', marks);
      break;
    case 'text:line-break':
      out.lineBreak();
      break;
    case 'text:span': {
      const style = attributes['text:style-name'];
      if (parts.styles.isHidden(style, 'text')) break;
      readRuns(element, parts, out, found, merged(marks, parts.styles.marksOf(style)));
      break;
    }
    case 'text:a':
      readRuns(element, parts, out, found, { ...marks, href: attributes['xlink:href'] });
      break;
    case 'text:note': {
      const body = xmlChild(element, 'text:note-body');
      if (body === undefined) break;
      const number = parts.notes.push(body);
      out.html(noteReference(number));
      break;
    }
    case 'text:bookmark':
    case 'text:bookmark-start':
      found.id ??= attributes['text:name'];
      break;
    case 'draw:frame':
      readFrame(element, parts, out, found, marks);
      break;
    case 'draw:a': {
      const linked = { ...marks, href: attributes['xlink:href'] };
      readRuns(element, parts, out, found, linked);
      break;
    }
    case 'draw:custom-shape':
    case 'draw:g':
    case 'draw:rect':
      found.boxes.push(element);
      break;
    case 'text:ruby':
      readRuns(xmlChild(element, 'text:ruby-base') ?? element, parts, out, found, marks);
      break;
    // An annotation is not part of the text.
    case 'office:annotation':
    case 'office:annotation-end':
    case 'text:soft-page-break':
    case 'text:change':
    case 'text:change-start':
    case 'text:change-end':
      break;
    default:
      readRuns(element, parts, out, found, marks);
  }
}

function merged(around: RunMarks, own: RunMarks): RunMarks {
  return {
    href: around.href,
    bold: own.bold ?? around.bold,
    italic: own.italic ?? around.italic,
    struck: own.struck ?? around.struck,
    superscript: own.superscript === true || around.superscript,
    subscript: own.subscript === true || around.subscript,
    code: own.code === true || around.code,
  };
}

/** A frame holds a picture, a formula, a box, or several alternatives for one object. */
function readFrame(
  frame: XmlElement,
  parts: OdfParts,
  out: InlineWriter,
  found: RunFindings,
  marks: RunMarks,
): void {
  if (xmlChild(frame, 'draw:text-box') !== undefined) {
    found.boxes.push(frame);
    return;
  }
  const object = xmlChild(frame, 'draw:object')?.attributes['xlink:href'] ?? '';
  const formula = parts.formulas.get(object.replace(/^\.\/|\/$/g, ''));
  if (formula !== undefined) {
    out.html(mathml(formula));
    return;
  }
  const name = object.replace(/^\.\/|\/$/g, '');
  const chart = parts.charts.get(name);
  if (chart !== undefined) {
    // A chart may refer to itself.
    parts.charts.delete(name);
    found.boxes.push(chartBox(chart));
    return;
  }
  const image = xmlChild(frame, 'draw:image')?.attributes['xlink:href'];
  const alt = xmlText(xmlChild(frame, 'svg:desc')) || xmlText(xmlChild(frame, 'svg:title'));
  if (image === undefined) {
    if (alt.trim() !== '') out.html(imageElement(alt, 'data:,'), marks);
    return;
  }
  const html = /^https?:/i.test(image)
    ? imageElement(alt, image)
    : parts.pictures.element(alt, image.replace(/^\.\//, ''));
  out.html(html, marks);
}

/** A chart as its title and table from the file. */
function chartBox(chart: XmlElement): XmlElement {
  const children = [
    ...xmlChildren(xmlChild(chart, 'chart:title'), 'text:p'),
    ...xmlChildren(chart, 'table:table'),
  ];
  const box = { name: 'draw:text-box', attributes: {}, children };
  return { name: 'draw:frame', attributes: {}, children: [box] };
}

/** MathML unchanged, without elements outside the formula, such as the program's source notation. */
function mathml(element: XmlElement): string {
  const name = element.name.replace(/^.*:/, '');
  if (!mathElements.has(name)) return '';
  const content = element.children
    .map((node) => (isXmlElement(node) ? mathml(node) : escapeText(node)))
    .join('');
  return `<${name}>${content}</${name}>`;
}

// State shared by the readers of an OpenDocument file.

/** The parts of a file. */
export interface OdfParts {
  readonly styles: OdfStyles;
  readonly pictures: Pictures;
  readonly budget: HtmlBudget;
  /** MathML of embedded formulas, by the names of their folders. */
  readonly formulas: ReadonlyMap<string, XmlElement>;
  /** Embedded charts that are not written yet, by the names of their folders. */
  readonly charts: Map<string, XmlElement>;
  /** The content of notes, in text order. */
  readonly notes: XmlElement[];
}
