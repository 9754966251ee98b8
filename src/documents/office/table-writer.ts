/** Writes rows of cells as an HTML table; limits for sheets. */
import type { Limits } from '../../core/model/request-options.ts';
import type { HtmlBudget } from './html-writer.ts';

const bounds = {
  span: 1000, // columns or rows that one cell covers
  mergedRows: 3, // rows that merged cells add to a header; more are a label beside the rows
  cells: 200_000, // of a file; each is an element and a text of the page
};

/** A cell. Cells that another one covers are left out of their row. */
export interface TableCell {
  readonly html: string;
  /** @default 1 */
  readonly columns?: number | undefined;
  /** @default 1 */
  readonly rows?: number | undefined;
  /** True for a cell in the program's style for table headings. */
  readonly isHeading?: boolean | undefined;
  /** The text alignment; undefined for the default. */
  readonly align?: 'right' | 'center' | undefined;
}

/**
 * The first `marked` rows are the header; without any, the first rows that are all bold or in a heading
 * style. Rows into which a header cell extends belong to it. Returns an empty text without rows.
 */
export function writeTable(
  rows: readonly (readonly TableCell[])[],
  marked: number,
  budget: HtmlBudget,
): string {
  if (rows.length === 0) return '';
  const { headerRows, hasSections } = headerOf(rows, marked > 0 ? marked : headingRows(rows));
  const parts = [hasSections ? '<table><thead>' : '<table><tbody>'];
  rows.forEach((cells, index) => {
    const isHead = index < headerRows;
    if (hasSections && index === headerRows) parts.push('</thead><tbody>');
    parts.push('<tr>');
    for (const cell of cells) {
      const name = isHead ? 'th' : 'td';
      const html = isHead ? cell.html.replace(boldCell, '$1') : cell.html;
      parts.push(budget.spend(`<${name}${attributesOf(cell)}>`), html, `</${name}>`);
    }
    parts.push(budget.spend('</tr>'));
  });
  parts.push(hasSections && headerRows >= rows.length ? '</thead></table>' : '</tbody></table>');
  return parts.join('');
}

/**
 * The header rows, including rows into which their cells extend. A span ends with its section: if a cell
 * extends far below the header, as a label beside the rows does, the table has one section.
 */
function headerOf(
  rows: readonly (readonly TableCell[])[],
  found: number,
): { readonly headerRows: number; readonly hasSections: boolean } {
  let end = found;
  for (let index = 0; index < Math.min(end, rows.length); index += 1) {
    for (const { rows: down = 1 } of rows[index] ?? []) end = Math.max(end, index + down);
  }
  const isHeader = end === found || (end < rows.length && end <= found + bounds.mergedRows);
  return { headerRows: isHeader ? end : found, hasSections: isHeader && found > 0 };
}

/** A cell with only bold text. */
const boldCell = /^<strong>([^<]*)<\/strong>$/;

/** The number of first rows styled as headings, in a table whose other rows are not. */
function headingRows(rows: readonly (readonly TableCell[])[]): number {
  const isHeading = (row: readonly TableCell[]): boolean =>
    row.some(({ html }) => html !== '') &&
    row.every((cell) => cell.html === '' || cell.isHeading === true || boldCell.test(cell.html));
  const count = rows.findIndex((row) => !isHeading(row));
  return Math.max(0, count);
}

function attributesOf({ columns = 1, rows = 1, align }: TableCell): string {
  if (columns === 1 && rows === 1 && align === undefined) return '';
  return [
    columns > 1 ? ` colspan="${Math.min(bounds.span, columns)}"` : '',
    rows > 1 ? ` rowspan="${Math.min(bounds.span, rows)}"` : '',
    align === undefined ? '' : ` align="${align}"`,
  ].join('');
}

/** The content of a cell: a single paragraph needs no element. */
export function inCell(html: string): string {
  if (!html.startsWith('<p>') || !html.endsWith('</p>')) return html;
  const inside = html.slice(3, -4);
  return inside.includes('</p>') ? html : inside;
}

/**
 * True for a first row of names: mostly texts, and no numbers. A year is a name if another kind of value is
 * below it.
 */
export function areColumnNames(
  cells: readonly TableCell[],
  below: readonly TableCell[] | undefined,
): boolean {
  const filled = cells.filter(({ html }) => html !== '').length;
  const isText = ({ html, align }: TableCell): boolean => html !== '' && align === undefined;
  const isName = ({ html, align }: TableCell, column: number): boolean =>
    align === undefined || (isYear(html) && !isYear(below?.[column]?.html ?? html));
  return filled * 2 > cells.length && cells.some(isText) && cells.every(isName);
}

function isYear(text: string): boolean {
  return /^(?:19|20)\d\d$/.test(text);
}

// Limits of a sheet: rows, columns, cells.

/** Limit of rows of one sheet; further ones are left out with a warning. */
export const mostRows = 50_000;

/** Limit of columns of one sheet. */
export const mostColumns = 1_000;

/** The number of cells that fit into the page. */
export function cellLimit(limits: Limits): number {
  return Math.min(bounds.cells, Math.floor(limits.nodes / 4));
}

/** The warning about a sheet that was not fully read. */
export function cutWarning(what: string, rows: number, cells: number): string {
  return `${what} was read to row ${rows}: at most ${mostRows} rows of ${mostColumns} columns, and ${cells} cells of a file, are read.`;
}

/** `1,234.50`, `-3`, `12 %`, `€ 5` */
export function isNumber(text: string): boolean {
  return (
    text.length < 40 && /^[-+(]?\s?[$€£¥]?\s?\d[\d.,' ]*(?:e[-+]?\d+)?\s?[%$€£¥)]?$/i.test(text)
  );
}
