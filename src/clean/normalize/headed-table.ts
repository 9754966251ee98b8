/** Tables whose first row is the heading of the section: doxygen writes its lists of members so. */
import { type DomElement, elementsOf } from '../../html/dom.ts';
import type { Normalizer } from './normalizer.ts';

/** The heading comes before the table: with it inside, the table would count as one for the layout. */
export const headedTable: Normalizer = (table) => {
  const row = firstRow(table);
  const cell = row?.firstElementChild;
  if (!row || !cell || cell.nextElementSibling !== null) return undefined;
  const heading = cell.firstElementChild;
  if (heading === null || !/^h[1-6]$/.test(heading.localName)) return undefined;
  if ((heading.textContent ?? '').trim() !== (cell.textContent ?? '').trim()) return undefined;
  if (row.nextElementSibling === null || table.parentNode === null) return undefined;
  table.parentNode.insertBefore(heading, table);
  row.remove();
  return undefined;
};

/** Elements before the first row: captions and columns. */
const mostBefore = 30;

function firstRow(table: DomElement): DomElement | undefined {
  let left = mostBefore;
  for (const inner of elementsOf(table)) {
    if (inner.localName === 'tr') return inner;
    if (--left === 0) break;
  }
  return undefined;
}
