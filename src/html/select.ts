/** CSS selectors on any tree that fits `dom.ts`, by css-select. */
import { compile, is, type Options, selectAll as cssSelectAll, selectOne } from 'css-select';
import { type DomElement, type DomNode, isElement } from './dom.ts';
import { elementsOf } from './nodes.ts';

type Adapter = NonNullable<Options<DomNode, DomElement>['adapter']>;

/** All elements below `root` that match, in document order. An invalid selector throws. */
export function selectAll(selector: string, root: DomNode): DomElement[] {
  return isTagName(selector)
    ? [...elementsNamed(selector, root)]
    : cssSelectAll(selector, root, optionsFor(root));
}

/** The first of them. */
export function selectFirst(selector: string, root: DomNode): DomElement | null {
  if (!isTagName(selector)) return selectOne(selector, root, optionsFor(root));
  const [first = null] = elementsNamed(selector, root);
  return first;
}

/** True when the element itself matches. */
export function matchesSelector(selector: string, element: DomElement): boolean {
  return is(element, selector, options);
}

/** The element or its nearest ancestor that matches. */
export function closestMatch(selector: string, element: DomElement): DomElement | null {
  const matches = compile(selector, options);
  let candidate: DomElement | null = element;
  while (candidate !== null && !matches(candidate)) candidate = candidate.parentElement;
  return candidate;
}

/** The most common selector needs no machinery. */
function isTagName(selector: string): boolean {
  return /^[a-z][a-z0-9]*$/.test(selector);
}

function* elementsNamed(name: string, root: DomNode): Generator<DomElement, void, undefined> {
  const top = isElement(root) ? root : root.firstChild;
  if (!isElement(top)) return;
  for (const element of elementsOf(top)) {
    if (element.localName === name && element !== root) yield element;
  }
}

const adapter: Adapter = {
  isTag: (node): node is DomElement => isElement(node),
  getAttributeValue: (element, name) => element.getAttribute(name) ?? undefined,
  hasAttrib: (element, name) => element.hasAttribute(name),
  getName: (element) => element.localName,
  getText: (node) => node.textContent ?? '',
  getParent: (element) => element.parentElement,
  getChildren: childrenOf,
  getSiblings: (node) => (node.parentNode === null ? [node] : childrenOf(node.parentNode)),
  prevElementSibling: (node) => {
    let previous = node.previousSibling;
    while (previous !== null && !isElement(previous)) previous = previous.previousSibling;
    return previous;
  },
  removeSubsets: (nodes) => {
    const all = new Set(nodes);
    return [...all].filter((node) => {
      for (let parent = node.parentNode; parent !== null; parent = parent.parentNode) {
        if (all.has(parent)) return false;
      }
      return true;
    });
  },
};

function childrenOf(node: DomNode): DomNode[] {
  return Array.isArray(node.childNodes) ? (node.childNodes as DomNode[]) : [...node.childNodes];
}

const options: Options<DomNode, DomElement> = { adapter };

/** A selector on an element looks below it only; `:scope` is the element itself. */
function optionsFor(root: DomNode): Options<DomNode, DomElement> {
  return isElement(root) ? { adapter, context: [root] } : options;
}
