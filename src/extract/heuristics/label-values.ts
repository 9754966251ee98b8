/** Reads labels with values: two-column tables, definition lists, `label: value` lines, siblings, headings, classes. */
import { type DomElement, closestWhere } from '../../content/html/dom.ts';
import { elementText, labelText, textLines } from '../facts/element-text.ts';
import { isStruck } from '../values/money.ts';
import { familyNamed } from '../facts/entities.ts';
import { wordsOf } from '../facts/property-names.ts';
import type { DataTable } from './data-tables.ts';
import type { IsSide } from './side-content.ts';

const limits = {
  labelValues: 5000,
  labelLength: 60,
  value: 1000,
  siblingElements: 20_000,
  rows: 5000,
  siblingLabel: 60,
  headings: 500,
  siblings: 60,
  headingEntries: 1000,
  text: 10_000,
  classElements: 20_000,
  classPairs: 2000,
};

/**
 * The first 5,000 labels with values below `root`: tables first, then definition lists, then lists and lines.
 * Side content is left out.
 */
export function readLabelValues(
  root: DomElement,
  tables: readonly DataTable[],
  isSide: IsSide = () => false,
): LabelValues[] {
  const labelValues: LabelValues[] = [];
  for (const found of allLabelValues(root, tables, isSide)) {
    if (found.label === '' || found.label.length > limits.labelLength || found.values.length === 0)
      continue;
    labelValues.push(found);
    if (labelValues.length >= limits.labelValues) break;
  }
  return labelValues;
}

function* allLabelValues(
  root: DomElement,
  tables: readonly DataTable[],
  isSide: IsSide,
): Generator<LabelValues> {
  yield* tableLabelValues(tables, isSide);
  yield* definitions(root, isSide);
  yield* siblingLabelValues(root, isSide);
  yield* headingLabelValues(root);
  yield* lineLabelValues(linesOf(root, isSide));
}

