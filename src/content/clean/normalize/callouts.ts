/** Callouts (note, tip and warning boxes) as GitHub's five kinds of alert. */
import {
  type DomElement,
  type DomNode,
  elementsOf,
  isElement,
  isText,
  nextNode,
} from '../../html/dom.ts';
import { moveChildren, newElement, type Normalizer, replaceElement, unwrap } from './normalizer.ts';
import { firstDefined } from '../../../core/runtime/first-defined.ts';
import { keyByWord } from '../../../core/runtime/key-by-word.ts';

const limits = {
  ofNote: 300, // nodes read in a note, and in the text before it
  before: 15, // nodes before the title: wrappers and icons
  longestWord: 20, // characters; longer texts do more than name the kind
};

/**
 * `<blockquote data-callout="note">` with the content of the box. Its title becomes a bold line,
 * and is left out if it only names the kind.
 */
export const callout: Normalizer = (element) => {
  if (!calloutElements.has(element.localName)) return undefined;
  const guess = calloutKind(element);
  if (guess === undefined) return undefined;
  const title = findTitle(element);
  if (!guess.isCertain && !(title !== undefined && isTitle(title))) return undefined;
  const titleKind = title === undefined ? undefined : kindOfTitle(title);
  if (title !== undefined) rewriteTitle(title);
  dissolveIconTable(element);
  const quote =
    element.localName === 'blockquote' ? element : replaceElement(element, 'blockquote');
  quote.setAttribute('data-callout', titleKind ?? guess.kind);
  return quote;
};

/**
 * An `aside` that belongs to the text: footnotes, topics and sidebars of docutils, and the box of a numbered
 * note of the text.
 */
export const textAside: Normalizer = (element) => {
  const first = element.firstElementChild;
  const isTitled =
    first !== null && /(?:^|\s)(?:topic|sidebar)-title(?:\s|$)/.test(first.className);
  const isNote =
    /^doc-(?:footnote|endnotes?|biblio)/.test(element.getAttribute('role') ?? '') ||
    /(?:^|\s)(?:footnote|citation)(?:-list|s)?(?:\s|$)/.test(element.className);
  if (!isTitled && !isNote && !notesText(element)) return undefined;
  const box = replaceElement(element, 'div');
  // A class such as "sidebar" would exclude it from the text.
  if (!isNote) box.removeAttribute('class');
  if (isTitled) {
    const strong = newElement(box, 'strong');
    moveChildren(first, strong);
    first.append(strong);
  }
  return box;
};

/** True if the number of the first note is also in the text before, raised. */
function notesText(aside: DomElement): boolean {
  const first = aside.firstElementChild;
  if (first === null) return false;
  const raised = first.localName === 'sup' ? first : first.firstElementChild;
  const number =
    first.localName === 'ol'
      ? (first.getAttribute('start') ?? '1')
      : raised?.localName === 'sup'
        ? (raised.textContent ?? '').trim()
        : '';
  if (!/^\d{1,3}$/.test(number)) return false;
  let left = limits.ofNote;
  for (let before = aside.previousElementSibling; before !== null && left > 0;) {
    for (const inner of elementsOf(before)) {
      if (--left === 0) return false;
      if (inner.localName === 'sup' && (inner.textContent ?? '').trim() === number) return true;
    }
    before = before.previousElementSibling;
  }
  return false;
}

const calloutElements: ReadonlySet<string> = new Set([
  'aside',
  'blockquote',
  'div',
  'p',
  'section',
]);

const titleName = /(?:^|[-_\s])(?:title|heading|label)(?:$|[-_\s])|admonitionheading/i;

/** The element with the class of a title, or else the first text if it names the kind. */
function findTitle(box: DomElement): DomElement | undefined {
  let left = limits.before;
  let node = nextNode(box, box);
  while (node !== null && left > 0) {
    left -= 1;
    if (isText(node) && /\S/.test(node.data)) return kindLabel(node, box);
    let skip = false;
    if (isElement(node)) {
      if (node.hasAttribute('class') && titleName.test(node.className)) return node;
      skip = node.localName === 'svg' || /icon/i.test(node.className);
    }
    node = nextNode(node, box, skip);
  }
  return undefined;
}

/** The element around the text, if it only names the kind of the box. */
function kindLabel(text: DomNode, box: DomElement): DomElement | undefined {
  let around = text.parentElement;
  if (around === null || around === box || kindOfTitle(around) === undefined) return undefined;
  for (let up = around.parentElement; up !== null && up !== box; up = up.parentElement) {
    if (kindOfTitle(up) === undefined) break;
    around = up;
  }
  return around;
}

function isTitle(element: DomElement): boolean {
  return titleName.test(element.className) || kindOfTitle(element) !== undefined;
}

function kindOfTitle(title: DomElement): CalloutKind | undefined {
  const text = titleText(title);
  return text.length > limits.longestWord ? undefined : kindOfWord(text);
}

/** The title without symbols around its words; long titles unchanged, as the patterns take time. */
function titleText(title: DomElement): string {
  const text = (title.textContent ?? '').trim();
  if (text.length > 100) return text;
  return text.replace(/[^\p{L}\p{N}]+$/u, '').replace(/^[^\p{L}\p{N}]+/u, '');
}

