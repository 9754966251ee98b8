/** The addresses in a piece of CSS, such as a `style` attribute. */

/** What stands in a `url()`, and where. */
export interface CssUrl {
  /** Without quotes and white space around it; escapes stay as written. */
  readonly url: string;
  readonly start: number;
  readonly end: number;
}

/** Every `url()` in order. Searched forward only, so that nothing is read twice. */
export function* cssUrls(css: string): Generator<CssUrl, void, undefined> {
  const opening = /url\(\s*(["']?)/gi;
  for (let match = opening.exec(css); match !== null; match = opening.exec(css)) {
    const start = opening.lastIndex;
    const end = css.indexOf(match[1] || ')', start);
    if (end < 0) return;
    const text = css.slice(start, end);
    const url = text.trim();
    const from = start + text.indexOf(url);
    yield { url, start: from, end: from + url.length };
    opening.lastIndex = end;
  }
}
