/** Reads OpenDocument texts, presentations and spreadsheets (.odt, .odp, .ods; OpenDocument 1.3). */
import { escapeText } from '../../../content/html/serialize.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlText } from '../../../content/html/xml.ts';
import type { Limits } from '../../../core/model/request-options.ts';
import type { FileContent, ReadFile } from '../../../content/parsers/file-parser.ts';
import { unreadable } from '../../unreadable.ts';
import { filled } from '../open-package.ts';
import { openXmlArchive } from '../xml-archive.ts';
import {
  cellLimit,
  cutWarning,
  areColumnNames,
  mostColumns,
  mostRows,
  type TableCell,
  writeTable,
} from '../table-writer.ts';
import {
  BlockWriter,
  HtmlBudget,
  notesSection,
  type SlideContent,
  writeSlide,
} from '../html-writer.ts';
import { ContentReader, type OdfParts } from './content-reader.ts';
import { OdfStyles } from './odf-styles.ts';

/** Namespaces by the prefixes in our trees, whatever prefixes a program uses. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ...['office', 'text', 'table', 'style', 'presentation', 'meta', 'chart'].map(
    (name) => [`urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`, name] as const,
  ),
  ['urn:oasis:names:tc:opendocument:xmlns:drawing:1.0', 'draw'],
  ['urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0', 'svg'],
  ['urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0', 'fo'],
  ['http://www.w3.org/1999/xlink', 'xlink'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://www.w3.org/1998/Math/MathML', 'math'],
]);

/** The text with all tracked changes accepted; comments, headers and footers are left out. */
export const readOdf: ReadFile = async ({ body: bytes }, context): Promise<FileContent> => {
  const { limits } = context;
  const reading = { nodes: limits.nodes * 3, prefixes };
  const { zip, pictures, tree: part } = openXmlArchive(bytes, context, reading);
  const content = await part('content.xml');
  const body = xmlChild(content, 'office:body');
  if (content === undefined || body === undefined) {
    const isEncrypted = zip.has('encrypted-package') || content !== undefined;
    const why = isEncrypted ? 'it is encrypted or damaged' : 'it has no content.xml';
    throw unreadable('The office file', why);
  }
  const formulas = new Map<string, XmlElement>();
  const charts = new Map<string, XmlElement>();
  for (const name of zip.names.filter((one) => /^[^/]+\/content\.xml$/.test(one))) {
    const tree = formulas.size + charts.size < 1000 ? await part(name) : undefined;
    const folder = name.slice(0, -'/content.xml'.length);
    if (tree?.name === 'math:math') formulas.set(folder, tree);
    const chart = xmlChild(tree, 'office:body', 'office:chart', 'chart:chart');
    if (chart !== undefined) charts.set(folder, chart);
  }
  const budget = new HtmlBudget(limits.text);
  const styles = new OdfStyles(await part('styles.xml'), content);
  const parts: OdfParts = {
    pictures,
    styles,
    budget,
    formulas,
    charts,
    notes: [],
  };
  const facts = readFacts(await part('meta.xml'), styles);
  const spreadsheet = xmlChild(body, 'office:spreadsheet');
  if (spreadsheet !== undefined) return { ...facts, ...readSheets(spreadsheet, parts, limits) };
  const presentation = xmlChild(body, 'office:presentation');
  if (presentation === undefined) {
    const text = xmlChild(body, 'office:text') ?? body;
    const html = new ContentReader(parts).read(text);
    return { ...facts, html: html + notesOf(parts) };
  }
  const pages = xmlChildren(presentation, 'draw:page').slice(0, 2000);
  const blocks = new BlockWriter(budget);
  pages.forEach((page, index) => {
    writeSlide(index + 1, readSlide(page, parts), blocks);
  });
  return { ...facts, html: blocks.finish() + notesOf(parts), numPages: pages.length };
};

/** A note may have notes of its own, which follow it. */
function notesOf(parts: OdfParts): string {
  const notes: string[] = [];
  for (const note of parts.notes) {
    if (notes.length >= 10_000) break;
    notes.push(new ContentReader(parts).read(note));
  }
  return notesSection(notes);
}

function readFacts(tree: XmlElement | undefined, styles: OdfStyles): Omit<FileContent, 'html'> {
  const meta = xmlChild(tree, 'office:meta');
  const text = (name: string): string | undefined => filled(xmlText(xmlChild(meta, name)));
  const keywords = xmlChildren(meta, 'meta:keyword').map(xmlText).join(', ');
  return {
    title: text('dc:title'),
    author: text('meta:initial-creator') ?? text('dc:creator'),
    description: text('dc:description') ?? text('dc:subject'),
    keywords: filled(keywords),
    language: text('dc:language') ?? styles.language,
    publishedTime: text('meta:creation-date'),
    modifiedTime: text('dc:date'),
  };
}

// OpenDocument sheets, each as a table with a heading. Cells have their displayed text.

