/** Tabs: every panel stays, headed by the text of its tab; the tab bar is removed. */
import {
  type DomElement,
  type DomNode,
  closestWhere,
  elementsOf,
  findElement,
  hasWords,
  isElement,
  isText,
  nextNode,
  nodesBelow,
  nodesOf,
} from '../../html/dom.ts';
import { oneLine } from '../../text/plain-text.ts';
import { newElement, type Normalizer, type PageState, replaceElement } from './normalizer.ts';
import { shapeOf } from '../closed-panels.ts';

const limits = {
  longestTab: 40, // characters
  longestCaption: 20, // letters and digits besides the tabs; a longer text is more than a caption
  levels: 10, // between a tab and its bar
  tabs: 100, // with more tabs or elements it is not a tab bar
  inBar: 2_000,
  longestLabel: 100, // characters; longer texts are not labels
  before: 200, // nodes before the text of a panel
};

/** Collects tab bars. */
export const collectTabList: Normalizer = (element, { tabLists }) => {
  const isBar =
    element.getAttribute('role') === 'tablist' ||
    barClass.test(element.className) ||
    isRadioBar(element) ||
    isLabelBar(element);
  if (isBar) tabLists.push(element);
  return undefined;
};

const barClass = /(?:^|\s)nav-tabs(?:\s|$)/;

/** True for labels of radio buttons, which style sheets turn into tabs: VitePress, Material for MkDocs. */
function isRadioBar(element: DomElement): boolean {
  if (!/(?:^|\s)(?:tabs|tabbed-labels)(?:\s|$)/.test(element.className)) return false;
  let labels = 0;
  for (let child = element.firstElementChild; child !== null; child = child.nextElementSibling) {
    if (child.localName === 'label' && child.hasAttribute('for')) labels++;
    else if (child.localName !== 'input') return false;
  }
  return labels > 0;
}

/** True for a box named as a bar that only has short texts. */
function isLabelBar(element: DomElement): boolean {
  return barName.test(element.className) && holdsLabels(element);
}

function holdsLabels(element: DomElement): boolean {
  let labels = 0;
  for (let node = element.firstChild; node !== null; node = node.nextSibling) {
    if (isText(node) && /\S/.test(node.data)) return false;
    if (!isElement(node)) continue;
    if (++labels > limits.tabs || !isShortText(node)) return false;
  }
  return labels > 1;
}

const barName =
  /(?:^|\s)(?:[a-z]+[-_]+)?tab(?:s|list|[-_](?:list|bar|nav|labels|buttons|heads?|headers?))(?:\s|$)/i;

const wordElements: ReadonlySet<string> = new Set(
  'a b button div em i label li span strong svg'.split(' '),
);

function isShortText(element: DomElement): boolean {
  let length = 0;
  let left = 30;
  for (const node of nodesOf(element)) {
    if (--left === 0) return false;
    if (isText(node)) length += node.data.trim().length;
    else if (isElement(node) && !wordElements.has(node.localName)) return false;
  }
  return length > 0 && length <= limits.longestTab;
}

/**
 * Marks headings and questions whose panel is empty until a script fills it: they are removed once the
 * content is chosen.
 */
export function markUnfilled({ root, lines }: PageState): void {
  const empty: DomElement[] = [];
  let found: TabPanels | undefined;
  for (const line of lines) {
    const control = line.localName === 'h1' ? undefined : controlIn(line);
    if (control === undefined) continue;
    found ??= findPanels(root);
    const panel = panelOf(control, found);
    const isEmpty = panel !== undefined && boxes.has(panel.localName) && inkIn(panel) === '';
    if (isEmpty && !line.contains(panel)) empty.push(line);
  }
  if (empty.length > 0) unfilledLines.set(root, empty);
}

/** By the root of the page. */
const unfilledLines = new WeakMap<DomElement, readonly DomElement[]>();

/** The headings and questions that were marked. */
export function unfilledIn(root: DomElement): readonly DomElement[] {
  return unfilledLines.get(root) ?? [];
}

function controlIn(line: DomElement): DomElement | undefined {
  return findElement(line, (one) => controlNames.some((name) => one.hasAttribute(name)), 10);
}

const controlNames: readonly string[] = ['aria-controls', 'data-bs-target', 'data-target'];

const boxes: ReadonlySet<string> = new Set('article dd div section ul'.split(' '));

