/** Runs in the page: finds what scrolls and begins to watch it. */
import type { ListState, Mutations } from './list-state.ts';

/**
 * With a selector: the first match, or what can be scrolled inside or around it; null when there is
 * no match. Without: the window when it has half a screen or more to scroll, else the largest
 * element that scrolls, else the window.
 */
export function openList(selector: string | null): ListState | null {
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

  const choose = (): Element | undefined => {
    if (selector === null) {
      if (root.scrollHeight - innerHeight >= innerHeight / 2) return root;
      const inner = largestOf(roots().flatMap((one) => [...one.querySelectorAll('*')]));
      return inner !== undefined && visibleArea(inner) >= (innerWidth * innerHeight) / 10
        ? inner
        : root;
    }
    for (const one of roots()) {
      const element = one.querySelector(selector);
      if (element === null) continue;
      if (isScrollable(element)) return element;
      return largestOf(element.querySelectorAll('*')) ?? around(element) ?? root;
    }
    return undefined;
  };

  const scroller = choose();
  if (scroller === undefined) return null;
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
