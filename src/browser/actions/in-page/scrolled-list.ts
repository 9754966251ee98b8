/**
 * Functions that run in the page: they find the scrolling element, scroll it, read its rows and put
 * rows back.
 */

import type { AnswerOf } from '../isolated-world.ts';

/** A list that is scrolled. */
export interface ListState {
  /** The scrolling element; for the window, the document's. */
  readonly scroller: Element;
  readonly isWindow: boolean;
  readonly mutations: Mutations;
  /** The element whose children are the rows. */
  container: Element | null;
  /** Rows by their number. */
  rows: KnownRow[];
  /** The latest row number of each element. */
  latest: Map<Element, number>;
  /** True when rows left the DOM while the list was scrolled. */
  isRecycled: boolean;
  /** A document that neither renders nor runs scripts. */
  readonly inert: Document;
  /** Characters of the rows' markup. */
  characters: number;
}

/** Changes inside of the list. */
interface Mutations {
  /** `performance.now()` of the last change. */
  last: number;
  /** Elements whose children changed since the last reading. */
  parents: Set<Node>;
  hasChanged: boolean;
}

/** A row in its latest state. */
export interface KnownRow {
  readonly live: Element;
  readonly key: string;
  readonly top: number;
  readonly left: number;
  readonly copy: Element;
}

export const rowSample = {
  /** Its number in `ListState.rows`. */
  id: 0,
  /** A hash of its content: text, links, pictures. */
  key: '',
  /** CSS pixels from the start of the scrolled content. */
  top: 0,
  left: 0,
  height: 0,
  /** True when the row sticks to an edge: its position has no meaning. */
  isPinned: false,
};

/** A row as reported. */
export type ListRow = AnswerOf<typeof rowSample>;

export const listSample = {
  /** CSS pixels: the scroll position, the visible height and the full height. */
  top: 0,
  visible: 0,
  height: 0,
  /** True when the list did not come to rest in the given time. */
  isRestless: false,
  /** True when a loading indicator is visible. */
  isBusy: false,
  /** True if the list changed since the last reading. */
  hasChanged: false,
  /** True if the rows changed, as in lists that load or recycle rows. */
  isOwnChange: false,
  /** True if other rows turned out to be the list; the earlier ones no longer count. */
  isNew: false,
  /** The start of the rows, in CSS pixels from the start of the scrolled content. */
  start: 0,
  /** The rows near the visible part. */
  rows: [rowSample],
  /** Characters of all stored rows. */
  characters: 0,
};

/** The result of one reading of the list. */
export type ListView = AnswerOf<typeof listSample>;

// Runs in the page: finds the scrolling element and begins to watch it.

/**
 * With an element: this one, or a scrollable one inside or around it. Without: the window when it has half a screen or more to scroll, else the largest
 * element that scrolls, else the window.
 */
export function openList(element: Element | null): ListState {
  const mostElements = 50_000;
  const root = document.scrollingElement ?? document.documentElement;

  const roots = (): (Document | ShadowRoot)[] => {
    const found: (Document | ShadowRoot)[] = [document];
    let looked = 0;
    for (const one of found) {
      for (const element of one.querySelectorAll('*')) {
        if (++looked > mostElements) return found;
        if (element.shadowRoot !== null) found.push(element.shadowRoot);
      }
    }
    return found;
  };

  const isScrollable = (element: Element): boolean =>
    element !== root &&
    element !== document.body &&
    element.scrollHeight > element.clientHeight + 1 &&
    element.clientHeight > 30 &&
    /auto|scroll|overlay/.test(getComputedStyle(element).overflowY);

  const visibleArea = (element: Element): number => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const width = Math.min(right, innerWidth) - Math.max(left, 0);
    const height = Math.min(bottom, innerHeight) - Math.max(top, 0);
    return Math.max(width, 0) * Math.max(height, 0);
  };

  const largestOf = (elements: Iterable<Element>): Element | undefined => {
    let best: Element | undefined;
    let most = 0;
    let looked = 0;
    for (const element of elements) {
      if (++looked > mostElements) break;
      if (element.scrollHeight <= element.clientHeight + 1 || !isScrollable(element)) continue;
      const area = visibleArea(element);
      if (area > most) [best, most] = [element, area];
    }
    return best;
  };

  const around = (element: Element): Element | undefined => {
    let at: Element | null = element;
    while (at !== null) {
      if (isScrollable(at)) return at;
      const parent: Node | null = at.assignedSlot ?? at.parentNode;
      at = parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
    }
    return undefined;
  };

  const choose = (): Element => {
    if (element === null) {
      if (root.scrollHeight - innerHeight >= innerHeight / 2) return root;
      const inner = largestOf(roots().flatMap((one) => [...one.querySelectorAll('*')]));
      return inner !== undefined && visibleArea(inner) >= (innerWidth * innerHeight) / 10
        ? inner
        : root;
    }
    if (isScrollable(element)) return element;
    return largestOf(element.querySelectorAll('*')) ?? around(element) ?? root;
  };

  const scroller = choose();
  const mutations: Mutations = { last: performance.now(), parents: new Set(), hasChanged: false };
  new MutationObserver((records) => {
    mutations.last = performance.now();
    mutations.hasChanged = true;
    for (const { type, target } of records) {
      if (type === 'childList' && mutations.parents.size < 1000) mutations.parents.add(target);
    }
  }).observe(scroller.getRootNode() instanceof ShadowRoot ? scroller : root, {
    subtree: true,
    childList: true,
    characterData: true,
  });
  const isWindow = scroller === root;
  const inert = document.implementation.createHTMLDocument('');
  const empty = { container: null, rows: [], latest: new Map(), isRecycled: false, characters: 0 };
  return { scroller, isWindow, mutations, inert, ...empty };
}