/** Writes the labels into the panels, reveals the panels, removes the bars. */
export function labelPanels({ root, tabLists }: PageState): void {
  if (tabLists.length === 0) return;
  const found = findPanels(root);
  for (const bar of tabLists) {
    const tabs = tabsOf(bar);
    const panels = tabs.map((tab) => panelOf(tab, found));
    const inOrder = panels.some((panel) => panel !== undefined)
      ? panels
      : panelsAfter(bar, tabs.length);
    const own = inOrder.filter((panel) => panel !== undefined);
    // Panels inside the bar are an accordion, whose headings are already in position.
    if (own.some((panel) => bar.contains(panel))) continue;
    if (own.every((panel) => inkIn(panel) === '')) {
      const isOver = (one: DomElement): boolean => one === bar || controls.has(one.localName);
      // The page may have no other text.
      if (isFilter(bar, tabs) && hasWords(root, isOver)) bar.remove();
      continue;
    }
    // A shared panel lists the items that its tabs filter.
    const isShared = new Set(own).size < own.length;
    for (const [index, tab] of tabs.entries()) {
      const panel = inOrder[index];
      if (panel === undefined) continue;
      showPanel(panel);
      if (!isShared) label(panel, tab);
    }
    if (hasMoreText(bar, new Set(tabs))) {
      for (const [index, tab] of tabs.entries()) if (inOrder[index] !== undefined) tab.remove();
    } else bar.remove();
  }
  for (const tab of found.buttons) {
    if (isInAccordion(tab, found)) replaceElement(tab, 'div');
    else tab.remove();
  }
}

