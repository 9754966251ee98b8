/** Sheets of OpenDocument, each as a table with a heading. Its cells hold the text that is shown. */
import { escapeText } from '../../../html/escape.ts';
import { xmlChildren, type XmlElement } from '../../../html/xml-tree.ts';
import type { Limits } from '../../../model/request.ts';
import type { FileContent } from '../../file-parser.ts';
import { cellLimit, cutWarning, mostColumns, mostRows } from '../sheets/sheet-limits.ts';
import { looksLikeNames, type TableCell, writeTable } from '../writing/table-writer.ts';
import { ContentReader } from './content-reader.ts';
import type { OdfParts } from './odf-parts.ts';

/** Hidden sheets are left out, with a warning. */
export function readSheets(
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
    const header = rows.length > 1 && looksLikeNames(rows[0] ?? [], rows[1]) ? 1 : 0;
    html.push(`<h2>${escapeText(name)}</h2>`, writeTable(rows, header, parts.budget));
  }
  if (hidden.length > 0) warnings.push(`Hidden sheets were left out: ${hidden.join(', ')}.`);
  return { html: html.join(''), warnings };
}

/** A cell, or the place of one that another covers. */
interface PlacedCell extends TableCell {
  readonly isCovered: boolean;
}

/** Times that one row or cell with a content is repeated. */
const mostRepeats = 1_000;

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
    const shown = cells.filter(({ isCovered }) => !isCovered);
    for (let at = 0; at < repeats; at += 1) {
      if (this.rows.length >= mostRows || this.cells + cells.length > this.#most) {
        this.isCut = true;
        return;
      }
      if (at > 0) for (const { html } of shown) this.#parts.budget.spend(html);
      this.cells += cells.length;
      this.rows.push(shown);
    }
  }

  /** Without the empty cells at the end, which a sheet has up to its last column. */
  #cells(row: XmlElement): PlacedCell[] {
    const cells: PlacedCell[] = [];
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
