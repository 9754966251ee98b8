/** How much of a sheet is read. */
import type { Limits } from '../../../model/request.ts';

/** Rows of one sheet; further ones are left out with a warning. */
export const mostRows = 50_000;

/** Columns of one sheet. */
export const mostColumns = 1_000;

/** Cells of a file; one is an element and a text of the page. */
const mostCells = 200_000;

/** Cells that fit into the page. */
export function cellLimit(limits: Limits): number {
  return Math.min(mostCells, Math.floor(limits.nodes / 4));
}

/** What is told of a sheet that was not read to its end. */
export function cutWarning(what: string, rows: number, cells: number): string {
  return `${what} was read to row ${rows}: at most ${mostRows} rows of ${mostColumns} columns, and ${cells} cells of a file, are read.`;
}

/** `1,234.50`, `-3`, `12 %`, `€ 5` */
export function isNumber(text: string): boolean {
  return (
    text.length < 40 && /^[-+(]?\s?[$€£¥]?\s?\d[\d.,' ]*(?:e[-+]?\d+)?\s?[%$€£¥)]?$/i.test(text)
  );
}