/** True for a filter: labels without panels. Links to other pages are a menu. */
function isFilter(bar: DomElement, tabs: readonly DomElement[]): boolean {
  return (
    tabs.length > 1 &&
    holdsLabels(bar) &&
    tabs.every((tab) => {
      const href = (tab.localName === 'a' ? tab : tab.querySelector('a'))?.getAttribute('href');
      return href === null || href === undefined || href === '' || /^(?:#|javascript:)/i.test(href);
    })
  );
}

/** True if an element with the class of a bar has page text besides its tabs. */
function hasMoreText(bar: DomElement, tabs: ReadonlySet<DomNode>): boolean {
  let length = 0;
  for (const node of nodesBelow(bar, (one) => tabs.has(one) || controls.has(one.localName))) {
    if (isText(node)) length += node.data.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    if (length > limits.longestCaption) return true;
  }
  return false;
}

const controls: ReadonlySet<string> = new Set(['button', 'script', 'select', 'style', 'svg']);

/** True if tab and panel are in the same bar: the text of the tab is the heading of the panel. */
function isInAccordion(tab: DomElement, found: TabPanels): boolean {
  if (tab.parentNode === null || !/[\p{L}\p{N}]/u.test(tab.textContent ?? '')) return false;
  const panel = panelOf(tab, found);
  if (panel === undefined) return false;
  const isBar = (around: DomElement): boolean =>
    around.getAttribute('role') === 'tablist' || barClass.test(around.className);
  return closestWhere(tab.parentElement, isBar, limits.levels)?.contains(panel) ?? false;
}

interface TabPanels {
  readonly byId: ReadonlyMap<string, DomElement>;
  /** Panels by the id of the tab that names them. */
  readonly byTab: ReadonlyMap<string, DomElement>;
  /** Buttons that are tabs. */
  readonly buttons: readonly DomElement[];
}

function findPanels(root: DomElement): TabPanels {
  const byId = new Map<string, DomElement>();
  const byTab = new Map<string, DomElement>();
  const buttons: DomElement[] = [];
  for (const element of elementsOf(root)) {
    const id = element.getAttribute('id');
    if (id !== null && id !== '' && !byId.has(id)) byId.set(id, element);
    const role = element.getAttribute('role');
    if (role === 'tab' && element.localName === 'button') buttons.push(element);
    if (role !== 'tabpanel') continue;
    const tab = element.getAttribute('aria-labelledby');
    if (tab !== null && !byTab.has(tab)) byTab.set(tab, element);
  }
  return { byId, byTab, buttons };
}

/** The tabs of a bar; without roles, its links or labels. */
function tabsOf(bar: DomElement): DomElement[] {
  const tabs: DomElement[] = [];
  const links: DomElement[] = [];
  let left = limits.inBar;
  for (const element of elementsOf(bar)) {
    if (--left === 0) return [];
    if (tabs.length + links.length > limits.tabs) return [];
    if (element.getAttribute('role') === 'tab') tabs.push(element);
    else if (/^(?:a|button|label)$/.test(element.localName)) links.push(element);
  }
  if (tabs.length > 0) return tabs;
  return links.length > 0 || !isLabelBar(bar) ? links : [...bar.children];
}

function panelOf(tab: DomElement, { byId, byTab }: TabPanels): DomElement | undefined {
  for (const name of ['aria-controls', 'data-bs-target', 'data-target', 'href']) {
    const value = tab.getAttribute(name);
    if (value === null || (name !== 'aria-controls' && !value.startsWith('#'))) continue;
    const panel = byId.get(value.replace(/^#/, ''));
    if (panel !== undefined && panel !== tab && !panel.contains(tab)) return panel;
  }
  return byTab.get(tab.id);
}

/** For tabs without ids: the same number of panels, right after the bar or in the box after it. */
function panelsAfter(bar: DomElement, count: number): (DomElement | undefined)[] {
  const next = bar.nextElementSibling;
  if (next === null) return [];
  const direct = panelsFrom(next, count);
  if (direct.length === count) return direct;
  if (isRadioBar(bar)) return childrenOf(next, count);
  if (isLabelBar(bar)) {
    const boxes = [siblingsAlike(next, count), siblingsAlike(next.firstElementChild, count)];
    const panels = boxes.find((found) => found.length === count);
    if (panels !== undefined) return panels;
  }
  const inside = next.firstElementChild === null ? [] : panelsFrom(next.firstElementChild, count);
  return inside.length === count ? inside : [];
}

/** The elements in a box, if their number fits. */
function childrenOf(box: DomElement, count: number): DomElement[] {
  const children: DomElement[] = [];
  for (let child = box.firstElementChild; child !== null; child = child.nextElementSibling) {
    if (children.length === count) return [];
    children.push(child);
  }
  return children.length === count ? children : [];
}

/** Sibling boxes of one shape, if their number fits. */
function siblingsAlike(first: DomElement | null, count: number): DomElement[] {
  const alike: DomElement[] = [];
  for (let next = first; next !== null; next = next.nextElementSibling) {
    const isAlike =
      /^(?:div|section)$/.test(next.localName) && shapeOf(next) === shapeOf(first as DomElement);
    if (!isAlike || alike.length > count) break;
    alike.push(next);
  }
  return alike;
}

/** At most one panel more than `count`. */
function panelsFrom(first: DomElement, count: number): DomElement[] {
  const panels: DomElement[] = [];
  for (let next: DomElement | null = first; next !== null; next = next.nextElementSibling) {
    if (!isPanel(next) || panels.length > count) break;
    panels.push(next);
  }
  return panels;
}

function isPanel(element: DomElement): boolean {
  return element.getAttribute('role') === 'tabpanel' || /\btab-?pane/i.test(element.className);
}

/** Reveals a panel that is only hidden because another tab is open. */
function showPanel(panel: DomElement): void {
  panel.removeAttribute('hidden');
  panel.removeAttribute('aria-hidden');
  const style = panel.getAttribute('style');
  if (style !== null && /display|visibility/i.test(style)) panel.removeAttribute('style');
}

/** Writes the tab's text; skips slideshow bars, which are numbered or have no text. */
function label(panel: DomElement, tab: DomElement): void {
  const text = wordsOf(tab);
  if (
    !/\p{L}/u.test(text) ||
    numbered.test(text) ||
    text.length > limits.longestLabel ||
    repeatsLabel(panel, text)
  )
    return;
  const line = newElement(panel, 'p');
  const strong = newElement(panel, 'strong');
  strong.textContent = text;
  line.appendChild(strong);
  if (textless.has(panel.localName)) panel.before(line);
  else panel.insertBefore(line, panel.firstChild);
}

/** Elements that cannot contain paragraphs. */
const textless: ReadonlySet<string> = new Set('dl ol pre table tbody tr ul'.split(' '));

function wordsOf(tab: DomElement): string {
  let text = '';
  for (const node of nodesOf(tab)) {
    if (isText(node)) text += node.data;
    else if (isElement(node) && /^(?:br|div|p)$/.test(node.localName)) text += ' ';
  }
  return oneLine(text);
}

const numbered = /^(?:go to |view )?(?:image|item|page|slide)\s*\d+/i;

/** True when the panel is empty, or begins with a heading of the same text. */
function repeatsLabel(panel: DomElement, text: string): boolean {
  const ink = inkIn(panel);
  return ink === '' || ink?.toLowerCase() === text.toLowerCase();
}

/** The first text in a panel; `` if it is empty, undefined if media, code or a table comes before. */
function inkIn(panel: DomElement): string | undefined {
  let left = limits.before;
  for (let node: DomNode | null = panel.firstChild; node !== null; node = nextNode(node, panel)) {
    if (--left === 0) return undefined;
    if (isElement(node) && /^(?:iframe|img|pre|table|video)$/.test(node.localName))
      return undefined;
    if (isText(node) && /\S/.test(node.data)) return node.data.trim();
  }
  return '';
}
