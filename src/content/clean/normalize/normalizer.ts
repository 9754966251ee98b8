/** Interface of the rules that rewrite one kind of element: the state they share, and helpers to change the tree. */
import { type DomElement, type DomNode, elementsOf } from '../../html/dom.ts';

/**
 * Rewrites an element visited by the walk, if it is of its kind.
 *
 * `done`: the element is finished, replaced or removed, and its content is skipped. An element: it replaces
 * the given one, and the walk continues inside it. Undefined: not of this kind. A rule must not change nodes
 * after the element.
 */
export type Normalizer = (element: DomElement, page: PageState) => DomElement | 'done' | undefined;

/** State of the walk. */
export interface PageState {
  readonly root: DomElement;
  /** To recognize links within the page. */
  readonly baseUrl: string;
  readonly failed: FailedSearches;
  /** Registers an id; false if an element of the page already has it. */
  readonly claimId: (id: string) => boolean;
  /** Bars of tabs; rewritten at the end of the walk, as their panels come later. */
  readonly tabLists: DomElement[];
  /** Links that may be footnote references, in document order. */
  readonly references: DomElement[];
  /** Elements of SVG. */
  readonly drawn: WeakSet<DomNode>;
  /** Some element displays the line breaks of the source. */
  showsBreaks: boolean;
  /** Elements that may strike their text through. */
  readonly struck: DomElement[];
  /** `style` elements. */
  readonly sheets: DomElement[];
  /** Headings, terms and questions. */
  readonly lines: DomElement[];
}

// Failed searches: the content of an element is not searched again.

/** For a walk in document order: the last fruitless search of each kind. */
export class FailedSearches {
  readonly #last = new Map<string, DomElement>();

  /** True if the element or an ancestor was already searched without a result. */
  covers(kind: string, element: DomElement): boolean {
    return this.#last.get(kind)?.contains(element) === true;
  }

  add(kind: string, element: DomElement): void {
    this.#last.set(kind, element);
  }
}

// The ids that are targets of links within the page.

/** Adds an id; false if an element has it already. The ids are read on first use, in one walk. */
export function idClaims(root: DomElement): (id: string) => boolean {
  let known: Set<string> | undefined;
  return (id) => {
    known ??= readTargetIds(root);
    if (known.has(id)) return false;
    known.add(id);
    return true;
  };
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

// Renames and unwraps elements: the DOM has no methods for it.

/** Replaces the element by one of another name, with its attributes and its content. */
export function replaceElement(element: DomElement, name: string): DomElement {
  const replacement = newElement(element, name);
  for (const attribute of element.attributes) {
    replacement.setAttribute(attribute.name, attribute.value);
  }
  moveChildren(element, replacement);
  element.replaceWith(replacement);
  return replacement;
}

/** Replaces an element by its content. */
export function unwrap(element: DomElement): void {
  const parent = element.parentNode;
  if (parent === null) return;
  for (let child = element.firstChild; child !== null; child = element.firstChild) {
    parent.insertBefore(child, element);
  }
  element.remove();
}

/** A new element in the document of this node. */
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