/** The labels with values in lines of text that is not HTML. */
export function readTextLabelValues(text: string): LabelValues[] {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/^[\s>*#-]+|\*\*/g, '').trim());
  return [...lineLabelValues(lines)];
}

/** Rows of a label and a value; `th td th td` gives two pairs. */
function* tableLabelValues(tables: readonly DataTable[], isSide: IsSide): Generator<LabelValues> {
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

function* definitions(root: DomElement, isSide: IsSide): Generator<LabelValues> {
  const lists = root.localName === 'dl' ? [root] : root.querySelectorAll('dl');
  for (const list of lists) {
    if (isOther(list, isSide)) continue;
    let labels: string[] = [];
    let values: LabelValue[] = [];
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

/** A box with facts is often an `aside`: its tables and `dl`s are about the page. */
function isOther(element: DomElement, isSide: IsSide): boolean {
  if (!isSide(element)) return false;
  const aside = closestWhere(element.parentElement, ({ localName }) => localName === 'aside');
  return aside?.querySelector('h2, h3, h4') !== null;
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
function* lineLabelValues(lines: readonly string[]): Generator<LabelValues> {
  for (const [index, line] of lines.entries()) {
    const colon = line.search(/[:：]/);
    if (colon === -1) yield* spacedLabelValues(line);
    if (colon <= 0 || colon > limits.labelLength) continue;
    const label = line.slice(0, colon).trim();
    const after = line.slice(colon + 1);
    const text = after.trim() === '' ? valueLine(lines[index + 1]) : after.trim();
    // `10:30` and `https://` are not labels, and a label is not a sentence.
    const isWord = /\p{L}\W*$/u.test(label) && !after.startsWith('//');
    const isLabel = isWord && label.split(' ').length <= 5;
    if (isLabel && text !== '' && text.length <= limits.value)
      yield pair(label, 'label', [{ text }]);
  }
}

const spaced =
  /^(\p{L}[\p{L}'’.-]*(?: \p{L}[\p{L}'’.-]*){0,4}?),? ((?:[$€£¥]|(?:CHF|EUR|USD) )?\d.{0,39})$/u;

const numbered =
  /^(?:page|step|chapter|part|table|figure|day|week|item|section|level|room|seite|schritt|kapitel|teil|tag|étape|página|paso|parte)$/i;

/** `Serves 4`, `Posted on 3 May 2026`: a short line of a label and a value that begins with a digit. */
function* spacedLabelValues(line: string): Generator<LabelValues> {
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

function pair(
  label: string,
  source: LabelValues['source'],
  values: readonly LabelValue[],
): LabelValues {
  return { label: label.replace(/\s*[:：]\s*$/, ''), source, values, isList: false };
}

// A label with its values, from any part of a page.

/** A label and the values beside it. */
export interface LabelValues {
  readonly label: string;
  readonly source: 'table' | 'definition-list' | 'label';
  /** Several values for several `dd` of a `dt`, and for a list below a heading. */
  readonly values: readonly LabelValue[];
  /** A list below its heading: only for properties that are arrays. */
  readonly isList: boolean;
  /** Paragraphs below a heading: only for properties that are texts. */
  readonly isText?: true;
}

/** A text, or an element whose text is read on demand. */
export type LabelValue =
  | { readonly text: string; readonly element?: undefined }
  | { readonly element: DomElement; readonly text?: undefined };

// Labels with their values in elements side by side, without a colon: `<span>Rooms</span><span>3</span>`.

const rowNames = /^(div|li|p|section|span|tr)$/;

const cellNames = /^(div|span|p|b|strong|small|em|label|dt|dd|h[3-6]|a|time|i|td)$/;

/**
 * Elements with exactly two child elements and no other text: the first is a label, if its text matches the
 * name of a property.
 */
function* siblingLabelValues(root: DomElement, isSide: IsSide): Generator<LabelValues> {
  let seen = 0;
  let rows = 0;
  for (const row of root.querySelectorAll('div, li, p, section, span')) {
    if ((seen += 1) > limits.siblingElements || rows > limits.rows) return;
    if (!rowNames.test(row.localName)) continue;
    const [label, value, more] = row.children;
    if (label === undefined || value === undefined || more !== undefined) continue;
    if (!cellNames.test(label.localName) || !cellNames.test(value.localName)) continue;
    if (hasOwnText(row) || isSide(row)) continue;
    const text = labelText(label);
    if (text === '' || text.length > limits.siblingLabel || /\d/.test(text)) continue;
    rows += 1;
    yield {
      label: text.replace(/\s*[:：]\s*$/, ''),
      source: 'label',
      values: [{ element: value }],
      isList: false,
    };
  }
}

function hasOwnText(element: DomElement): boolean {
  for (let node = element.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === 3 && (node.textContent ?? '').trim() !== '') return true;
  }
  return false;
}

// Headings as labels: a list below is an array's value, paragraphs are a text.

/** One pair for each heading with lists below it, one for each with only paragraphs below it. */
function* headingLabelValues(root: DomElement): Generator<LabelValues> {
  let seen = 0;
  for (const heading of root.querySelectorAll('h2, h3, h4, h5, h6')) {
    if ((seen += 1) > limits.headings) return;
    const label = labelText(heading).replace(/\s*[:：]\s*$/, '');
    if (label === '') continue;
    const below = elementsBelow(heading);
    const items = below.flatMap(itemsOf).slice(0, limits.headingEntries);
    if (items.length > 0) {
      const values = items.map((element): LabelValue => ({ element }));
      yield { label, source: 'label', values, isList: true };
      continue;
    }
    const last = below.findIndex((element) => element.localName !== 'p' || isAside(element));
    const paragraphs = last === -1 ? below : below.slice(0, last);
    if (paragraphs.length === 0 || paragraphs.length > 12) continue;
    const text = headingText(paragraphs);
    if (text !== '')
      yield { label, source: 'label', values: [{ text }], isList: false, isText: true };
  }
}

/** Elements up to the next heading of the same rank; a heading alone in a wrapper stands for the wrapper. */
function elementsBelow(heading: DomElement): DomElement[] {
  const parent = heading.parentElement;
  const isWrapped =
    heading.nextElementSibling === null &&
    parent?.firstElementChild === heading &&
    /^(div|header)$/.test(parent.localName);
  const below: DomElement[] = [];
  let next = (isWrapped ? parent : heading).nextElementSibling;
  for (let steps = 0; next !== null && steps < limits.siblings; steps += 1) {
    const isHeading = /^h[1-6]$/.test(next.localName);
    if (isHeading && next.localName <= heading.localName) break;
    below.push(next);
    next = next.nextElementSibling;
  }
  return below;
}

/** The entries of a list, or of the only list in a wrapper. */
function itemsOf(element: DomElement): DomElement[] {
  const list = /^[uo]l$/.test(element.localName)
    ? element
    : element.localName === 'div'
      ? onlyList(element)
      : undefined;
  return [...(list?.children ?? [])].filter(({ localName }) => localName === 'li');
}

function onlyList(wrapper: DomElement): DomElement | undefined {
  const [first, second] = wrapper.querySelectorAll('ul, ol');
  return second === undefined && wrapper.querySelector('h1, h2, h3, h4') === null
    ? first
    : undefined;
}

/** A paragraph that is a link or a labelled value ends the text. */
function isAside(paragraph: DomElement): boolean {
  const text = labelText(paragraph);
  const [link, more] = paragraph.querySelectorAll('a');
  if (link !== undefined && more === undefined && labelText(link) === text) return true;
  return /^[^\s:]+(?: [^\s:]+){0,2} ?:/.test(text);
}

function headingText(paragraphs: readonly DomElement[]): string {
  let text = '';
  for (const paragraph of paragraphs) {
    text += ` ${elementText(paragraph)}`;
    if (text.length > limits.text) return '';
  }
  return text.trim();
}

// Class names that match a property: `<span class="product-price">`.

/** Layout class names, and names used for many purposes. */
const layoutClasses = new Set(
  (
    'title name date time type status label value text content image img link url id color size position width height ' +
    'depth length start end left right free default row column area section page pages material floor ' +
    'body header footer description summary available now data item items list count amount total ' +
    'language lang active version format location map street region where cover number language ' +
    'material weight score before after space reference note web live cp local fine band part parts'
  ).split(' '),
);

/** `isWhole`: the element is one record, so that words for titles and dates refer to it. */
export function* classLabelValues(
  root: DomElement,
  isSide: IsSide,
  isWhole: boolean,
): Generator<LabelValues> {
  let seen = 0;
  let found = 0;
  for (const element of root.querySelectorAll('[class]')) {
    if ((seen += 1) > limits.classElements || found > limits.classPairs) return;
    const names = element.className.slice(0, 200).split(/\s+/);
    for (const name of names) {
      const words = labelOfClass(name);
      if (words === '' || (layoutClasses.has(words) && !(isWhole && inRecords.has(words))))
        continue;
      if (isSide(element) || isStruck(element)) break;
      found += 1;
      yield { label: words, source: 'label', values: [{ element }], isList: false };
    }
  }
}

const inRecords = new Set(
  'title name date time location description summary status type'.split(' '),
);

/** The words of a class name without the name of the thing: `job-card__company` → `company`. */
function labelOfClass(name: string): string {
  const own = name.replace(/^.*__/, '').replace(/--.*$/, '');
  // Most names are plain: a long list has thousands of them.
  const words = /^[a-z]+(?:-[a-z]+)*$/.test(own) ? own.split('-') : wordsOf(own);
  if (words.length > 1 && familyNamed(words[0] ?? '') !== undefined) words.shift();
  return words.length > 3 ? '' : words.join(' ');
}