// Runs in the page: scrolls.

/** Scrolls at once, to a position in CSS pixels, or by some screens. */
export function scrollList(state: ListState, amount: number, unit: 'pixels' | 'screens'): void {
  const { scroller, isWindow } = state;
  const screen = isWindow ? innerHeight : scroller.clientHeight;
  const top = unit === 'pixels' ? amount : scroller.scrollTop + amount * screen;
  scroller.scrollTo({ top, behavior: 'instant' });
}

// Runs in the page: waits until a list has come to rest, and returns the rows near the visible part.

/** Waits at most `patience` ms. Rows beyond `mostCharacters` of markup are not stored. */
export async function readList(
  state: ListState,
  patience: number,
  mostCharacters: number,
): Promise<ListView> {
  const { scroller, isWindow, mutations } = state;
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, milliseconds));
  const frame = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, 100);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  const visible = isWindow ? innerHeight : scroller.clientHeight;
  const edge = (): { readonly x: number; readonly y: number } => {
    if (isWindow) return { x: 0, y: 0 };
    const { left, top } = scroller.getBoundingClientRect();
    return { x: left + scroller.clientLeft, y: top + scroller.clientTop };
  };
  const isEmpty = (element: Element): boolean =>
    /^\s*$/.test(element.textContent) &&
    element.shadowRoot === null &&
    element.querySelector('img, picture, video, audio, canvas, svg, input') === null &&
    !element.matches('img, picture, video, audio, canvas, svg, input') &&
    ![...element.querySelectorAll('*')].some((inner) => inner.shadowRoot !== null);

  /** True when rows fill at least half of the visible area. */
  const isCovered = (): boolean => {
    const { container } = state;
    if (container === null) return true;
    const { y } = edge();
    const box = container.getBoundingClientRect();
    const part = Math.min(box.bottom, y + visible) - Math.max(box.top, y);
    if (part < 40) return true;
    let [first, last] = [Infinity, -Infinity];
    for (const child of container.children) {
      const { top, bottom } = child.getBoundingClientRect();
      if (bottom <= y || top >= y + visible || bottom - top < 1 || isEmpty(child)) continue;
      first = Math.min(first, Math.max(top, y));
      last = Math.max(last, Math.min(bottom, y + visible));
    }
    return last - first >= part / 2;
  };

  /** True if a row indicates that its content is still loading. */
  const isPending = (): boolean => {
    const { y } = edge();
    return [...(state.container?.children ?? [])].some((child) => {
      const { top, bottom } = child.getBoundingClientRect();
      if (bottom <= y - visible || top >= y + 2 * visible || bottom - top < 1) return false;
      return [...child.querySelectorAll('*')].some(
        (inner) =>
          inner.childElementCount === 0 &&
          /^\s*(?:…|\.{3}|loading\W*)\s*$/i.test(inner.textContent) &&
          inner.closest('a, button, [role="button"]') === null,
      );
    });
  };

  /** The element whose children are most likely rows: many, near, of one kind, and not tall. */
  const chooseContainer = (): Element | null => {
    const { x, y } = edge();
    const width = isWindow ? innerWidth : scroller.clientWidth;
    let best: Element | null = null;
    let most = 0;
    let looked = 0;
    for (const element of [scroller, ...scroller.querySelectorAll('*')]) {
      if (++looked > 50_000) break;
      if (element.childElementCount < 3 || element.closest('head, svg') !== null) continue;
      const counts = new Map<string, number>();
      let area = 0;
      for (const child of element.children) {
        const box = child.getBoundingClientRect();
        const high = Math.min(box.bottom, y + 2 * visible) - Math.max(box.top, y - visible);
        const wide = Math.min(box.right, x + width) - Math.max(box.left, x);
        if (high < 1 || wide < 1 || box.height > 2 * visible || isEmpty(child)) continue;
        area += high * wide;
        counts.set(child.localName, (counts.get(child.localName) ?? 0) + 1);
      }
      const count = Math.max(0, ...counts.values());
      if (count < 3) continue;
      const score = area * Math.min(count, 50) * (mutations.parents.has(element) ? 4 : 1);
      if (score > most) [best, most] = [element, score];
    }
    return best;
  };

  const textOf = (root: Element | ShadowRoot): string => {
    let text: string = root.textContent;
    if (root instanceof Element && root.shadowRoot !== null) text += textOf(root.shadowRoot);
    for (const inner of root.querySelectorAll('*')) {
      if (inner.shadowRoot !== null) text += textOf(inner.shadowRoot);
    }
    return text;
  };

  /** Two 32-bit hashes of the visible content, without white space. */
  const keyOf = (element: Element): string => {
    const links = [...element.querySelectorAll('a[href], img[src], source[srcset]')].slice(0, 50);
    if (element.matches('a[href]')) links.push(element);
    const addresses = links.map((one) => one.getAttribute('href') ?? one.getAttribute('src'));
    const text = `${textOf(element).replace(/\s+/g, ' ')}\n${addresses.join('\n')}`;
    let [one, other] = [0x811c9dc5, 0x9e3779b9];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 0x01000193);
      other = Math.imul(other ^ code, 0x85ebca6b) ^ (other >>> 13);
    }
    return `${text.length}:${one >>> 0}:${other >>> 0}`;
  };

  /** A copy that neither renders nor runs scripts; open shadow roots become templates. */
  const copyOf = (element: Element): Element => {
    const copy = state.inert.importNode(element, true);
    const copies = [copy, ...copy.querySelectorAll('*')];
    [element, ...element.querySelectorAll('*')].forEach((live, at) => {
      if (live.shadowRoot === null) return;
      const template = state.inert.createElement('template');
      template.setAttribute('shadowrootmode', 'open');
      for (const child of live.shadowRoot.childNodes) {
        template.content.append(
          child instanceof Element ? copyOf(child) : state.inert.importNode(child, true),
        );
      }
      copies[at]?.prepend(template);
    });
    return copy;
  };

  const hasGone = (): boolean =>
    [...state.latest].some(([live, id]) => {
      if (!live.isConnected) return true;
      const known = state.rows[id];
      if (known === undefined || keyOf(live) === known.key) return false;
      const { y } = edge();
      const top = live.getBoundingClientRect().top - y + scroller.scrollTop;
      return Math.abs(top - known.top) > 2;
    });

  const isBusy = (): boolean => {
    const marks = [
      '[aria-busy="true"], [role="progressbar"], progress, [class*="spinner" i]',
      '[class*="loading" i], [class*="loader" i], [class*="skeleton" i]',
    ];
    const found = scroller.querySelectorAll(marks.join(', '));
    return [...found].slice(0, 50).some((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return (
        bottom > top && bottom - top < visible / 2 && top < edge().y + visible && bottom > edge().y
      );
    });
  };

  // A page that never comes to rest is read anyway; empty space may fill later.
  const started = performance.now();
  await frame();
  await frame();
  let isRestless = false;
  for (;;) {
    const now = performance.now();
    // Rows first appear as placeholders.
    const isQuiet = now - mutations.last >= (mutations.hasChanged ? 80 : 30);
    const isFilled = isCovered();
    if (isQuiet && isFilled && (now - started > 1000 || !isPending())) break;
    isRestless = now - started > Math.min(patience, isFilled ? 1000 : patience);
    if (isRestless) break;
    await pause(10);
  }

  const { hasChanged } = mutations;
  let isNew = false;
  if (hasChanged && !state.isRecycled) state.isRecycled = hasGone();
  const isLost = state.container?.isConnected !== true;
  const isElsewhere =
    hasChanged && state.container !== null && !mutations.parents.has(state.container);
  if (isLost || (isElsewhere && !state.isRecycled)) {
    const container = chooseContainer();
    if (container !== state.container && container !== null) {
      isNew = state.container !== null && !state.isRecycled;
      if (isNew) [state.rows, state.characters] = [[], 0];
      state.container = container;
      state.latest.clear();
    }
  }
  const isOwnChange =
    state.container !== null && (state.isRecycled || mutations.parents.has(state.container));
  mutations.hasChanged = false;
  mutations.parents.clear();

  const { x, y } = edge();
  const { scrollTop, scrollLeft } = scroller;
  const rows: ListRow[] = [];
  const latest = new Map<Element, number>();
  for (const child of state.container?.children ?? []) {
    const box = child.getBoundingClientRect();
    if (box.height < 1 || box.width < 1) continue;
    if (box.bottom < y - visible || box.top > y + 2.5 * visible || isEmpty(child)) continue;
    const position = getComputedStyle(child).position;
    const [top, left] = [box.top - y + scrollTop, box.left - x + scrollLeft];
    const key = keyOf(child);
    let id = state.latest.get(child) ?? -1;
    const known = state.rows[id];
    if (known?.key !== key || Math.abs(known.top - top) > 1 || Math.abs(known.left - left) > 1) {
      const copy = copyOf(child);
      state.characters += copy.outerHTML.length;
      if (state.characters > mostCharacters) break;
      id = state.rows.push({ live: child, key, top, left, copy }) - 1;
    }
    latest.set(child, id);
    const isPinned = position === 'sticky' || position === 'fixed';
    rows.push({ id, key, top, left, height: box.height, isPinned });
    // More rows cannot be near: they would overlap.
    if (rows.length >= 2000) break;
  }
  state.latest = latest;
  const height = scroller.scrollHeight;
  const { characters } = state;
  const start = Math.min(...rows.map(({ top }) => top), height);
  const extent = { top: scrollTop, visible, height, start };
  const rest = { isRestless, isBusy: isBusy(), hasChanged, isOwnChange: hasChanged && isOwnChange };
  return { ...extent, ...rest, isNew, rows, characters };
}

