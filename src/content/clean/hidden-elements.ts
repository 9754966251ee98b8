/** Removes the elements that the page hides from its readers, and recognizes how pages hide them. */
import {
  type DomElement,
  type DomNode,
  elementsOf,
  hasWords,
  inkLength,
  isElement,
  isMain,
  isTemplate,
  isText,
  nextNode,
  nodesBelow,
} from '../html/dom.ts';
import { rememberedTest } from '../../core/runtime/remembered-test.ts';
import { ClosedPanels, isOverlay } from './closed-panels.ts';
import type { Transformer } from './transformer.ts';

const limits = {
  leastVisible: 0.05, // share of a page's text: less than this is only a header
  leastPage: 100, // characters: some sentences
  longestRepeated: 200, // characters; longer texts are not duplicated
};

/**
 * Removes hidden elements, even if the whole page is requested: readers do not see them, and text that is
 * hidden on purpose is written for programs. Elements named in `includeTags` stay. A page that hides all of
 * its text until its script has run is left alone.
 */
export const removeHidden: Transformer = {
  name: 'removeHidden',
  apply({ root }, options) {
    const chosen = options.includeTags.length > 0;
    const closed = new ClosedPanels(isHidden);
    let ids: Set<string> | undefined;
    const isControlled = (id: string): boolean => (ids ??= controlledIds(root)).has(id);
    const find = (drawn?: ReadonlySet<DomElement>): HiddenParts => {
      const hidden: DomElement[] = [];
      let hasText = false;
      let hasHeading = false;
      for (let node: DomNode | null = root.firstChild; node !== null;) {
        let skip = false;
        if (isText(node)) hasText ||= /\S/.test(node.data);
        else if (isElement(node) && drawn?.has(node) !== true && isHidden(node)) {
          const isVisible = (chosen && node.parentNode === root) || isPanel(node, isControlled);
          skip = !isVisible && !closed.has(node);
          if (skip) hidden.push(node);
        } else if (isElement(node)) hasHeading ||= node.localName === 'h1';
        node = nextNode(node, root, skip);
      }
      return { hidden, hasText, hasHeading };
    };
    const first = find();
    const drawn = drawnParts(first, root);
    const { hidden, hasText } = drawn.size === 0 ? first : find(drawn);
    if (hasText) for (const element of hidden) element.remove();
  },
};

interface HiddenParts {
  readonly hidden: readonly DomElement[];
  /** Has text that is not hidden. */
  readonly hasText: boolean;
  /** Its visible part has an `h1`. */
  readonly hasHeading: boolean;
}

/**
 * The page content itself, where it is hidden: an open dialog hides it from screen readers, and some pages
 * reveal themselves by script, at once or in parts.
 */
function drawnParts({ hidden, hasHeading }: HiddenParts, root: DomElement): Set<DomElement> {
  const drawn = new Set<DomElement>();
  const lengths = hidden.map((element) => inkLength(element, { isOver: isHiddenCode }));
  if (lengths.every((length) => length < limits.leastPage)) return drawn;
  const total = inkLength(root, { isOver: isHiddenCode });
  const visible = lengths.reduce((rest, length) => rest - length, total);
  for (const [at, element] of hidden.entries()) {
    const length = lengths[at] as number;
    if (length < limits.leastPage || !holdsPage(element)) continue;
    const isTitled = !hasHeading && !isOverlay(element);
    const isPage = isMarkedHidden(element)
      ? isTitled && length > visible
      : length > 0.5 * total || (isTitled && element.querySelector('h1') !== null);
    if (!isPage) continue;
    // Boxes in it may be hidden, too.
    let inner = element.querySelector('h1');
    for (; inner !== null && inner !== element; inner = inner.parentElement) drawn.add(inner);
    return drawn.add(element);
  }
  if (visible > limits.leastVisible * total) return drawn;
  for (const [at, element] of hidden.entries()) {
    const isPart =
      (lengths[at] as number) > Math.max(limits.leastPage, visible) && !isOverlay(element);
    if (isPart) drawn.add(element);
  }
  return drawn;
}

function holdsPage(element: DomElement): boolean {
  if (/^(?:main|article)$/.test(element.localName)) return true;
  for (const node of nodesBelow(element, isTemplate)) {
    if (isElement(node) && (pageElements.has(node.localName) || isMain(node))) return true;
  }
  return false;
}

const pageElements: ReadonlySet<string> = new Set(['main', 'article', 'h1']);

function isHiddenCode({ localName }: DomElement): boolean {
  return localName === 'script' || localName === 'style' || localName === 'template';
}

function isHidden(element: DomElement): boolean {
  if (isMarkedHidden(element)) return true;
  return element.getAttribute('aria-hidden') === 'true' && !hasMeaning(element);
}

