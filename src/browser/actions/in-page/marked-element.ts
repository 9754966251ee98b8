/**
 * Runs in the page: finds the element that an action has marked with an attribute. An element that Playwright has found
 * gets into another JavaScript world of its frame this way.
 */

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