// Runs in the page: puts back rows that left the DOM while a list was scrolled.

/**
 * Changes nothing if all rows are still there. Otherwise replaces the list by a copy with all rows in this
 * order: the page's scripts retain the original, and no longer change the displayed list.
 */
export function putRows(state: ListState, order: readonly number[]): void {
  const { container, scroller, rows, inert } = state;
  const parent = container?.parentNode ?? null;
  if (container === null || parent === null) return;

  const box = scroller.getBoundingClientRect();
  const y = state.isWindow ? 0 : box.top + scroller.clientTop;
  const x = state.isWindow ? 0 : box.left + scroller.clientLeft;
  const positionKey = (top: number, left: number): string =>
    `${Math.round(top)} ${Math.round(left)}`;
  const positions = new Set<string>();
  let visible = 0;
  for (const child of container.children) {
    const at = child.getBoundingClientRect();
    if (at.height < 1) continue;
    visible++;
    const [top, left] = [at.top - y + scroller.scrollTop, at.left - x + scroller.scrollLeft];
    // A fractional position may be rounded to either side.
    for (const nudge of [-1, 0, 1]) positions.add(positionKey(top + nudge, left));
  }
  const hasGone = order.some((id) => {
    const row = rows[id];
    if (row === undefined) return false;
    const { live, copy } = row;
    // Rows loaded above move the ones below, which are the same.
    const isSame =
      live.isConnected && (state.latest.get(live) === id || live.outerHTML === copy.outerHTML);
    return !isSame && !positions.has(positionKey(row.top, row.left));
  });
  // A list that loads upwards has other rows at the positions of the rows that left.
  if (!hasGone && !(state.isRecycled && order.length > visible)) return;

  const whole = inert.importNode(container, false);
  const used = new Set<number>();
  for (const id of order) {
    const copy = rows[id]?.copy;
    if (copy !== undefined) whole.append(used.has(id) ? copy.cloneNode(true) : copy);
    used.add(id);
  }
  if (whole instanceof HTMLElement) {
    // Space reserved for rows that were not in the DOM.
    for (const name of ['transform', 'padding-top', 'padding-bottom']) {
      whole.style.removeProperty(name);
    }
  }
  parent.replaceChild(whole, container);
}