/** Hidden sheets are left out, with a warning. */
function readSheets(
  spreadsheet: XmlElement,
  parts: OdfParts,
  limits: Limits,
): Pick<FileContent, 'html' | 'warnings'> {
  const warnings: string[] = [];
  const hidden: string[] = [];
  const html: string[] = [];
  let left = cellLimit(limits);
  for (const table of xmlChildren(spreadsheet, 'table:table')) {
    const name = table.attributes['table:name'] ?? '';
    if (parts.styles.isHidden(table.attributes['table:style-name'], 'table')) {
      hidden.push(`"${name}"`);
      continue;
    }
    const sheet = new Sheet(parts, left);
    sheet.read(table);
    left -= sheet.cells;
    if (sheet.isCut) warnings.push(cutWarning(`The sheet "${name}"`, sheet.rows.length, left));
    const rows = sheet.rows;
    const header = rows.length > 1 && areColumnNames(rows[0] ?? [], rows[1]) ? 1 : 0;
    html.push(`<h2>${escapeText(name)}</h2>`, writeTable(rows, header, parts.budget));
  }
  if (hidden.length > 0) warnings.push(`Hidden sheets were left out: ${hidden.join(', ')}.`);
  return { html: html.join(''), warnings };
}

/** A cell, or a position that another cell covers. */
interface CoverableCell extends TableCell {
  readonly isCovered: boolean;
}

const mostRepeats = 1_000; // repetitions of a row or cell with content

class Sheet {
  readonly rows: TableCell[][] = [];
  cells = 0;
  isCut = false;
  readonly #parts: OdfParts;
  readonly #most: number;

  constructor(parts: OdfParts, most: number) {
    this.#parts = parts;
    this.#most = most;
  }

  read(parent: XmlElement): void {
    for (const element of xmlChildren(parent)) {
      if (/^table:table-(?:header-rows|rows|row-group)$/.test(element.name)) this.read(element);
      else if (element.name === 'table:table-row') this.#row(element);
    }
  }

  #row(row: XmlElement): void {
    if (/^(?:collapse|filter)$/.test(row.attributes['table:visibility'] ?? '')) return;
    const cells = this.#cells(row);
    if (cells.length === 0) return;
    const repeats = Math.min(mostRepeats, repeatsOf(row, 'table:number-rows-repeated'));
    const visible = cells.filter(({ isCovered }) => !isCovered);
    for (let at = 0; at < repeats; at += 1) {
      if (this.rows.length >= mostRows || this.cells + cells.length > this.#most) {
        this.isCut = true;
        return;
      }
      if (at > 0) for (const { html } of visible) this.#parts.budget.spend(html);
      this.cells += cells.length;
      this.rows.push(visible);
    }
  }

  /** The cells of a row, without trailing empty ones, which reach the sheet's last column. */
  #cells(row: XmlElement): CoverableCell[] {
    const cells: CoverableCell[] = [];
    let empty = 0;
    for (const element of xmlChildren(row)) {
      const isCovered = element.name === 'table:covered-table-cell';
      if (!isCovered && element.name !== 'table:table-cell') continue;
      const html = isCovered ? '' : new ContentReader(this.#parts).readCell(element);
      const repeats = repeatsOf(element, 'table:number-columns-repeated');
      if (html === '' && !isCovered) {
        empty += Math.min(mostColumns, repeats);
        continue;
      }
      const gap = Math.min(empty, mostColumns - cells.length);
      for (let at = 0; at < gap; at += 1) cells.push({ html: '', isCovered: false });
      empty = 0;
      if (repeats > mostColumns - cells.length && html !== '') this.isCut = true;
      const { attributes } = element;
      const kind = attributes['office:value-type'] ?? '';
      const isNumber = /^(?:float|currency|percentage|date|time)$/.test(kind);
      for (let at = 0; at < repeats && cells.length < mostColumns; at += 1) {
        if (at > 0) this.#parts.budget.spend(html);
        cells.push({
          html,
          isCovered,
          columns: Number(attributes['table:number-columns-spanned'] ?? 1) || 1,
          rows: Number(attributes['table:number-rows-spanned'] ?? 1) || 1,
          align: isNumber ? 'right' : undefined,
        });
      }
    }
    return cells;
  }
}

function repeatsOf({ attributes }: XmlElement, name: string): number {
  return Math.max(1, Number(attributes[name] ?? 1) || 1);
}

// A slide of an OpenDocument presentation.

function readSlide(page: XmlElement, parts: OdfParts): SlideContent {
  let title = '';
  const contents: string[] = [];
  for (const shape of xmlChildren(page)) {
    if (shape.name === 'presentation:notes') continue;
    const kind = shape.attributes['presentation:class'];
    if (kind === 'title' && title === '') {
      const box = xmlChild(shape, 'draw:text-box') ?? shape;
      title = new ContentReader(parts).readTitle(box);
    } else if (!/^(?:date-time|footer|header|page-number|page)$/.test(kind ?? '')) {
      contents.push(new ContentReader(parts).readShape(shape));
    }
  }
  const notes = xmlChildren(xmlChild(page, 'presentation:notes'))
    .filter(({ attributes }) => attributes['presentation:class'] === 'notes')
    .map((shape) => new ContentReader(parts).readShape(shape));
  return { title, html: contents.join(''), notes: notes.join('') };
}
