/** The rewriting of one kind of element: the page state that all rules share, and the changes to the tree that they make. */
import { type DomElement, type DomNode, elementsOf } from '../../html/dom.ts';

/**
 * Rewrites an element that is met on the walk through the page, if it is of its kind.
 *
 * `done`: the element is finished, replaced or gone, and nothing inside is looked at. An element:
 * the walk goes on inside of it, it stands in the place of the one that was given. Nothing: not of
 * this kind. What comes after the element in the page must not be changed.
 */
export type Normalizer = (element: DomElement, page: PageState) => DomElement | 'done' | undefined;

/** What is remembered on the walk. */
export interface PageState {
  readonly root: DomElement;
  /** For links that stay on the page. */
  readonly baseUrl: string;
  readonly failed: FailedSearches;
  readonly ids: PageIds;
  /** Bars of tabs; rewritten when all of the page was seen, as their panels come later. */
  readonly tabLists: DomElement[];
  /** Links that look like references to footnotes, in document order. */
  readonly references: DomElement[];
  /** Elements of SVG. */
  readonly drawn: WeakSet<DomNode>;
}

// Searches that found nothing in an element: nothing inside of it has to be searched again.

/** For a walk in document order: the last search of each kind that found nothing. */
export class FailedSearches {
  readonly #last = new Map<string, DomElement>();

  /** True when something around the element, or the element, has been searched in vain. */
  covers(kind: string, element: DomElement): boolean {
    return this.#last.get(kind)?.contains(element) === true;
  }

  add(kind: string, element: DomElement): void {
    this.#last.set(kind, element);
  }
}

// The ids that links within the page lead to.

/** Read when they are asked for, in one walk. */
export class PageIds {
  readonly #root: DomElement;
  #known: Set<string> | undefined;

  constructor(root: DomElement) {
    this.#root = root;
  }

  /** Makes the name known; false when an element has it already. */
  claim(id: string): boolean {
    this.#known ??= readTargetIds(this.#root);
    if (this.#known.has(id)) return false;
    this.#known.add(id);
    return true;
  }
}

function readTargetIds(root: DomElement): Set<string> {
  const ids = new Set<string>();
  for (const element of elementsOf(root)) {
    const id = element.getAttribute('id');
    if (id !== null) ids.add(id);
    const name = element.localName === 'a' ? element.getAttribute('name') : null;
    if (name !== null) ids.add(name);
  }
  return ids;
}

// Renames and unwraps elements, for which the DOM has no method.

/** Puts an element of another name in the place of this one, with its attributes and its content. */
export function replaceElement(element: DomElement, name: string): DomElement {
  const replacement = newElement(element, name);
  for (const attribute of element.attributes) {
    replacement.setAttribute(attribute.name, attribute.value);
  }
  moveChildren(element, replacement);
  element.replaceWith(replacement);
  return replacement;
}

/** Puts what is in an element in its place. */
export function unwrap(element: DomElement): void {
  const parent = element.parentNode;
  if (parent === null) return;
  for (let child = element.firstChild; child !== null; child = element.firstChild) {
    parent.insertBefore(child, element);
  }
  element.remove();
}

/** A new element in the document of this one. */
export function newElement(beside: DomNode, name: string): DomElement {
  const document = beside.ownerDocument;
  if (document === null) throw new Error('The element belongs to no document.');
  return document.createElement(name);
}

/** Moves everything in one element to the end of another. */
export function moveChildren(from: DomElement, to: DomElement): void {
  for (let child = from.firstChild; child !== null; child = from.firstChild) {
    to.appendChild(child);
  }
}
