/** Words separated only by a style sheet: `<span class="label">Width</span><span class="value">80 cm</span>`. */
import {
  type DomElement,
  type DomNode,
  closestWhere,
  isElement,
  isText,
  NodeType,
} from '../../html/dom.ts';
import { rememberedTest } from '../../../core/runtime/remembered-test.ts';
import type { Normalizer } from './normalizer.ts';

const limits = {
  skipped: 4, // empty elements and comments to skip
  depth: 8,
  around: 4,
};

/**
 * Puts a space before a span directly after another, where one word ends and another begins. One of the two
 * must be more than a word: names have capitals inside (`You`, `Tube`).
 */
export const gluedSpan: Normalizer = (span) => {
  const before = siblingBefore(span);
  if (before === undefined) return undefined;
  const isApart = isItem(span);
  if (!isApart && !areStyled(before, span) && !arePair(before, span)) return undefined;
  const left = textAt(before, 'lastChild');
  const right = textAt(span, 'firstChild');
  if (left === undefined || right === undefined) return undefined;
  if (isApart ? !areItems(left, right) : !isGlued(left, right)) return undefined;
  const space = span.ownerDocument?.createTextNode(' ');
  if (space !== undefined && !isInCode(span)) span.before(space);
  return undefined;
};

function areStyled(before: DomElement, span: DomElement): boolean {
  const areSpans = before.localName === 'span' && span.localName === 'span';
  return areSpans && (span.hasAttribute('class') || before.hasAttribute('class'));
}

/** True for the two parts of a row: a name and its value. */
function arePair(before: DomElement, span: DomElement): boolean {
  const row = span.parentElement;
  if (row === null || !/^(?:div|li|p|td)$/.test(row.localName)) return false;
  return row.firstElementChild === before && span.nextElementSibling === null;
}

/** True for an item of a flexbox or grid, which are displayed apart. */
function isItem({ parentElement: box }: DomElement): boolean {
  if (box === null) return false;
  const style = box.getAttribute('style');
  if (style !== null && /display\s*:\s*(?:inline-)?(?:flex|grid)/i.test(style)) return true;
  const names = box.getAttribute('class');
  return names !== null && isFlexible(names);
}

const isFlexible = rememberedTest(
  /(?:^|\s)(?:[a-z\d]+:)?(?:(?:d-)?(?:inline-)?(?:flex|grid)|gap-\S+|space-x-\S+|columns?)(?:\s|$)/,
);

/** False for the letters of a word in single spans, and for the parts of an amount. */
function areItems(left: string, right: string): boolean {
  if (/\s$/.test(left) || /^\s/.test(right)) return false;
  if (!/[\p{L}\p{N}]/u.test(left) || !/[\p{L}\p{N}]/u.test(right)) return false;
  if (left.length === 1 && right.length === 1) return false;
  return !/^[.,:;%)]/.test(right) && !/[(@#$€£¥]$/.test(left);
}

function isGlued(left: string, right: string): boolean {
  // A label.
  if (/\p{L}[:：]$/u.test(left) && /^[\p{L}\p{N}\p{Sc}]/u.test(right)) return true;
  if (!/\S\s+\S/.test(left) && !/\S\s+\S/.test(right)) return false;
  if (left.length < 2) return false;
  if (/[\p{Ll}\p{N}][.!?)]?$/u.test(left) && /^\p{Lu}/u.test(right)) return true;
  if (/\p{Lu}$/u.test(left) && /^\p{Lu}\p{Ll}/u.test(right)) return true;
  return /\p{L}[.!?)]?$/u.test(left) && /^#?\p{N}/u.test(right);
}

/** Undefined if there is text in between. */
function siblingBefore(span: DomElement): DomElement | undefined {
  let node = span.previousSibling;
  for (let left = limits.skipped; node !== null && left > 0; left--, node = node.previousSibling) {
    if (isElement(node)) {
      if (node.firstChild !== null || node.localName !== 'span')
        return inline.has(node.localName) ? node : undefined;
    } else if (node.nodeType !== NodeType.comment) return undefined;
  }
  return undefined;
}

const inline: ReadonlySet<string> = new Set(
  'a abbr b data em i label small span strong time'.split(' '),
);

/** The text at the edge of an element, white space included. */
function textAt(element: DomElement, side: 'firstChild' | 'lastChild'): string | undefined {
  const inwards = side === 'firstChild' ? 'nextSibling' : 'previousSibling';
  let node: DomNode | null = element[side];
  for (let left = limits.depth; node !== null && left > 0; left--) {
    if (isText(node)) return node.data;
    node = isElement(node) ? node[side] : node[inwards];
  }
  return undefined;
}

/** Highlighters wrap every word of code in a span. */
function isInCode(span: DomElement): boolean {
  const isCode = ({ localName }: DomElement): boolean =>
    /^(?:code|kbd|pre|samp|tt)$/.test(localName);
  return closestWhere(span.parentElement, isCode, limits.around) !== undefined;
}