/** The ids that a button or tab of the page opens. */
function controlledIds(root: DomElement): Set<string> {
  const ids = new Set<string>();
  for (const element of elementsOf(root)) {
    for (const name of controlAttributes) {
      const value = element.getAttribute(name);
      if (value === null) continue;
      for (const id of value.split(/\s+/)) ids.add(id.replace(/^#/, ''));
    }
    const href = opensTarget(element) ? element.getAttribute('href') : null;
    if (href?.startsWith('#') === true) ids.add(href.slice(1));
  }
  return ids;
}

/** True for a link that opens a part of the same page. */
function opensTarget(link: DomElement): boolean {
  if (link.localName !== 'a') return false;
  const toggles = link.getAttribute('data-toggle') ?? link.getAttribute('data-bs-toggle');
  return toggles === 'collapse' || toggles === 'tab' || link.hasAttribute('aria-expanded');
}

const controlAttributes: readonly string[] =
  'aria-controls data-target data-bs-target data-tab data-tab-target data-panel'.split(' ');

/** True for the panel of a tab or accordion, which the reader opens with one click. */
function isPanel(element: DomElement, isControlled: (id: string) => boolean): boolean {
  const role = element.getAttribute('role');
  if (role === 'tabpanel' || (role === 'region' && element.hasAttribute('aria-labelledby')))
    return true;
  if (role === 'dialog' || role === 'menu') return false;
  const id = element.getAttribute('id');
  return id !== null && id !== '' && (isControlled(id) || /^S:[0-9a-f]+$/.test(id));
}

/** `aria-hidden` also marks elements drawn for the eye only: formulas, prices, icons with text. */
function hasMeaning(element: DomElement): boolean {
  const name = element.localName;
  if (name === 'math' || name.startsWith('mjx-')) return true;
  if (/\b(?:katex|MathJax|mwe-math|math)/i.test(element.getAttribute('class') ?? '')) return true;
  return inline.has(name) && hasWords(element) && !isRepeatedBeside(element);
}

const inline: ReadonlySet<string> = new Set(
  'a b bdi code del em i ins s span strong sub sup'.split(' '),
);

/** True if a sibling has the same text for screen readers: "$8.50" and "Price: $8.50". */
function isRepeatedBeside(element: DomElement): boolean {
  const text = element.textContent ?? '';
  if (text.length > limits.longestRepeated) return false;
  const tokens = tokensOf(text);
  return [element.previousElementSibling, element.nextElementSibling].some(
    (other) =>
      other !== null &&
      inline.has(other.localName) &&
      other.getAttribute('aria-hidden') !== 'true' &&
      !isMarkedHidden(other) &&
      tokensOf((other.textContent ?? '').slice(0, 2 * limits.longestRepeated)).includes(tokens),
  );
}

/** The numbers, words and signs of a text, one per line: "2" must not match "2024", nor "8" "8.50". */
function tokensOf(text: string): string {
  const whole = text.replace(/(\d)\s*([.,])\s*(?=\d)/g, '$1$2');
  const tokens = whole.match(/\d+(?:[.,]\d+)*|[a-z\u00c0-\uffff]+|\S/gi) ?? [];
  return `\n${tokens.join('\n')}\n`;
}

// How pages hide an element from their readers.

/** True for the attribute `hidden`, styles that leave nothing to see, and class names that hide. */
export function isMarkedHidden(element: DomElement): boolean {
  const hidden = element.getAttribute('hidden');
  if (hidden !== null && hidden !== 'until-found') return true;
  const style = element.getAttribute('style');
  if (style !== null && isHiddenByStyle(plainStyle(style))) return true;
  return hidesByClass(element);
}

/** True for class names that hide an element. */
export function hidesByClass(element: DomElement): boolean {
  const classes = element.getAttribute('class');
  return classes !== null && mayHide(classes) && isHiddenByClass(element, classes);
}

const mayHide = rememberedTest(
  /(?:^|\s)(?:d-none|display-none|sr-only|visually-?hidden|screen-reader-(?:text|only)|element-invisible)(?:\s|$)/i,
);

/**
 * Classes such as `d-md-block` and `lg:flex` display an element on large screens that is hidden on small ones;
 * `d-print-block` and `print:block` only on paper.
 */
function isHiddenByClass({ localName }: DomElement, classes: string): boolean {
  if (
    /(?:^|\s)(?!d-print-|print:)(?:d-(?:\w+-)?|(?:\w+:))(?:block|flex|grid|inline|initial|table|contents)/.test(
      classes,
    )
  )
    return false;
  // Headings for screen readers name the parts of the page.
  return !/^h[1-6]$/.test(localName);
}

/** True for `display: none`; the last of several values counts, unless one is important. */
function isDisplayNone(style: string): boolean {
  if (!/none/i.test(style)) return false;
  const values = [...style.matchAll(/(?:^|[\s;])display\s*:\s*([a-z][a-z-]*)\s*(!)?/gi)];
  const value = values.findLast(([, , mark]) => mark !== undefined) ?? values.at(-1);
  return value?.[1]?.toLowerCase() === 'none';
}

/** The style without comments and escapes, which may stand anywhere in CSS and change nothing. */
function plainStyle(style: string): string {
  if (!/\/\*|\\/.test(style)) return style;
  return style
    .slice(0, 20_000)
    .replace(/\/\*[^]*?(?:\*\/|$)/g, ' ')
    .replace(/\\(?:([\da-f]{1,6})\s?|([^\n]))/gi, (_, code: string | undefined, other = '') =>
      code === undefined ? String(other) : characterOf(Number.parseInt(code, 16)),
    );
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

/**
 * `opacity: 0` does not count: pages fade in their content with it. Neither does a clipped box,
 * which holds words for screen readers.
 */
function isHiddenByStyle(style: string): boolean {
  if (isDisplayNone(style) || hiddenStyle.test(style)) return true;
  if (/position\s*:\s*(?:absolute|fixed)/i.test(style) && farAway.test(style)) return true;
  return noBox.test(style) && /overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/i.test(style);
}

const hiddenStyle =
  /(?:^|[\s;])(?:visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0+(?:\.0+)?(?:px|pt|r?em|%)?\s*(?:!|;|$)|text-indent\s*:\s*-\d{4})/i;

const farAway = /(?:^|[\s;])(?:left|top|right|bottom)\s*:\s*-\d{4}/i;

const noBox = /(?:^|[\s;])(?:max-)?(?:height|width)\s*:\s*0+(?:px|pt|r?em|%)?\s*(?:!|;|$)/i;
