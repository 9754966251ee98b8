/** Declarative shadow DOM: what a browser would show of a `<template shadowrootmode>`. */
import { type DomElement, type DomNode, isElement } from '../html/dom.ts';
import { nextNode } from '../html/nodes.ts';
import type { Transformer } from './transformer.ts';

/** Puts the content of shadow roots in place, with the host's children in their slots. */
export const flattenShadowRoots: Transformer = {
  name: 'flattenShadowRoots',
  apply({ root }) {
    let node: DomNode | null = root;
    while (node !== null) {
      if (isElement(node) && node.localName === 'template') {
        if (node.hasAttribute('shadowrootmode') || node.hasAttribute('shadowroot')) {
          node = flatten(node) ?? nextNode(node, root, true);
        } else {
          node = nextNode(node, root, true);
        }
      } else {
        node = nextNode(node, root);
      }
    }
  },
};

/** The first node that took the template's place, so that nested shadow roots are met too. */
function flatten(template: DomElement): DomNode | null {
  const host = template.parentNode;
  const first = template.firstChild;
  if (host === null || first === null) return null;
  fillSlots(template, host);
  for (let child = template.firstChild; child !== null; child = template.firstChild) {
    host.insertBefore(child, template);
  }
  host.removeChild(template);
  return first;
}

function fillSlots(template: DomElement, host: DomNode): void {
  const slots = new Map<string, DomElement>();
  for (let node = nextNode(template, template); node !== null; node = nextNode(node, template)) {
    if (!isElement(node) || node.localName !== 'slot') continue;
    const name = node.getAttribute('name') ?? '';
    if (!slots.has(name)) slots.set(name, node);
  }
  if (slots.size === 0) return;
  const filled = new Set<DomElement>();
  for (let child = host.firstChild; child !== null;) {
    const next: DomNode | null = child.nextSibling;
    const slot = child === template ? undefined : slots.get(slotName(child));
    if (slot !== undefined) {
      if (!filled.has(slot) && !isBlank(child)) {
        // What the slot held is its fallback: shown only while nothing is assigned.
        while (slot.firstChild !== null) slot.removeChild(slot.firstChild);
        filled.add(slot);
      }
      if (filled.has(slot)) slot.appendChild(child);
    }
    child = next;
  }
}

function slotName(node: DomNode): string {
  return isElement(node) ? (node.getAttribute('slot') ?? '') : '';
}

function isBlank(node: DomNode): boolean {
  return !isElement(node) && (node.textContent ?? '').trim() === '';
}
