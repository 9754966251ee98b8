/** Labels with their values: two-column tables, definition lists, `label: value` lines. */
import type { DomElement } from '../../html/dom.ts';
import { labelText, textLines } from '../structured-data/element-text.ts';
import type { DataTable } from './data-tables.ts';
import { headedPairs } from './headed-pairs.ts';
import type { Pair, PairValue } from './pair.ts';
import { siblingPairs } from './sibling-pairs.ts';
import type { IsSide } from './side-content.ts';

const maxPairs = 5000;
const maxLabel = 60;
const maxValue = 1000;

/**
 * The first 5,000 pairs below `root`: tables first, then definition lists, then lists and lines. What
 * is about other things than the page is left out.
 */
export function readPairs(
  root: DomElement,
  tables: readonly DataTable[],
  isSide: IsSide = () => false,
): Pair[] {
  const pairs: Pair[] = [];
  for (const found of allPairs(root, tables, isSide)) {
    if (found.label === '' || found.label.length > maxLabel || found.values.length === 0) continue;
    pairs.push(found);
    if (pairs.length >= maxPairs) break;
  }
  return pairs;
}

function* allPairs(
  root: DomElement,
  tables: readonly DataTable[],
  isSide: IsSide,
): Generator<Pair> {
  yield* tablePairs(tables, isSide);
  yield* definitions(root, isSide);
  yield* siblingPairs(root, isSide);
  yield* headedPairs(root);
  yield* linePairs(linesOf(root, isSide));
}

/** The pairs in lines of text that is no HTML. */
export function readTextPairs(text: string): Pair[] {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/^[\s>*#-]+|\*\*/g, '').trim());
  return [...linePairs(lines)];
}

/** Rows of a label and a value; `th td th td` gives two. */
function* tablePairs(tables: readonly DataTable[], isSide: IsSide): Generator<Pair> {
  for (const { cells } of tables) {
    const [[first] = []] = cells;
    if (first !== undefined && isOther(first, isSide)) continue;
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

function* definitions(root: DomElement, isSide: IsSide): Generator<Pair> {
  const lists = root.localName === 'dl' ? [root] : root.querySelectorAll('dl');
  for (const list of lists) {
    if (isOther(list, isSide)) continue;
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

/** A box with facts is often an `aside`: what it holds in a table or `dl` is about the page. */
function isOther(element: DomElement, isSide: IsSide): boolean {
  if (!isSide(element)) return false;
  for (let around = element.parentElement; around !== null; around = around.parentElement) {
    if (around.localName === 'aside') return around.querySelector('h2, h3, h4') !== null;
  }
  return true;
}

/** HTML lets a `div` hold each group of a definition list. */
function entriesOf(list: DomElement): DomElement[] {
  return [...list.children]
    .flatMap((child) => (child.localName === 'div' ? [...child.children] : [child]))
    .filter(({ localName }) => localName === 'dt' || localName === 'dd');
}

const furniture = /^(nav|footer|form|select|table|dl|button|textarea)$/;

function linesOf(root: DomElement, isSide: IsSide): string[] {
  return textLines(root, (element) => furniture.test(element.localName) || isSide(element));
}

/** `Label: value`, and `Label:` with the value on the next line. */
function* linePairs(lines: readonly string[]): Generator<Pair> {
  for (const [index, line] of lines.entries()) {
    const colon = line.search(/[:：]/);
    if (colon === -1) yield* spacedPair(line);
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

const spaced =
  /^(\p{L}[\p{L}'’.-]*(?: \p{L}[\p{L}'’.-]*){0,4}?),? ((?:[$€£¥]|(?:CHF|EUR|USD) )?\d.{0,39})$/u;
const numbered =
  /^(?:page|step|chapter|part|table|figure|day|week|item|section|level|room|seite|schritt|kapitel|teil|tag|étape|página|paso|parte)$/i;

/** `Serves 4`, `Posted on 3 May 2026`: a short line of a label and what begins with a figure. */
function* spacedPair(line: string): Generator<Pair> {
  if (line.length > 80) return;
  const match = spaced.exec(line);
  const label = match?.[1] ?? '';
  if (match === null || numbered.test(label)) return;
  yield pair(label, 'label', [{ text: match[2] ?? '' }]);
}

/** The next line, unless it is a label itself. */
function valueLine(line = ''): string {
  return /[:：]$/.test(line) ? '' : line;
}

function pair(label: string, source: Pair['source'], values: readonly PairValue[]): Pair {
  return { label: label.replace(/\s*[:：]\s*$/, ''), source, values, isList: false };
}
