/** Removes text that readers do not see, before a language model reads the page. */
import {
  type DomElement,
  type DomNode,
  elementsOf,
  isElement,
  isText,
  nextNode,
  NodeType,
} from '../../html/dom.ts';
import type { UnreadStyles, UnseenNodes } from '../../../core/model/page.ts';
import { findModelInstructions } from '../../text/prompt-injection.ts';
import { hidesByClass, isMarkedHidden } from '../hidden-elements.ts';
import { cascade, type CascadedStyles } from './cascade.ts';
import {
  readProperties,
  type ComputedStyle,
  isIllegible,
  styleOf,
  initialStyle,
} from './computed-style.ts';
import { ColorReader } from './css-values.ts';

/** Removed text, up to a limit. */
export interface HiddenText {
  readonly words: string;
  /** Text of scripts and style sheets. */
  readonly code: string;
  /** Styles that were not read, and that may hide some of the remaining text. */
  readonly unread: UnreadStyles;
}

/** Facts about a page besides its elements. */
export interface HiddenTextOptions {
  /** Names of classes and ids are case-insensitive. @default false */
  readonly quirksMode?: boolean;
  /** Computed by a browser; the page's own styles are then not read. */
  readonly unseen?: UnseenNodes | undefined;
}

/**
 * Removes hidden elements, comments, code and the text of attributes from `body`, which is in `html`.
 * Stricter than cleaning, which resolves doubt in the reader's favour: text that is only read out (`sr-only`,
 * `aria-label`) or only drawn (`aria-hidden`) is removed too. Text that a control of the page reveals stays,
 * and so does a page that hides most of itself until its script has run, unless it addresses models. Returns
 * the removed text, to be searched.
 */
export function removeHiddenText(
  html: DomElement,
  body: DomElement,
  options: HiddenTextOptions = {},
): HiddenText {
  const removed = new RemovedText();
  const { unseen } = options;
  const styles = unseen === undefined ? cascade(html, readProperties, options) : computedStyles;
  for (const meta of html.querySelectorAll('meta[content]')) {
    removed.add(meta.getAttribute('content') ?? '');
  }
  const computed = new Map<DomNode, ComputedStyle>();
  const colors = new ColorReader();
  let measured = 0;
  const opened = openedIds(body);
  // Black on white; the background is unknown if style sheets are separate files.
  const start = initialStyle({ isKnown: !styles.hasFiles, isDark: isDark(html, styles) });
  const hasPictures = body.querySelector(pictureSelector) !== null;
  const rootStyle = styleOf(html, start, styles, colors);
  for (let node: DomNode | null = body; node !== null;) {
    const isOver = node !== body && isHidden(node);
    if (node === body) isHidden(node);
    const next: DomNode | null = nextNode(node, body, isOver);
    if (isOver) {
      const isCode = isElement(node) && /^(?:script|style)$/.test(node.localName);
      const text = isText(node) || isElement(node) ? (node.textContent ?? '') : commentText(node);
      removed.add(text, isCode);
      node.parentNode?.removeChild(node);
    }
    node = next;
  }
  for (const element of elementsOf(body)) dropTexts(element, removed);
  removed.unread = { files: styles.hasFiles, rules: styles.isCut || isCut() };
  return removed;

  /** Values of some variables were skipped. */
  function isCut(): boolean {
    return rootStyle.variables.isCut;
  }

  /** Must be called for each node before its descendants. */
  function isHidden(node: DomNode): boolean {
    if (isElement(node)) return isUnseenElement(node);
    if (!isText(node)) return node.nodeType === NodeType.comment;
    if (!/\S/.test(node.data) || node.parentNode === null) return false;
    if (isElement(node.parentNode) && fallbackElements.has(node.parentNode.localName)) return true;
    if (unseen !== undefined) {
      return isElement(node.parentNode) && unseen.illegible.has(node.parentNode);
    }
    const style = computed.get(node.parentNode) ?? rootStyle;
    if (isIllegible(style)) return true;
    // White on an unknown background: on a picture, or on nothing.
    return style.background === undefined && isPale(style) && speaksToModels(node);
  }

  function isUnseenElement(element: DomElement): boolean {
    const { parentNode } = element;
    const outer = (parentNode === null ? undefined : computed.get(parentNode)) ?? rootStyle;
    let style = styleAbove(element, outer);
    computed.set(element, style);
    const isFallback = isElement(parentNode) && fallbackElements.has(parentNode.localName);
    if (isFallback && !/^(?:source|track)$/.test(element.localName)) return true;
    if (silentElements.has(element.localName.toLowerCase())) return true;
    if (opened.has(element.id)) {
      computed.set(element, revealed(style, outer));
      return false;
    }
    if (element.getAttribute('aria-hidden') === 'true') return true;
    if (unseen !== undefined) return isComputedUnseen(element, unseen);
    const isHidden =
      style.box === 'hidden' ||
      (isHiddenByDefault(element) && !style.isDisplayed) ||
      (!style.isDisplayed && hidesByClass(element)) ||
      isReadOutOnly(element);
    if (isHidden) {
      // Some pages hide all their content until their script has run.
      if (!holdsPage(element, 0.95) || speaksToModels(element)) return true;
      style = revealed(style, outer);
    }
    // Other pages fade their content in.
    const isFaded =
      style.box === 'faded' || (style.visibility === 'hidden' && outer.visibility === 'visible');
    if (isFaded) {
      if (holdsPage(element, 0.5) && !speaksToModels(element)) style = revealed(style, outer);
      else if (style.box === 'faded') return true;
    }
    computed.set(element, style);
    unmark(element);
    return false;
  }

  function isComputedUnseen(element: DomElement, { hidden, faded }: UnseenNodes): boolean {
    if (faded.has(element)) return speaksToModels(element);
    if (hidden.has(element)) return !holdsPage(element, 0.5) || speaksToModels(element);
    unmark(element);
    return isReadOutOnly(element);
  }

  /** A positioned element may cover a picture, and later elements may cover the positioned element. */
  function styleAbove(element: DomElement, outer: ComputedStyle): ComputedStyle {
    const style = styleOf(element, outer, styles, colors);
    if (!style.isLaidOver) return style;
    const { parentNode } = element;
    const coversOthers = style.background !== outer.background || element.matches(pictureSelector);
    if (coversOthers && parentNode !== null)
      computed.set(parentNode, { ...outer, background: undefined });
    return hasPictures && style.background === outer.background
      ? { ...style, background: undefined }
      : style;
  }

  /** True for the body, or for an element with its heading and at least this share of its text. */
  function holdsPage(element: DomElement, share: number): boolean {
    if (element === body) return true;
    if (element.querySelector('h1') === null || ++measured > mostMeasured) return false;
    const own = (element.textContent ?? '').length;
    return own >= (body.textContent ?? '').length * share;
  }
}

