/** Takes everything out of a page that its readers do not see, before a language model reads it. */
import { type DomElement, type DomNode, isElement, isText, NodeType } from '../../html/dom.ts';
import { elementsOf, nextNode } from '../../html/nodes.ts';
import { findModelInstructions } from '../../text/model-instructions.ts';
import { isMarkedHidden } from '../marked-hidden.ts';
import { openedIds } from './opened-ids.ts';
import { type Declarations, declarationsOf } from './stylesheet-rules.ts';
import {
  askedProperties,
  type Colors,
  colorsIn,
  isInvisible,
  visibilityOf,
} from './unseen-look.ts';

/** Text that was removed, in bounds. */
export interface UnseenText {
  readonly words: string;
  /** Of scripts and style sheets. */
  readonly code: string;
}

/**
 * Removes hidden elements, comments, code and the texts of attributes from `body`, which is in `html`.
 * Stricter than cleaning, where a doubt is decided for the reader: what is only read out (`sr-only`,
 * `aria-label`) and what is only drawn (`aria-hidden`) goes too. What a control of the page shows
 * stays, and so does a page that hides most of itself until its script has run, unless it speaks to
 * models. Gives the removed text, to be searched.
 */
export function removeUnseen(html: DomElement, body: DomElement): UnseenText {
  const removed = new RemovedText();
  const styles = declarationsOf(html, askedProperties);
  for (const meta of html.querySelectorAll('meta[content]')) {
    removed.add(meta.getAttribute('content') ?? '');
  }
  const opened = openedIds(body);
  const colors = new Map<DomElement, Colors>();
  const outer = colorsIn(startColors(html), styles.get(html) ?? noStyles);
  const judge = new Judge(body, styles, opened);
  for (let node: DomNode | null = body; node !== null;) {
    const isOver = isElement(node)
      ? judge.isUnseen(node, colorsOf(node, colors, outer, styles))
      : node.nodeType === NodeType.comment;
    const next: DomNode | null = nextNode(node, body, isOver && node !== body);
    if (isOver && node !== body) {
      const isCode = isElement(node) && /^(?:script|style)$/.test(node.localName);
      const text = isText(node) || isElement(node) ? (node.textContent ?? '') : commentText(node);
      removed.add(text, isCode);
      node.parentNode?.removeChild(node);
    }
    node = next;
  }
  for (const element of elementsOf(body)) dropTexts(element, removed);
  return removed;
}

const noStyles: Declarations = new Map<string, string>();

/** Black on white; the ground is not known where styles are in files of their own. */
function startColors(html: DomElement): Colors {
  const isKnown = html.querySelector('link[rel~="stylesheet"]') === null;
  return { text: [0, 0, 0, 1], ground: isKnown ? [255, 255, 255, 1] : undefined };
}

function colorsOf(
  element: DomElement,
  known: Map<DomElement, Colors>,
  outer: Colors,
  styles: ReadonlyMap<DomElement, Declarations>,
): Colors {
  const { parentElement } = element;
  const inherited = (parentElement === null ? undefined : known.get(parentElement)) ?? outer;
  const own = styles.get(element);
  const attribute = element.getAttribute('bgcolor') ?? undefined;
  const given = new Map<string, string>();
  if (attribute !== undefined) given.set('background-color', attribute.toLowerCase());
  if (element.localName === 'font') given.set('color', element.getAttribute('color') ?? '');
  for (const [property, value] of own ?? noStyles) given.set(property, value);
  const colors = given.size === 0 ? inherited : colorsIn(inherited, given);
  known.set(element, colors);
  return colors;
}

/** Never shown as text, whatever their styles say. */
const silent: ReadonlySet<string> = new Set(
  'script style template noscript datalist annotation annotation-xml canvas object'.split(' '),
);

/** Elements of which it is counted how much of the page's text they hold. */
const mostMeasured = 30;

class Judge {
  readonly #body: DomElement;
  readonly #styles: ReadonlyMap<DomElement, Declarations>;
  readonly #opened: ReadonlySet<string>;
  #measured = 0;

  constructor(
    body: DomElement,
    styles: ReadonlyMap<DomElement, Declarations>,
    opened: ReadonlySet<string>,
  ) {
    this.#body = body;
    this.#styles = styles;
    this.#opened = opened;
  }

  isUnseen(element: DomElement, colors: Colors): boolean {
    if (silent.has(element.localName)) return true;
    if (this.#opened.has(element.id)) return false;
    if (element.getAttribute('aria-hidden') === 'true' || element.hasAttribute('popover')) {
      return true;
    }
    const visibility = visibilityOf(this.#styles.get(element) ?? noStyles);
    if (visibility === 'unseen' || isMarkedHidden(element) || isReadOutOnly(element)) {
      // Some pages hide all of themselves until their script has run.
      return !this.#holdsPage(element, 0.95) || speaksToModels(element);
    }
    // Others fade their content in.
    if (visibility === 'doubtful') {
      return !this.#holdsPage(element, 0.5) || speaksToModels(element);
    }
    if (!hasOwnText(element)) return false;
    if (isInvisible(colors)) return true;
    // White on what is not known: on a picture, or on nothing.
    const isDoubtful = colors.ground === undefined && isPale(colors);
    return isDoubtful && speaksToModels(element);
  }

  /** The body, or what holds its heading and this share of its text. */
  #holdsPage(element: DomElement, share: number): boolean {
    if (element === this.#body) return true;
    if (element.querySelector('h1') === null || ++this.#measured > mostMeasured) return false;
    const own = (element.textContent ?? '').length;
    return own >= (this.#body.textContent ?? '').length * share;
  }
}

/** A heading for screen readers: other elements with such a class are hidden for everybody here. */
function isReadOutOnly(element: DomElement): boolean {
  return /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-(?:text|only))(?:\s|$)/i.test(
    element.getAttribute('class') ?? '',
  );
}

function speaksToModels(element: DomElement): boolean {
  return findModelInstructions((element.textContent ?? '').slice(0, 100_000), 1).length > 0;
}

function isPale({ text }: Colors): boolean {
  return text[0] + text[1] + text[2] >= 3 * 240;
}

function hasOwnText(element: DomElement): boolean {
  for (let node = element.firstChild; node !== null; node = node.nextSibling) {
    if (isText(node) && /\S/.test(node.data)) return true;
  }
  return false;
}

function commentText(node: DomNode): string {
  return node.textContent ?? (node as { readonly data?: string }).data ?? '';
}

/** Attributes that are read out, shown on hovering, or in the place of something. */
const textAttributes = ['alt', 'title', 'aria-label', 'aria-description', 'placeholder', 'label'];

function dropTexts(element: DomElement, removed: RemovedText): void {
  for (const name of textAttributes) {
    const value = element.getAttribute(name);
    if (value === null) continue;
    removed.add(value);
    // An empty alt says that a picture is decoration, none that nobody thought of it.
    element.removeAttribute(name);
  }
}

/** As much of it as is worth searching. */
class RemovedText implements UnseenText {
  words = '';
  code = '';

  add(text: string, isCode = false): void {
    const kind = isCode ? 'code' : 'words';
    if (this[kind].length >= mostKept || !/\S/.test(text)) return;
    this[kind] += `${text.slice(0, 20_000)}. `;
  }
}

const mostKept = 300_000;
