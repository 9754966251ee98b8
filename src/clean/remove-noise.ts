/** What no reader ever sees: code, styles, templates, comments, fallbacks for missing scripts. */
import { type DomElement, type DomNode, isElement, isText, NodeType } from '../html/dom.ts';
import { nextNode } from '../html/nodes.ts';
import type { Transformer } from './transformer.ts';

/** Removes script, style, template, noscript and comments. */
export const removeNoise: Transformer = {
  name: 'removeNoise',
  apply({ root }) {
    unwrapOnlyContent(root);
    let node: DomNode | null = root.firstChild;
    while (node !== null) {
      const noise = isElement(node)
        ? noiseElements.has(node.localName)
        : node.nodeType === NodeType.comment;
      const next: DomNode | null = nextNode(node, root, noise);
      if (noise) node.parentNode?.removeChild(node);
      node = next;
    }
  },
};

const noiseElements: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

/**
 * Some applications keep the text for readers without scripts in one `<noscript>`, and nothing
 * beside it. A sentence that asks to turn scripts on is too short to count.
 */
function unwrapOnlyContent(root: DomElement): void {
  const fallbacks: { element: DomElement; length: number }[] = [];
  for (let node: DomNode | null = root.firstChild; node !== null;) {
    if (isElement(node) && node.localName === 'noscript') {
      const length = textLength(node);
      if (length >= shortestFallback) fallbacks.push({ element: node, length });
    }
    node = nextNode(node, root, isNoise(node));
  }
  if (fallbacks.length === 0) return;
  const visible = textLength(root, isNoise);
  for (const { element, length } of fallbacks) {
    if (length < visible) continue;
    while (element.firstChild !== null) element.before(element.firstChild);
  }
}

const shortestFallback = 300;

function textLength(element: DomElement, isLeftOut: (node: DomNode) => boolean = nothing): number {
  let length = 0;
  for (let node = element.firstChild; node !== null;) {
    if (isText(node)) length += node.data.trim().length;
    node = nextNode(node, element, isLeftOut(node));
  }
  return length;
}

function nothing(): boolean {
  return false;
}

function isNoise(node: DomNode): boolean {
  return isElement(node) && noiseElements.has(node.localName);
}
