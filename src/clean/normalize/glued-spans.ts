/** Words that only a style sheet separates: `<span class="label">Width</span><span class="value">80 cm</span>`. */
import { type DomElement, type DomNode, isElement, isText, NodeType } from '../../html/dom.ts';
import type { Normalizer } from './normalizer.ts';

/**
 * Puts a space before a span that follows another directly, where a word ends and another begins.
 * One of the two must be more than a word: names are written with capitals inside (`You`, `Tube`).
 */
export const gluedSpan: Normalizer = (span) => {
  const before = siblingBefore(span);
  if (before?.localName !== 'span') return undefined;
  if (!span.hasAttribute('class') && !before.hasAttribute('class')) return undefined;
  const left = textAt(before, 'lastChild');
  const right = textAt(span, 'firstChild');
  if (left === undefined || right === undefined || !isGlued(left, right)) return undefined;
  const space = span.ownerDocument?.createTextNode(' ');
  if (space !== undefined && !isInCode(span)) span.before(space);
  return undefined;
};

function isGlued(left: string, right: string): boolean {
  if (!/\S\s+\S/.test(left) && !/\S\s+\S/.test(right)) return false;
  if (left.length < 2) return false;
  if (/[\p{Ll}\p{N}][.!?)]?$/u.test(left) && /^\p{Lu}/u.test(right)) return true;
  if (/\p{Lu}$/u.test(left) && /^\p{Lu}\p{Ll}/u.test(right)) return true;
  return /\p{L}[.!?)]?$/u.test(left) && /^#?\p{N}/u.test(right);
}

/** Most empty elements and comments to skip. */
const maxSkipped = 4;

/** Undefined if text stands between. */
function siblingBefore(span: DomElement): DomElement | undefined {
  let node = span.previousSibling;
  for (let left = maxSkipped; node !== null && left > 0; left--, node = node.previousSibling) {
    if (isElement(node)) {
      if (node.firstChild !== null || node.localName !== 'span') return node;
    } else if (node.nodeType !== NodeType.comment) return undefined;
  }
  return undefined;
}

const maxDepth = 8;

/** The text at the edge of an element, white space included. */
function textAt(element: DomElement, side: 'firstChild' | 'lastChild'): string | undefined {
  const inwards = side === 'firstChild' ? 'nextSibling' : 'previousSibling';
  let node: DomNode | null = element[side];
  for (let left = maxDepth; node !== null && left > 0; left--) {
    if (isText(node)) return node.data;
    node = isElement(node) ? node[side] : node[inwards];
  }
  return undefined;
}

const maxAround = 4;

/** Highlighters put every word of code into a span. */
function isInCode(span: DomElement): boolean {
  let up = span.parentElement;
  for (let left = maxAround; up !== null && left > 0; left--, up = up.parentElement) {
    if (/^(?:code|kbd|pre|samp|tt)$/.test(up.localName)) return true;
  }
  return false;
}
