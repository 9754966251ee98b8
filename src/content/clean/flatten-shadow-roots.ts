/** Declarative shadow DOM: replaces `<template shadowrootmode>` by the content that a browser shows. */
import {
  type DomElement,
  type DomNode,
  isElement,
  isTemplate,
  nextNode,
  nodesBelow,
} from '../html/dom.ts';
import type { Transformer } from './transformer.ts';

const deepestHost = 512; // deeper hosts keep their template: shadow roots could nest without end

/** Inlines shadow roots, with the host's children in their slots. */
export const flattenShadowRoots: Transformer = {
  name: 'flattenShadowRoots',
  elements: ['template'],
  apply({ root }) {
    const hosts = new Set<DomNode>();
    let node: DomNode | null = root;
    while (node !== null) {
      if (isElement(node) && node.localName === 'template') {
        node = (isShadowRoot(node, hosts) ? flatten(node) : null) ?? nextNode(node, root, true);
      } else {
        node = nextNode(node, root);
      }
    }
    if (hosts.size > 0) keepShallow(root);
  },
};

/** True for the first template of its host: browsers ignore further ones. */
function isShadowRoot(template: DomElement, hosts: Set<DomNode>): boolean {
  if (!template.hasAttribute('shadowrootmode') && !template.hasAttribute('shadowroot'))
    return false;
  const host = template.parentNode;
  if (host === null || hosts.has(host) || levelOf(host) > deepestHost) return false;
  hosts.add(host);
  return true;
}

function levelOf(node: DomNode): number {
  let level = 0;
  for (let up: DomNode | null = node; up !== null; up = up.parentNode) level++;
  return level;
}

/** Returns the first node that replaced the template, so that nested shadow roots are visited too. */
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
  const slots = slotsOf(template);
  if (slots.size === 0) return;
  const filled = new Set<DomElement>();
  for (let child = host.firstChild; child !== null;) {
    const next: DomNode | null = child.nextSibling;
    const slot = isTemplate(child) ? undefined : slots.get(slotName(child));
    if (slot !== undefined) {
      if (!filled.has(slot) && !isBlank(child)) {
        // The slot's children are its fallback: rendered only while nothing is assigned.
        while (slot.firstChild !== null) slot.removeChild(slot.firstChild);
        filled.add(slot);
      }
      if (filled.has(slot)) slot.appendChild(child);
    }
    child = next;
  }
}

/** Slots by name; slots of inner shadow roots belong to those roots. */
function slotsOf(template: DomElement): Map<string, DomElement> {
  const slots = new Map<string, DomElement>();
  for (const node of nodesBelow(template, isTemplate)) {
    if (!isElement(node) || node.localName !== 'slot') continue;
    const name = node.getAttribute('name') ?? '';
    if (!slots.has(name)) slots.set(name, node);
  }
  return slots;
}

function slotName(node: DomNode): string {
  return isElement(node) ? (node.getAttribute('slot') ?? '') : '';
}

function isBlank(node: DomNode): boolean {
  return !isElement(node) && (node.textContent ?? '').trim() === '';
}

const deepestLevel = 1000; // the maximum of `limits.depth`: later walks of the tree rely on it

/** Slots nest subtrees in subtrees: elements that get too deep are moved beside their parent. */
function keepShallow(root: DomElement): void {
  let level = levelOf(root);
  for (let node: DomNode | null = root; node !== null;) {
    if (level >= deepestLevel && node !== root) unfold(node);
    if (node.firstChild !== null) {
      node = node.firstChild;
      level += 1;
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      level -= 1;
    }
    node = node === root || node === null ? null : node.nextSibling;
  }
}

/** Moves an element's children behind it, from the first child element on; text before that may stay. */
function unfold(node: DomNode): void {
  let child = node.firstChild;
  while (child !== null && !isElement(child)) child = child.nextSibling;
  const after = node.nextSibling;
  while (child !== null) {
    const next: DomNode | null = child.nextSibling;
    node.parentNode?.insertBefore(child, after);
    child = next;
  }
}
