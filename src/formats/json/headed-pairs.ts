/** What stands below a heading: lists as the values of properties that are arrays, paragraphs as text. */
import type { DomElement } from '../../html/dom.ts';
import { elementText, labelText } from '../structured-data/element-text.ts';
import type { Pair, PairValue } from './pair.ts';

const maxHeadings = 500;
const maxSiblings = 60;
const maxEntries = 1000;
const maxText = 10_000;

/** One pair for each heading with lists below it, one for each with nothing but paragraphs. */
export function* headedPairs(root: DomElement): Generator<Pair> {
  let seen = 0;
  for (const heading of root.querySelectorAll('h2, h3, h4, h5, h6')) {
    if ((seen += 1) > maxHeadings) return;
    const label = labelText(heading).replace(/\s*[:：]\s*$/, '');
    if (label === '') continue;
    const below = elementsBelow(heading);
    const items = below.flatMap(itemsOf).slice(0, maxEntries);
    if (items.length > 0) {
      const values = items.map((element): PairValue => ({ element }));
      yield { label, source: 'label', values, isList: true };
      continue;
    }
    const last = below.findIndex((element) => element.localName !== 'p' || isAside(element));
    const paragraphs = last === -1 ? below : below.slice(0, last);
    if (paragraphs.length === 0 || paragraphs.length > 12) continue;
    const text = textOf(paragraphs);
    if (text !== '')
      yield { label, source: 'label', values: [{ text }], isList: false, isText: true };
  }
}

/** Up to the next heading of the same rank; a heading alone in a wrapper stands for the wrapper. */
function elementsBelow(heading: DomElement): DomElement[] {
  const parent = heading.parentElement;
  const isWrapped =
    heading.nextElementSibling === null &&
    parent?.firstElementChild === heading &&
    /^(div|header)$/.test(parent.localName);
  const below: DomElement[] = [];
  let next = (isWrapped ? parent : heading).nextElementSibling;
  for (let steps = 0; next !== null && steps < maxSiblings; steps += 1) {
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

function textOf(paragraphs: readonly DomElement[]): string {
  let text = '';
  for (const paragraph of paragraphs) {
    text += ` ${elementText(paragraph)}`;
    if (text.length > maxText) return '';
  }
  return text.trim();
}
