/** Runs in the page: reads its state, including what its HTML does not show. */

/** A hash of scroll positions, field contents and open shadow roots. */
export function liveState(): number {
  const mostElements = 50_000;
  const mostCharacters = 10_000;
  const mostInRoots = 2_000_000;
  const roots: (Document | ShadowRoot)[] = [document];
  let looked = 0;
  let sum = 0;
  let inRoots = 0;
  const add = (part: string | number | boolean, most: number = mostCharacters): void => {
    for (const character of String(part).slice(0, most)) {
      sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) | 0;
    }
    sum = Math.imul(sum, 31) | 0;
  };
  for (const root of roots) {
    if (root instanceof ShadowRoot && inRoots < mostInRoots) {
      const { innerHTML } = root;
      add(innerHTML, mostInRoots - inRoots);
      inRoots += innerHTML.length;
    }
    for (const element of root.querySelectorAll('*')) {
      if (++looked > mostElements) return sum;
      if (element.shadowRoot !== null) roots.push(element.shadowRoot);
      const { scrollTop, scrollLeft } = element;
      if (scrollTop !== 0 || scrollLeft !== 0) {
        for (const part of [looked, scrollTop, scrollLeft]) add(part);
      }
      if (element instanceof HTMLInputElement) add(element.checked);
      if (
        element instanceof HTMLInputElement ||
        element instanceof HTMLTextAreaElement ||
        element instanceof HTMLSelectElement
      ) {
        add(element.value);
      }
    }
  }
  return sum;
}

/** The HTML of a frame, which its page's HTML does not include. */
export function frameHtml(mostCharacters: number): string {
  return document.documentElement.outerHTML.slice(0, mostCharacters);
}
