/** `button`: buttons in running text become text; the others are removed later, once no step checks what they open. */
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
 * Buttons in headings and in sentences become text; buttons that open an answer or show a picture become a
 * box. Tabs wait until their panels are known.
 */
export const button: Normalizer = (element, page) => {
  const heading = headingAround(element);
  if (element.getAttribute('role') === 'tab' && heading === undefined) return 'done';
  const text = startOf(element);
  if (text === undefined) return replaceElement(element, 'div');
  if (text.length <= 200 && anchorLabel.test(text)) return 'done';
  if (heading !== undefined) return replaceElement(element, 'span');
  if (text.length > longestCommand || namesPrice.test(text)) return replaceElement(element, 'div');
  if (isQuestion(element, text)) {
    const question = replaceElement(element, 'div');
    question.setAttribute('data-question', '');
    page.lines.push(question);
    return question;
  }
  const content = contentOf(element, text);
  if (content !== undefined) return replaceElement(element, content);
  if (isInSentence(element, text)) return replaceElement(element, 'span');
  return 'done';
};

const longestCommand = 300; // longer texts are not commands: a card as a button, or an unclosed tag

/** "Add to basket – $8.50" */
const namesPrice = /^\p{L}[^]{0,60}(?:\p{Sc}\s?\d|\d\s?\p{Sc})[^]{0,20}$/u;

const maxInside = 500; // nodes visited in one button: in broken pages buttons are in buttons

/** The start of its text, longer than any command; undefined for a button with more nodes than the limit. */
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

/** Accordion buttons have `aria-expanded`, like menu buttons, but more than two words; others have an answer. */
function isQuestion(element: DomElement, text: string): boolean {
  const isQuestionText = /[?？]$/.test(text);
  if (element.hasAttribute('aria-expanded') && (isQuestionText || /\S\s+\S+\s+\S/.test(text)))
    return true;
  if (!/\p{L}/u.test(text) || actions.test(text)) return false;
  const line = lineOf(element);
  if (line === undefined) return false;
  return isQuestionText || opensByMark(element) || hasTwin(line);
}

function opensByMark(element: DomElement): boolean {
  const toggles = element.getAttribute('data-toggle') ?? element.getAttribute('data-bs-toggle');
  return toggles === 'collapse' || element.hasAttribute('aria-expanded');
}

/** The button, or the box around it alone, that an answer follows. */
function lineOf(button: DomElement): DomElement | undefined {
  let line: DomElement | null = button;
  for (let level = 0; line !== null && level < 3; level++, line = line.parentElement) {
    const next: DomElement | null = line.nextElementSibling;
    if (next !== null && isAnswer(next)) return line;
    if (next !== null || line.previousElementSibling !== null) return undefined;
  }
  return undefined;
}

/** True for a box of sentences, not a menu, form or list of choices. */
function isAnswer(box: DomElement): boolean {
  if (!answerElements.has(box.localName)) return false;
  let text = '';
  let linked = 0;
  let left = maxInside;
  for (let node = box.firstChild; node !== null && text.length < 400 && --left > 0;) {
    if (isText(node)) text += node.data.slice(0, 400);
    else if (isElement(node)) {
      if (/^(?:nav|form|input|select|textarea)$/.test(node.localName)) return false;
      if (node.localName === 'a') linked += (node.textContent ?? '').trim().length;
    }
    node = nextNode(node, box);
  }
  const ink = text.trim();
  return ink.length >= 20 && linked <= 0.5 * ink.length && /[.!?:;…。！？]/u.test(ink);
}

const answerElements: ReadonlySet<string> = new Set(
  'article dd div ol p section table ul'.split(' '),
);

/** True if an adjacent line, or one in an adjacent box, has the same shape. */
function hasTwin(line: DomElement): boolean {
  const item = line.parentElement;
  return [
    line.nextElementSibling?.nextElementSibling,
    line.previousElementSibling?.previousElementSibling,
    item?.nextElementSibling?.firstElementChild,
    item?.previousElementSibling?.firstElementChild,
  ].some(
    (other) =>
      other !== null &&
      other !== undefined &&
      // The previous ones are already rewritten.
      (other.localName === line.localName || other.hasAttribute('data-question')) &&
      other.className === line.className,
  );
}

/** The replacement of a button with a heading, or with a picture that opens larger; undefined for icons. */
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

/** True for a picture with a description of its own or from the button's name; sets its alt. */
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

/** True between words of the same paragraph, or beside words on one side if the text is not a command. */
function isInSentence(element: DomElement, text: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(text) || element.hasAttribute('aria-haspopup')) return false;
  const before = hasTextBeside(element, 'previousSibling');
  const after = hasTextBeside(element, 'nextSibling');
  if (before && after) return true;
  const isToggle = element.hasAttribute('aria-expanded') || element.hasAttribute('aria-pressed');
  return (before || after) && !isToggle && !actions.test(text);
}

const actions =
  /^(?:toggle|open|close|show|hide|submit|search|menu|share|save|print|button|play|pause|add|remove|go to|opens|copy|copied|edit|reply|like|delete|next|previous|more|read more|learn more)\b/i;

function hasTextBeside(element: DomElement, side: 'previousSibling' | 'nextSibling'): boolean {
  for (let node: DomNode | null = element[side]; node !== null; node = node[side]) {
    if (isText(node)) {
      if (/[\p{L}\p{N}]/u.test(node.data)) return true;
    } else if (isElement(node) && !/^(?:wbr|i|svg)$/.test(node.localName)) {
      return false;
    }
  }
  return false;
}
