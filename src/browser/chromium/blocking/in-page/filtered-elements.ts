/**
 * Functions that run in a page for filter lists: they collect names in use and remove matching
 * elements.
 */

export function collectNames(limits: { readonly elements: number; readonly names: number }): {
  readonly ids: string[];
  readonly classes: string[];
  readonly hrefs: string[];
} {
  const ids = new Set<string>();
  const classes = new Set<string>();
  const hrefs = new Set<string>();
  const longest = 500;
  const add = (names: Set<string>, name: string): void => {
    if (name !== '' && name.length <= longest && names.size < limits.names) names.add(name);
  };
  const elements = document.querySelectorAll('[id],[class],a[href]');
  const count = Math.min(elements.length, limits.elements);
  for (let index = 0; index < count; index++) {
    const element = elements[index];
    if (element === undefined) continue;
    // A form's fields may shadow its properties by their names.
    add(ids, Element.prototype.getAttribute.call(element, 'id') ?? '');
    for (const name of (Element.prototype.getAttribute.call(element, 'class') ?? '').split(/\s+/)) {
      add(classes, name);
    }
    if (element instanceof HTMLAnchorElement) {
      add(hrefs, Element.prototype.getAttribute.call(element, 'href') ?? '');
    }
  }
  return { ids: [...ids], classes: [...classes], hrefs: [...hrefs] };
}

// Runs in a page: removes matching elements, never the page itself, and stops when the time is
// over.

export function removeSelected(wanted: {
  readonly selectors: readonly string[];
  readonly milliseconds: number;
}): void {
  const end = performance.now() + wanted.milliseconds;
  for (const selector of wanted.selectors) {
    if (performance.now() > end) break;
    let found: NodeListOf<Element>;
    try {
      found = document.querySelectorAll(selector);
    } catch {
      // A selector that this browser does not know.
      continue;
    }
    for (const element of found) {
      if (element === document.documentElement || element === document.body) continue;
      Element.prototype.remove.call(element);
    }
  }
}