/** Empty styles: a browser has computed the visibility. */
const computedStyles: CascadedStyles = {
  of: () => [],
  animations: new Map(),
  isCut: false,
  hasFiles: false,
};

/** Elements whose content is never rendered as text. */
const silentElements: ReadonlySet<string> = new Set(
  (
    'script style template noscript datalist annotation annotation-xml canvas object noembed noframes ' +
    'title meter progress rp desc metadata defs symbol clippath mask'
  ).split(' '),
);

/** Elements whose content is a fallback for browsers that do not support them. */
const fallbackElements: ReadonlySet<string> = new Set(['video', 'audio', 'iframe']);

const pictureSelector = 'img, picture, video, svg, canvas, iframe, object, embed';

/** True for elements hidden by every browser's own style sheet, unless the page overrides it. */
function isHiddenByDefault(element: DomElement): boolean {
  if (element.localName === 'dialog') return !element.hasAttribute('open');
  return element.hasAttribute('hidden') || element.hasAttribute('popover');
}

const mostMeasured = 30; // elements whose share of the page's text is measured

/** Unmarks a visible element: cleaning does not read style rules and would take it for hidden. */
function unmark(element: DomElement): void {
  for (const name of ['hidden', 'style']) {
    if (isMarkedHidden(element) && !hidesByClass(element)) element.removeAttribute(name);
  }
}

/** The element's style once a script has revealed it. */
function revealed(style: ComputedStyle, outer: ComputedStyle): ComputedStyle {
  return { ...style, box: 'seen', visibility: 'visible', opacity: Math.max(outer.opacity, 0.5) };
}

/** True if the page only has a dark scheme. */
function isDark(html: DomElement, styles: CascadedStyles): boolean {
  const scheme =
    styles.of(html).findLast(({ property }) => property === 'color-scheme')?.value ??
    html.querySelector('meta[name="color-scheme"]')?.getAttribute('content') ??
    '';
  return /^(?:only )?dark(?: only)?$/i.test(scheme.trim());
}

/** True for screen reader text, which counts as hidden here. */
function isReadOutOnly(element: DomElement): boolean {
  return /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-(?:text|only))(?:\s|$)/i.test(
    element.getAttribute('class') ?? '',
  );
}

function speaksToModels(node: DomNode): boolean {
  return findModelInstructions((node.textContent ?? '').slice(0, 100_000), 1).length > 0;
}

function isPale({ text, fill }: ComputedStyle): boolean {
  const letters = fill ?? text;
  return letters !== undefined && letters[0] + letters[1] + letters[2] >= 3 * 240;
}

function commentText(node: DomNode): string {
  return node.textContent ?? (node as { readonly data?: string }).data ?? '';
}

/** Attributes that are read out, shown on hover, or replace the element's content. */
const textAttributes = ['alt', 'title', 'aria-label', 'aria-description', 'placeholder', 'label'];

function dropTexts(element: DomElement, removed: RemovedText): void {
  for (const name of textAttributes) {
    const value = element.getAttribute(name);
    if (value === null) continue;
    removed.add(value);
    // An empty alt marks a picture as decoration; a missing alt is only an omission.
    element.removeAttribute(name);
  }
}

/** Collects removed text, up to the amount worth searching. */
class RemovedText implements HiddenText {
  words = '';
  code = '';
  unread: UnreadStyles = { files: false, rules: false };

  add(text: string, isCode = false): void {
    const kind = isCode ? 'code' : 'words';
    if (this[kind].length >= mostStored || !/\S/.test(text)) return;
    this[kind] += `${text.slice(0, 20_000)}. `;
  }
}

const mostStored = 300_000;

// Parts of a page that are hidden until the reader opens them: tab panels, answers, menus.

const controlSelector =
  '[aria-controls], [data-target], [data-bs-target], [popovertarget], [role="tab"][href]';

/** The ids of elements that a control with visible text opens. */
function openedIds(body: DomElement): Set<string> {
  const ids = new Set<string>();
  for (const control of body.querySelectorAll(controlSelector)) {
    if (isMarkedHidden(control) || !/\S/.test(control.textContent ?? '')) continue;
    for (const name of [
      'aria-controls',
      'data-target',
      'data-bs-target',
      'popovertarget',
      'href',
    ]) {
      const value = control.getAttribute(name) ?? '';
      if (name === 'href' && !value.startsWith('#')) continue;
      for (const id of value.split(/\s+/)) if (id !== '') ids.add(id.replace(/^#/, ''));
    }
  }
  return ids;
}
