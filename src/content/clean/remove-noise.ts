/** Removes elements without content: code, styles, templates, comments, lone buttons. */
import {
  type DomElement,
  type DomNode,
  isElement,
  isText,
  nextNode,
  NodeType,
} from '../html/dom.ts';
import { replaceElement } from './normalize/normalizer.ts';
import { unfilledIn } from './normalize/tabs.ts';
import type { Transformer } from './transformer.ts';

/** Removes script, style, template, noscript and comments. */
export const removeNoise: Transformer = {
  name: 'removeNoise',
  apply({ root }) {
    let noise = noiseIn(root);
    if (unwrapOnlyContent(root, noise)) noise = noiseIn(root);
    for (const node of noise) node.parentNode?.removeChild(node);
  },
};

/** Without nested matches. */
function noiseIn(root: DomElement): DomNode[] {
  const noise: DomNode[] = [];
  for (let node: DomNode | null = root.firstChild; node !== null;) {
    const isNoise = isUnseen(node) || node.nodeType === NodeType.comment;
    if (isNoise) noise.push(node);
    node = nextNode(node, root, isNoise);
  }
  return noise;
}

const noiseElements: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

/**
 * Some applications have their text for readers without scripts in one `<noscript>`, and nothing else. A
 * sentence that asks to enable scripts is too short to count. Returns true after a change.
 */
function unwrapOnlyContent(root: DomElement, noise: readonly DomNode[]): boolean {
  const fallbacks: { element: DomElement; length: number }[] = [];
  for (const node of noise) {
    if (!isElement(node) || node.localName !== 'noscript') continue;
    const length = textLength(node);
    if (length >= shortestFallback) fallbacks.push({ element: node, length });
  }
  if (fallbacks.length === 0) return false;
  const visible = textLength(root, isUnseen);
  for (const { element, length } of fallbacks) {
    if (length < visible) continue;
    while (element.firstChild !== null) element.before(element.firstChild);
  }
  return true;
}

const shortestFallback = 300;

function textLength(
  element: DomElement,
  isLeftOut: (node: DomNode) => boolean = () => false,
): number {
  let length = 0;
  for (let node = element.firstChild; node !== null;) {
    if (isText(node)) length += node.data.trim().length;
    node = nextNode(node, element, isLeftOut(node));
  }
  return length;
}

function isUnseen(node: DomNode): boolean {
  return isElement(node) && noiseElements.has(node.localName);
}

// Standalone buttons: they act, and have no content.

/**
 * Removes every `button`: `normalize` has already turned buttons with page text into text. On a page without
 * other text, they are the text.
 */
export const removeButtons: Transformer = {
  name: 'removeButtons',
  elements: ['button'],
  apply({ root }) {
    const buttons: DomElement[] = [];
    let hasText = false;
    for (let node: DomNode | null = root.firstChild; node !== null;) {
      const isButton = isElement(node) && node.localName === 'button';
      if (isButton) buttons.push(node as DomElement);
      else if (isText(node)) hasText ||= /\S/.test(node.data);
      else if (isElement(node)) hasText ||= visibleElements.has(node.localName);
      node = nextNode(node, root, isButton);
    }
    for (const button of buttons) {
      if (hasText) button.remove();
      else if (button.parentNode !== null) replaceElement(button, 'div');
    }
  },
};

/** Elements that are visible without text. */
const visibleElements: ReadonlySet<string> = new Set(['audio', 'iframe', 'img', 'math', 'video']);

/** Removes headings and questions with an empty panel; only after the content is chosen, since they help to find it. */
export const removeUnfilled: Transformer = {
  name: 'removeUnfilled',
  apply({ root }) {
    for (const line of unfilledIn(root)) line.remove();
  },
};
