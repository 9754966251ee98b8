/** `button`: buttons in running text become text; the others are removed later, when no step asks what they open. */
import {
  type DomElement,
  type DomNode,
  elementsOf,
  isElement,
  isText,
  nextNode,
} from '../../html/dom.ts';
import { anchorLabel, headingAround } from './heading-anchors.ts';
import { type Normalizer, replaceElement } from './normalizer.ts';

/**
 * Buttons in headings and in sentences become text, those that open an answer or show a picture a
 * box. Tabs wait until their panels are known.
 */
export const button: Normalizer = (element) => {
  const heading = headingAround(element);
  if (element.getAttribute('role') === 'tab' && heading === undefined) return 'done';
  const text = startOf(element);
  if (text === undefined) return replaceElement(element, 'div');
  if (text.length <= 200 && anchorLabel.test(text)) return 'done';
  if (heading !== undefined) return replaceElement(element, 'span');
  if (text.length > longestCommand || isQuestion(element, text))
    return replaceElement(element, 'div');
  const content = contentOf(element, text);
  if (content !== undefined) return replaceElement(element, content);
  if (isInSentence(element, text)) return replaceElement(element, 'span');
  return 'done';
};

/** Longer texts are no commands: a card that is a button as a whole, or a tag that was never closed. */
const longestCommand = 300;

/** Nodes that are looked at in one button: in broken pages buttons are in buttons. */
const maxInside = 500;

/** Its text, of a long one only more than a command has; nothing of one that holds more nodes than that. */
function startOf(element: DomElement): string | undefined {
  let text = '';
  let left = maxInside;
  for (let node: DomNode | null = element.firstChild; node !== null && text.length <= 2_000;) {
    if (--left === 0) return undefined;
    if (isText(node)) text += node.data.slice(0, 2_000);
    node = nextNode(node, element, isElement(node) && node.localName === 'svg');
  }
  return text.trim();
}

/** The button of an accordion has `aria-expanded`, as those of menus have, but more than two words. */
function isQuestion(element: DomElement, text: string): boolean {
  if (!element.hasAttribute('aria-expanded')) return false;
  return /[?？]$/.test(text) || /\S\s+\S+\s+\S/.test(text);
}

/** The element that fits a heading that opens something, or a picture that opens larger; icons are neither. */
function contentOf(element: DomElement, text: string): 'div' | 'span' | undefined {
  let found: 'span' | undefined;
  let left = maxInside;
  for (const inner of elementsOf(element)) {
    if (--left === 0) break;
    if (/^h[1-6]$/.test(inner.localName)) return 'div';
    if (text === '' && inner.localName === 'img' && isPicture(inner, element)) found = 'span';
  }
  return found;
}

/** Pictures that show something say what, themselves or by the name of the button. */
function isPicture(image: DomElement, around: DomElement): boolean {
  const own = (image.getAttribute('alt') ?? '').trim();
  const name = own === '' ? (around.getAttribute('aria-label') ?? '').trim() : own;
  const isSmall = (side: string): boolean =>
    Number.parseInt(image.getAttribute(side) ?? '', 10) < 100;
  if (name === '' || actions.test(name) || isSmall('width') || isSmall('height')) return false;
  const names = `${image.getAttribute('src') ?? ''} ${image.className}`.slice(0, 2_000);
  if (iconName.test(names)) return false;
  image.setAttribute('alt', name);
  return true;
}

const iconName = /\.svg(?:[?#\s]|$)|^data:|icon|logo|avatar|arrow|close|thumb/i;

/** Words stand around it in the same paragraph, or on one side of what is no command. */
function isInSentence(element: DomElement, text: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(text) || element.hasAttribute('aria-haspopup')) return false;
  const before = saysSomething(element, 'previousSibling');
  const after = saysSomething(element, 'nextSibling');
  if (before && after) return true;
  const isToggle = element.hasAttribute('aria-expanded') || element.hasAttribute('aria-pressed');
  return (before || after) && !isToggle && !actions.test(text);
}

const actions =
  /^(?:toggle|open|close|show|hide|submit|search|menu|share|save|print|button|play|pause|add|remove|go to|opens|copy|copied|edit|reply|like|delete|next|previous|more|read more|learn more)\b/i;

function saysSomething(element: DomElement, side: 'previousSibling' | 'nextSibling'): boolean {
  for (let node: DomNode | null = element[side]; node !== null; node = node[side]) {
    if (isText(node)) {
      if (/[\p{L}\p{N}]/u.test(node.data)) return true;
    } else if (isElement(node) && !/^(?:wbr|i|svg)$/.test(node.localName)) {
      return false;
    }
  }
  return false;
}
