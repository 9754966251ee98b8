/** Labels with their values: two-column tables, definition lists, `label: value` lines. */
import type { DomElement } from '../../html/dom.ts';
import { labelText, textLines } from '../structured-data/element-text.ts';
import { type DataTable, headingBefore } from './data-tables.ts';

/** A label and what stands beside it. */
export interface Pair {
  readonly label: string;
  readonly source: 'table' | 'definition-list' | 'label';
  /** More than one for several `dd` of a `dt`, and for a list below a heading. */
  readonly values: readonly PairValue[];
  /** A list below its heading: only for properties that are arrays. */
  readonly isList: boolean;
}

/** A text, or the element whose text it is: it is read when it is asked for. */
export type PairValue =
  | { readonly text: string; readonly element?: undefined }
  | { readonly element: DomElement; readonly text?: undefined };

const maxPairs = 5000;
const maxLabel = 60;
const maxValue = 1000;

/** The first 5,000 pairs below `root`: tables first, then definition lists, then lists and lines. */
export function readPairs(root: DomElement, tables: readonly DataTable[]): Pair[] {
  const pairs: Pair[] = [];
  for (const found of allPairs(root, tables)) {
    if (found.label === '' || found.label.length > maxLabel || found.values.length === 0) continue;
    pairs.push(found);
    if (pairs.length >= maxPairs) break;
  }
  return pairs;
}

function* allPairs(root: DomElement, tables: readonly DataTable[]): Generator<Pair> {
  yield* tablePairs(tables);
  yield* definitions(root);
  yield* headedLists(root);
  yield* linePairs(linesOf(root));
}

/** The pairs in lines of text that is no HTML. */
export function readTextPairs(text: string): Pair[] {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/^[\s>*#-]+|\*\*/g, '').trim());
  return [...linePairs(lines)];
}

/** Rows of a label and a value; `th td th td` gives two. */
function* tablePairs(tables: readonly DataTable[]): Generator<Pair> {
  for (const { cells } of tables) {
    for (const row of cells) {
      const isLabelled = row.every((cell, x) => (cell.localName === 'th') === (x % 2 === 0));
      const isPlainPair = row.length === 2 && row[1]?.localName === 'td';
      if (row.length % 2 !== 0 || !(isPlainPair || isLabelled)) continue;
      for (let x = 0; x + 1 < row.length; x += 2) {
        const [label, value] = [row[x], row[x + 1]];
        if (label === undefined || value === undefined) continue;
        yield pair(labelText(label), 'table', [{ element: value }]);
      }
    }
  }
}

function* definitions(root: DomElement): Generator<Pair> {
  const lists = root.localName === 'dl' ? [root] : root.querySelectorAll('dl');
  for (const list of lists) {
    let labels: string[] = [];
    let values: PairValue[] = [];
    for (const entry of entriesOf(list)) {
      if (entry.localName === 'dt') {
        if (values.length > 0) {
          for (const label of labels) yield pair(label, 'definition-list', values);
          labels = [];
          values = [];
        }
        labels.push(labelText(entry));
      } else if (labels.length > 0) {
        values.push({ element: entry });
      }
    }
    for (const label of labels) yield pair(label, 'definition-list', values);
  }
}

/** HTML lets a `div` hold each group of a definition list. */
function entriesOf(list: DomElement): DomElement[] {
  return [...list.children]
    .flatMap((child) => (child.localName === 'div' ? [...child.children] : [child]))
    .filter(({ localName }) => localName === 'dt' || localName === 'dd');
}

/** `<h2>Ingredients</h2><ul>…`: the items are the values of the heading. */
function* headedLists(root: DomElement): Generator<Pair> {
  for (const list of root.querySelectorAll('ul, ol')) {
    const label = headingBefore(list);
    if (label === '') continue;
    const items = [...list.children].filter((item) => item.localName === 'li');
    const values = items.map((element) => ({ element }));
    yield { ...pair(label, 'label', values), isList: true };
  }
}

const furniture = /^(nav|footer|form|select|table|dl|button|textarea)$/;

function linesOf(root: DomElement): string[] {
  return textLines(root, ({ localName }) => furniture.test(localName));
}

/** `Label: value`, and `Label:` with the value on the next line. */
function* linePairs(lines: readonly string[]): Generator<Pair> {
  for (const [index, line] of lines.entries()) {
    const colon = line.search(/[:：]/);
    if (colon <= 0 || colon > maxLabel) continue;
    const label = line.slice(0, colon).trim();
    const after = line.slice(colon + 1);
    const text = after.trim() === '' ? valueLine(lines[index + 1]) : after.trim();
    // `10:30` and `https://` are no labels, and a label is not a sentence.
    const isWord = /\p{L}\W*$/u.test(label) && !after.startsWith('//');
    const isLabel = isWord && label.split(' ').length <= 5;
    if (isLabel && text !== '' && text.length <= maxValue) yield pair(label, 'label', [{ text }]);
  }
}

/** The next line, unless it is a label itself. */
function valueLine(line = ''): string {
  return /[:：]$/.test(line) ? '' : line;
}

function pair(label: string, source: Pair['source'], values: readonly PairValue[]): Pair {
  return { label: label.replace(/\s*[:：]\s*$/, ''), source, values, isList: false };
}
