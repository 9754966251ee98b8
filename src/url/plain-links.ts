/** Links whose absolute form needs no parsing: most links of most pages. */
import { canParseUrl } from './can-parse-url.ts';

/** Resolves what is plain against one base; parsing a URL takes twenty times as long. */
export class PlainLinks {
  /** Without a slash; undefined for a base that is not http or https, or has credentials. */
  readonly #origin: string | undefined;

  constructor(base: string) {
    this.#origin = originOf(base);
  }

  /**
   * What `new URL(href, base).href` gives for a path without anything to encode or to resolve, as
   * `/docs/page-7.html`, with or without the base's own origin before it; undefined for all others.
   */
  resolve(href: string): string | undefined {
    const origin = this.#origin;
    if (origin === undefined || href.length > longest) return undefined;
    const path = href.startsWith(origin) ? href.slice(origin.length) : href;
    // V8 joins the two when it matches them: a part of the page's source would keep all of it in memory.
    const url = origin + path;
    return path.startsWith('/') && plainUrl.test(url) ? url : undefined;
  }
}

/** Characters. */
const longest = 2000;

/** No part of the path begins with a dot: `..` leads upwards. */
const plainUrl = /^https?:\/\/[^/]+\/(?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?$/;

function originOf(base: string): string | undefined {
  if (!canParseUrl(base)) return undefined;
  const { protocol, host, username, password } = new URL(base);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && username === '' && password === '' ? `${protocol}//${host}` : undefined;
}
