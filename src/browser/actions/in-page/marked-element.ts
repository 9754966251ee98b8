/** Runs in the page: finds an element by a mark. */

/** The element with this attribute, which is removed from it. */
export function takeMarked(mark: string): Element | null {
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    const element = root.querySelector(`[${mark}]`);
    element?.removeAttribute(mark);
    if (element !== null) return element;
    for (const { shadowRoot } of root.querySelectorAll('*')) {
      if (shadowRoot !== null) roots.push(shadowRoot);
    }
  }
  return null;
}
