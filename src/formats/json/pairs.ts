/** Labels with their values: two-column tables, definition lists, `label: value` lines. */
import type { DomElement } from '../../html/dom.ts';
import { elementText, textLines } from '../structured-data/element-text.ts';
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

/** A text with the element it is from, where it is one's whole text. */
export interface PairValue {
  readonly text: string;
  readonly element?: DomElement;
}

const maxPairs = 5000;
const maxLabel = 60;
const maxValue = 1000;

/** The pairs below `root`: tables first, then definition lists, then lists and lines. */
export function readPairs(root: DomElement, tables: readonly DataTable[]): Pair[] {
  return [
    ...tablePairs(tables),
    ...definitions(root),
    ...headedLists(root),
    ...linePairs(linesOf(root)),
  ]
    .filter(({ label, values }) => label !== '' && label.length <= maxLabel && values.length > 0)
    .slice(0, maxPairs);
}

/** The pairs in lines of text that is no HTML. */
export function readTextPairs(text: string): Pair[] {
  return linePairs(text.split(/\r?\n/).map((line) => line.replace(/^[\s>*#-]+|\*\*/g, '').trim()));
}

/** Rows of a label and a value; `th td th td` gives two. */
function tablePairs(tables: readonly DataTable[]): Pair[] {
  const pairs: Pair[] = [];
  for (const row of tables.flatMap((table) => table.cells)) {
    const isLabelled = row.every((cell, x) => (cell.localName === 'th') === (x % 2 === 0));
    const isPlainPair = row.length === 2 && row[1]?.localName === 'td';
    if (row.length % 2 !== 0 || !(isPlainPair || isLabelled)) continue;
    for (let x = 0; x + 1 < row.length; x += 2) {
      const [label, value] = [row[x], row[x + 1]];
      if (label === undefined || value === undefined) continue;
      pairs.push(pair(elementText(label), 'table', [valueOf(value)]));
    }
  }
  return pairs;
}

function definitions(root: DomElement): Pair[] {
  const pairs: Pair[] = [];
  const lists = root.localName === 'dl' ? [root] : root.querySelectorAll('dl');
  for (const list of lists) {
    let labels: string[] = [];
    let values: PairValue[] = [];
    const end = (): void => {
      for (const label of labels) pairs.push(pair(label, 'definition-list', values));
    };
    for (const entry of entriesOf(list)) {
      if (entry.localName === 'dt') {
        if (values.length > 0) {
          end();
          labels = [];
          values = [];
        }
        labels.push(elementText(entry));
      } else if (labels.length > 0) {
        values.push(valueOf(entry));
      }
    }
    end();
  }
  return pairs;
}

/** HTML lets a `div` hold each group of a definition list. */
function entriesOf(list: DomElement): DomElement[] {
  return [...list.children]
    .flatMap((child) => (child.localName === 'div' ? [...child.children] : [child]))
    .filter(({ localName }) => localName === 'dt' || localName === 'dd');
}

/** `<h2>Ingredients</h2><ul>…`: the items are the values of the heading. */
function headedLists(root: DomElement): Pair[] {
  const pairs: Pair[] = [];
  for (const list of root.querySelectorAll('ul, ol')) {
    const label = headingBefore(list);
    if (label === '') continue;
    const items = [...list.children].filter((item) => item.localName === 'li');
    pairs.push({ ...pair(label, 'label', items.map(valueOf)), isList: true });
  }
  return pairs;
}

const furniture = /^(nav|footer|form|select|table|dl|button|textarea)$/;

function linesOf(root: DomElement): string[] {
  return textLines(root, ({ localName }) => furniture.test(localName));
}

/** `Label: value`, and `Label:` with the value on the next line. */
function linePairs(lines: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  for (const [index, line] of lines.entries()) {
    const colon = line.search(/[:：]/);
    if (colon <= 0 || colon > maxLabel) continue;
    const label = line.slice(0, colon).trim();
    const after = line.slice(colon + 1);
    const text = after.trim() === '' ? valueLine(lines[index + 1]) : after.trim();
    // `10:30` and `https://` are no labels, and a label is not a sentence.
    const isWord = /\p{L}\W*$/u.test(label) && !after.startsWith('//');
    const isLabel = isWord && label.split(' ').length <= 5;
    if (isLabel && text !== '' && text.length <= maxValue)
      pairs.push(pair(label, 'label', [{ text }]));
  }
  return pairs;
}

/** The next line, unless it is a label itself. */
function valueLine(line = ''): string {
  return /[:：]$/.test(line) ? '' : line;
}

function pair(label: string, source: Pair['source'], values: readonly PairValue[]): Pair {
  return { label: label.replace(/\s*[:：]\s*$/, ''), source, values, isList: false };
}

function valueOf(element: DomElement): PairValue {
  return { text: elementText(element), element };
}
