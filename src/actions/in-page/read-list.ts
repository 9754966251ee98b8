/** Runs in the page: waits until a list has come to rest, and tells the rows near what is visible. */
import type { ListState, ListView, SeenRow } from './list-state.ts';

/** Waits `patience` ms at most. Rows beyond `mostCharacters` of markup are not kept. */
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

  /** True when rows fill at least half of where they should be visible. */
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

  /** True when something in a row says that it is yet to come. */
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

  /** The element whose children look most like rows: many, near, of one kind, and not tall. */
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

  /** Two hashes of 32 bits of what a reader sees, apart from white space. */
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

  /** A copy that shows and runs nothing; open shadow roots become templates in it. */
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

  // A page that never comes to rest is read all the same; empty room may fill later.
  const started = performance.now();
  await frame();
  await frame();
  let isRestless = false;
  for (;;) {
    const now = performance.now();
    // Rows come first as placeholders.
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
  const rows: SeenRow[] = [];
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
    // More cannot be near: they lie upon each other.
    if (rows.length >= 2000) break;
  }
  state.latest = latest;
  const height = scroller.scrollHeight;
  const { characters } = state;
  const start = Math.min(...rows.map(({ top }) => top), height);
  const place = { top: scrollTop, visible, height, start };
  const rest = { isRestless, isBusy: isBusy(), hasChanged, isOwnChange: hasChanged && isOwnChange };
  return { ...place, ...rest, isNew, rows, characters };
}
