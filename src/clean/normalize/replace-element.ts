/** Elements under another name, and without their tags: what the DOM has no method for. */
import type { DomElement, DomNode } from '../../html/dom.ts';

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
