/** Headings that doxygen and Haddock write as other elements or inside tables. */
import { type DomElement, findElement } from '../../html/dom.ts';
import { type Normalizer, replaceElement } from './normalizer.ts';

/** The title of the page, a `div` or a `p`, becomes an `h1`. */
export const pageTitle: Normalizer = (element) => {
  if (element.localName !== 'div' && element.localName !== 'p') return undefined;
  const around = element.parentElement;
  if (around === null || !isTitle(element, around)) return undefined;
  return replaceElement(element, 'h1');
};

function isTitle(element: DomElement, around: DomElement): boolean {
  return (
    (/(?:^|\s)title(?:\s|$)/.test(element.className) &&
      /(?:^|\s)headertitle(?:\s|$)/.test(around.className)) ||
    (/(?:^|\s)caption(?:\s|$)/.test(element.className) && around.id === 'module-header')
  );
}

/**
 * Moves a heading in the first row of a table, as in doxygen's member lists, before the table: inside, it
 * would make the table count as layout.
 */
export const headedTable: Normalizer = (table) => {
  const row = findElement(table, ({ localName }) => localName === 'tr', mostBefore);
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

const mostBefore = 30; // elements before the first row: captions and columns
