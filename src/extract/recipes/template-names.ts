/** The fingerprint of a page template: the names of its elements, and their nesting. */
import {
  type DomElement,
  elementsOf,
  isElement,
  isText,
  nextNode,
} from '../../content/html/dom.ts';
import { labelText } from '../facts/element-text.ts';

const mostElements = 20_000;
const mostNames = 600;

/** Visible elements: with text in them, or replaced elements such as images. */
export function showingElements(root: DomElement): ReadonlySet<DomElement> {
  const showing = new Set<DomElement>();
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root)) {
    const shows = isText(node) ? /\S/.test(node.data) : isElement(node) && isThing(node);
    if (!shows) continue;
    let current: DomElement | null = isElement(node) ? node : node.parentElement;
    while (current !== null && !showing.has(current)) {
      showing.add(current);
      current = current.parentElement;
    }
  }
  return showing;
}

/** Names in order of appearance, each once; all digits count as the same. */
export function templateNames(root: DomElement, showing: ReadonlySet<DomElement>): string[] {
  const names = new Set<string>();
  let left = mostElements;
  for (const element of elementsOf(root)) {
    if (--left < 0 || names.size >= mostNames) break;
    if (!showing.has(element)) continue;
    const { localName } = element;
    const own = (element.getAttribute('class') ?? '').split(/\s+/, 12);
    for (const name of [...own, ...prefixed('#', element.id), ...itemprops(element)]) {
      if (/^[^\s]{1,60}$/.test(name)) names.add(`${localName}.${name}`.replace(/\d+/g, '0'));
    }
    if (!/^(?:th|dt|label)$/.test(localName)) continue;
    const label = labelText(element);
    if (label.length <= 40 && /^\p{L}/u.test(label) && !/\d/.test(label)) {
      names.add(`${localName}=${label.toLowerCase()}`);
    }
  }
  return [...names];
}

/** Nesting of elements, three levels deep. */
export function templateShape(root: DomElement, showing: ReadonlySet<DomElement>): string[] {
  const shape = new Set<string>();
  let left = mostElements;
  for (const element of elementsOf(root)) {
    if (--left < 0 || shape.size >= mostNames) break;
    if (!showing.has(element)) continue;
    const parent = element.parentElement;
    shape.add(
      `${parent?.parentElement?.localName ?? ''}>${parent?.localName ?? ''}>${element.localName}`,
    );
  }
  return [...shape];
}

/** The share of names in both sets. */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const name of one) if (other.has(name)) both += 1;
  const all = one.size + other.size - both;
  return all === 0 ? 1 : both / all;
}

function isThing(element: DomElement): boolean {
  const { localName } = element;
  if (localName === 'img') return element.hasAttribute('src');
  return (
    /^(?:input|time|meta|video|audio|source|iframe)$/.test(localName) ||
    element.hasAttribute('itemprop')
  );
}

function prefixed(mark: string, name: string): string[] {
  return name === '' ? [] : [`${mark}${name}`];
}

function itemprops(element: DomElement): string[] {
  const names = element.getAttribute('itemprop') ?? '';
  return names.split(/\s+/, 4).flatMap((name) => prefixed('@', name));
}
