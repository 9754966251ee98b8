/** Struck-through text without an element for it: former prices, completed items. */
import {
  type DomElement,
  type DomNode,
  closestWhere,
  findElement,
  isElement,
  isTemplate,
  isText,
  nextNode,
  nodesBelow,
} from '../../html/dom.ts';
import { struckDeclaration, struckElements, struckName } from '../../html/struck-text.ts';
import { blockElements } from '../../html/tags.ts';
import { amountsOf } from '../../../extract/values/money.ts';
import { oneLine } from '../../text/plain-text.ts';
import { rememberedTest } from '../../../core/runtime/remembered-test.ts';
import { moveChildren, newElement, type PageState } from './normalizer.ts';
import { elementsByStyleSheet } from './style-rules.ts';

/** True for an element whose name, class or style may strike its text through. */
export function mayStrike(
  { localName }: DomElement,
  classes: string | null,
  style: string | null,
): boolean {
  if (struckElements.has(localName)) return true;
  if (classes !== null && isNamedStruck(classes)) return true;
  return style !== null && struckDeclaration.test(style);
}

/** Writes struck text as `del`, and separates former prices from adjacent text. */
export function markStruckText({ root, sheets, struck }: PageState): void {
  const styled = elementsByStyleSheet(sheets, root, 'line-through', struckDeclaration);
  for (const element of new Set([...struck, ...styled])) {
    if (shortText(element) === undefined || hasBlocks(element)) continue;
    if (!isStruckAlready(element)) {
      if (!styled.has(element) && !isStruckByItself(element)) continue;
      const mark = newElement(element, 'del');
      moveChildren(element, mark);
      element.appendChild(mark);
    }
    if (amountIn(element) !== undefined) setApart(element);
  }
}

/** Adds spaces where only styles separate it from adjacent text: `<b>$15</b><s>$20</s>`. */
function setApart(element: DomElement): void {
  const before = besideInLine(element, 'previousSibling');
  const after = besideInLine(element, 'nextSibling');
  if (before !== undefined && /[^\s(]$/.test(shortText(before) ?? ' ')) {
    before.parentNode?.insertBefore(newSpace(before), before.nextSibling);
  }
  if (after !== undefined && /^[^\s.,;:!?)*/]/.test(shortText(after) ?? ' ')) {
    after.parentNode?.insertBefore(newSpace(after), after);
  }
}

function newSpace(beside: DomNode): DomNode {
  const document = beside.ownerDocument;
  if (document === null) throw new Error('The node belongs to no document.');
  return document.createTextNode(' ');
}

const mostAround = 4;

/** The adjacent node on the same line, looking past inline elements that only contain the element. */
function besideInLine(
  element: DomElement,
  side: 'previousSibling' | 'nextSibling',
): DomNode | undefined {
  let inner: DomElement = element;
  for (let left = mostAround; left > 0 && !blockElements.has(inner.localName); left -= 1) {
    const beside = inner[side];
    if (beside !== null) {
      const isInLine =
        isText(beside) || (isElement(beside) && !blockElements.has(beside.localName));
      return isInLine ? beside : undefined;
    }
    if (inner.parentElement === null) return undefined;
    inner = inner.parentElement;
  }
  return undefined;
}

/** Class names of CSS utilities. Other names may also mean icons or news. */
const isUtility = rememberedTest(
  /(?:^|\s)(?:(?:text|td|tw|decoration|text-decoration|font)[-_])?(?:line-through|strike-?through)(?:\s|$)/i,
);

/** `old-price`, `price--was`. A regular price may be the only one. */
const formerName =
  /(?:^|[\s_-])(?:(?:old|was|former|previous|before|compare(?:[-_]?at)?)[-_]{0,2}price|prices?[-_]{1,2}(?:old|was|former|previous|before|compare(?:[-_]?at)?))(?:$|[\s_-])/i;

const isNamedStruck = rememberedTest(new RegExp(`${struckName.source}|${formerName.source}`, 'i'));

function isStruckByItself(element: DomElement): boolean {
  const classes = element.getAttribute('class') ?? '';
  if (isUtility(classes)) return true;
  if (struckDeclaration.test(element.getAttribute('style') ?? '')) return true;
  const amount = amountIn(element);
  return amount !== undefined && (struckName.test(classes) || isBesideLower(element, amount));
}

function amountIn(element: DomElement): number | undefined {
  const text = shortText(element);
  if (text === undefined || !/\d/.test(text)) return undefined;
  const [amount, another] = amountsOf(oneLine(text), undefined);
  return another === undefined ? amount?.value : undefined;
}

/** The price may be wrapped in one or two elements of its own. */
function isBesideLower(element: DomElement, amount: number): boolean {
  let inner = element;
  for (let levels = 0; levels < 3; levels += 1) {
    const box = inner.parentElement;
    if (box === null) return false;
    let left = 10;
    let other = box.firstElementChild;
    for (; other !== null && left > 0; other = other.nextElementSibling, left -= 1) {
      if (other !== inner && (amountIn(other) ?? amount) < amount) return true;
    }
    inner = box;
  }
  return false;
}

const longestText = 400; // characters, including the indentation of the source

/** Undefined if there is more text, or none. */
function shortText(element: DomNode): string | undefined {
  let text = '';
  let nodes = 0;
  for (let node: DomNode | null = element; node !== null; node = nextNode(node, element)) {
    if (isText(node)) text += node.data;
    if ((nodes += 1) > 100 || text.length > longestText) return undefined;
  }
  return /\S/.test(text) ? text : undefined;
}

function hasBlocks(element: DomElement): boolean {
  const isBlock = (inner: DomElement): boolean =>
    inner !== element && blockElements.has(inner.localName);
  return findElement(element, isBlock) !== undefined;
}

function isStruckAlready(element: DomElement): boolean {
  const isStruck = ({ localName }: DomElement): boolean => struckElements.has(localName);
  if (closestWhere(element, isStruck) !== undefined) return true;
  for (const node of nodesBelow(element, isTemplate)) {
    if (isElement(node) && isStruck(node)) return true;
  }
  return false;
}
