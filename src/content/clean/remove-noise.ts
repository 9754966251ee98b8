/** Removes elements without content: code, styles, templates, comments, lone buttons. */
import {
  type DomElement,
  inkLength,
  isElement,
  isText,
  nextNode,
  nodesBelow,
  NodeType,
  outermostElements,
} from '../html/dom.ts';
import { replaceElement } from './normalize/normalizer.ts';
import { unfilledIn } from './normalize/tabs.ts';
import type { Transformer } from './transformer.ts';

/** Removes script, style, template, noscript and comments. */
export const removeNoise: Transformer = {
  name: 'removeNoise',
  apply({ root }) {
    unwrapOnlyContent(root);
    for (let node = root.firstChild; node !== null;) {
      const isNoise = isElement(node) ? isUnseen(node) : node.nodeType === NodeType.comment;
      const next = nextNode(node, root, isNoise);
      if (isNoise) node.parentNode?.removeChild(node);
      node = next;
    }
  },
};

const noiseElements: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

/**
 * Some applications have their text for readers without scripts in one `<noscript>`, and nothing else. A
 * sentence that asks to enable scripts is too short to count.
 */
function unwrapOnlyContent(root: DomElement): void {
  const fallbacks = outermostElements(root, isUnseen)
    .filter(({ localName }) => localName === 'noscript')
    .map((element) => ({ element, length: inkLength(element) }))
    .filter(({ length }) => length >= shortestFallback);
  if (fallbacks.length === 0) return;
  const visible = inkLength(root, { isOver: isUnseen });
  for (const { element, length } of fallbacks) {
    if (length < visible) continue;
    while (element.firstChild !== null) element.before(element.firstChild);
  }
}

const shortestFallback = 300;

function isUnseen({ localName }: DomElement): boolean {
  return noiseElements.has(localName);
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
    const buttons = outermostElements(root, isButton);
    const hasContent = buttons.length > 0 && hasContentBeside(root);
    for (const button of buttons) {
      if (hasContent) button.remove();
      else if (button.parentNode !== null) replaceElement(button, 'div');
    }
  },
};

function isButton({ localName }: DomElement): boolean {
  return localName === 'button';
}

function hasContentBeside(root: DomElement): boolean {
  for (const node of nodesBelow(root, isButton)) {
    if (
      isText(node) ? /\S/.test(node.data) : isElement(node) && visibleElements.has(node.localName)
    )
      return true;
  }
  return false;
}

/** Elements that are visible without text. */
const visibleElements: ReadonlySet<string> = new Set(['audio', 'iframe', 'img', 'math', 'video']);

/** Removes headings and questions with an empty panel; only after the content is chosen, since they help to find it. */
export const removeUnfilled: Transformer = {
  name: 'removeUnfilled',
  apply({ root }) {
    for (const line of unfilledIn(root)) line.remove();
  },
};
