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

/** Asks every time: for one element. */
const options: Options<DomNode, DomElement> = { adapter: adapterWith(childrenOf) };

/**
 * For a search below a node: a selector on an element looks below it only, `:scope` is the element
 * itself. The tree does not change meanwhile, so each list of children is built once: `:nth-child`
 * asks every element for its siblings.
 */
function optionsFor(root: DomNode): Options<DomNode, DomElement> {
  const lists = new Map<DomNode, DomNode[]>();
  const adapter = adapterWith((node) => {
    const known = lists.get(node);
    if (known !== undefined) return known;
    const list = childrenOf(node);
    lists.set(node, list);
    return list;
  });
  return isElement(root) ? { adapter, context: [root] } : { adapter };
}

function adapterWith(getChildren: (node: DomNode) => DomNode[]): Adapter {
  return {
    isTag: (node): node is DomElement => isElement(node),
    getAttributeValue: (element, name) => element.getAttribute(name) ?? undefined,
    hasAttrib: (element, name) => element.hasAttribute(name),
    getName: (element) => element.localName,
    getText: (node) => node.textContent ?? '',
    getParent: (element) => element.parentElement,
    getChildren,
    getSiblings: (node) => (node.parentNode === null ? [node] : getChildren(node.parentNode)),
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
}

function childrenOf(node: DomNode): DomNode[] {
  return [...node.childNodes];
}