function rewriteTitle(title: DomElement): void {
  if (holdsParagraphs(title)) return;
  for (const icon of [...elementsOf(title)]) {
    if (icon !== title && /icon/i.test(icon.className) && !titleName.test(icon.className))
      icon.remove();
  }
  const text = titleText(title);
  if (text === '' || kindOfWord(text) !== undefined) {
    const next = title.nextSibling;
    if (isText(next)) next.data = next.data.replace(/^\s*(?:[:：]|[–—-]\s)\s*/, '');
    title.remove();
  } else if (/^(?:div|h[1-6]|header|p)$/.test(title.localName)) {
    const line = replaceElement(title, 'p');
    for (const inner of [...elementsOf(line)])
      if (/^(?:div|h[1-6]|p)$/.test(inner.localName) && inner !== line) unwrap(inner);
    const strong = newElement(line, 'strong');
    moveChildren(line, strong);
    line.appendChild(strong);
  }
}

/** Some sites put the title's class on the box of title and text. */
function holdsParagraphs(title: DomElement): boolean {
  let found = 0;
  for (const { localName } of elementsOf(title)) {
    if (/^(?:h[1-6]|li|p|pre|table)$/.test(localName) && ++found > 1) return true;
  }
  return false;
}

/** Unwraps Asciidoctor's table of icon and content. */
function dissolveIconTable(box: DomElement): void {
  const table = box.firstElementChild;
  if (table?.localName !== 'table') return;
  const cells: DomElement[] = [];
  let left = limits.before;
  for (const inner of elementsOf(table)) {
    if (--left === 0) break;
    if (inner.localName === 'td' && /^(?:icon|content)$/.test(inner.className)) cells.push(inner);
    if (cells.length === 2) break;
  }
  const [icon, content] = cells;
  if (icon?.className !== 'icon' || content?.className !== 'content') return;
  if (content.nextElementSibling !== null || content.parentElement?.nextElementSibling) return;
  const holder = replaceElement(content, 'div');
  table.replaceWith(holder);
}

// The kind of a callout among GitHub's five kinds of alert, by the class names of page builders.

/** As in GitHub's markdown, in lower case. */
type CalloutKind = 'note' | 'tip' | 'important' | 'warning' | 'caution';

/** The guessed kind of a box. */
interface CalloutGuess {
  readonly kind: CalloutKind;
  /** False for an ambiguous name: such a box must begin with a title or the kind's word. */
  readonly isCertain: boolean;
}

/** Undefined for an element that is not a callout, or only a part of one. */
function calloutKind(element: DomElement): CalloutGuess | undefined {
  const tokens = element.className.split(/\s+/).filter((token) => token !== '');
  const attribute =
    element.getAttribute('data-callout') ??
    element.getAttribute('data-callout-type') ??
    // Writerside
    (tokens.includes('prompt') ? element.getAttribute('data-type') : null);
  if (attribute !== null) return certainGuess(kindOfWord(attribute) ?? 'note');
  const byName = kindOfTokens(tokens, element.hasAttribute('role'));
  if (byName !== undefined) return byName;
  const role = element.getAttribute('role') ?? '';
  if (!/^(?:note|doc-notice|doc-tip)$/.test(role)) return undefined;
  if (/hatnote|footnote|navigation|caption|credit/i.test(element.className)) return undefined;
  // A section with its own heading is not a callout.
  if (/^h[1-6]$/.test(element.firstElementChild?.localName ?? '')) return undefined;
  return certainGuess(role === 'doc-tip' ? 'tip' : (kindIn(tokens) ?? 'note'));
}

/** The kind that a word names: `Danger`, `info`. */
function kindOfWord(word: string): CalloutKind | undefined {
  return kindsByWord.get(word.toLowerCase());
}

const kindsByWord: ReadonlyMap<string, CalloutKind> = keyByWord({
  note:
    'note notes info information abstract summary tldr todo question help faq example seealso ' +
    'primary secondary light dark neutral default quote',
  tip: 'tip tips success hint check done',
  important: 'important key',
  warning: 'warning warn attention',
  caution: 'caution danger error failure fail missing bug critical',
});

/** Classes of boxes with the suffix of the name: the kind, or a part of the box. */
const boxName =
  /^(?:theme-|inline-)?(admonition(?:block)?|callout|notecard|markdown-alert|custom-(?:block|container)|hint(?:-container)?|alert|starlight-aside|awsdocs)(?:[-_]+(.*))?$/i;

const partName =
  /(?:^|[-_])(?:body|box|button|close|container|content|dismissible|group|header|heading|icon|inner|label|link|links|list|message|text|title|wrapper)(?:$|[-_])/i;

function kindOfTokens(tokens: readonly string[], hasRole: boolean): CalloutGuess | undefined {
  let box = '';
  for (const token of tokens) {
    const match = boxName.exec(token);
    if (match === null) continue;
    box ||= match[1]?.toLowerCase() ?? '';
    if (match[2] !== undefined && partName.test(match[2])) return undefined;
  }
  if (box !== '') {
    const kind = kindIn(tokens) ?? (box.startsWith('admonition') ? 'note' : undefined);
    // Frameworks also use their alert classes to color other boxes.
    return kind && { kind, isCertain: box !== 'alert' || hasRole };
  }
  if (tokens.length > 2) return undefined;
  const word = tokens.find((token) => plainName.test(token));
  const kind = word === undefined ? undefined : kindOfWord(word);
  return kind && { kind, isCertain: word === word?.toUpperCase() };
}

const plainName = /^(?:note|tip|important|warning|caution)$/i;

/** The first kind that the names mention, apart from the name of the box itself. */
function kindIn(tokens: readonly string[]): CalloutKind | undefined {
  const words = tokens.flatMap((token) => {
    const match = boxName.exec(token);
    return (match === null ? token : (match[2] ?? '')).split(/[-_]+/);
  });
  return firstDefined(words, kindOfWord);
}

function certainGuess(kind: CalloutKind): CalloutGuess {
  return { kind, isCertain: true };
}
