/** The line above a block of code that names its language and offers to copy it. */
import { type DomElement, isText } from '../../html/dom.ts';
import { elementsOf, nodesOf } from '../../html/nodes.ts';
import { oneLine } from '../../text/one-line.ts';
import { knownLanguage } from './code-language.ts';

/**
 * Removes the label before a `pre`, where it says nothing but the language and what buttons say.
 * Gives back the language of the code: the one that was known, else the one of the label.
 */
export function removeCodeLabel(pre: DomElement, language: string): string {
  const box = isBox(pre.parentElement) ? pre.parentElement : undefined;
  const before = pre.previousElementSibling ?? box?.previousElementSibling;
  if (!before || !isShort(before)) return language;
  const named = knownLanguage(wordsOf(before));
  if (named === '' || !(isBox(before) || box !== undefined)) return language;
  before.remove();
  return language === '' ? named : language;
}

/** Its text without what buttons say; nothing when it is longer than a label. */
function wordsOf(label: DomElement): string {
  let text = '';
  for (const node of nodesOf(label)) if (isText(node)) text += ` ${node.data}`;
  return text.length > longestLabel ? '' : oneLine(text.replace(buttonWords, ' '));
}

/** Characters, white space included. */
const longestLabel = 300;

const buttonWords =
  /\b(?:copy(?: code| to clipboard)?|copied!?|edit|run|download|wrap|collapse|expand)\b/gi;

/** A box that is called after code. */
function isBox(element: DomElement | null): boolean {
  return element !== null && /code|highlight|snippet|\blang/i.test(element.className);
}

/** More elements than this are no label. */
const maxInside = 30;

function isShort(element: DomElement): boolean {
  if (!/^(?:div|span|p|header|figcaption|small)$/.test(element.localName)) return false;
  let left = maxInside;
  for (const inner of elementsOf(element)) {
    if (--left === 0 || /^(?:h[1-6]|pre|code|img|ul|ol|table)$/.test(inner.localName)) return false;
  }
  return true;
}
