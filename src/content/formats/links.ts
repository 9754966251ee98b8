/** links: the targets of the links in the content. */
import { elementsOf } from '../html/dom.ts';
import type { Page } from '../../core/model/page.ts';
import { linksLeftOut } from '../../core/model/limits.ts';
import { linksInText } from '../text/markdown-inline.ts';
import { isRoute, resolveLink } from '../../core/url/normalize-url.ts';
import { builtInModule, type Format } from './format.ts';

/**
 * Absolute http and https URLs in document order, each once. Fragments are preserved, but a link that
 * only jumps within the page is left out, and so are links beyond `limits.links`, with a warning.
 */
export const links: Format<'links', string[], undefined> = {
  name: 'links',
  needs: 'content',
  showsContent: true,
  worker: builtInModule,
  run(page, _options, { limits }) {
    const found = new Set<string>();
    for (const href of hrefsOf(page)) {
      const url = resolveLink(href, page.baseUrl);
      if (url === undefined || isJump(url, page) || found.has(url.href)) continue;
      if (found.size >= limits.links) {
        const warning = linksLeftOut(limits.links);
        if (!page.warnings.includes(warning)) page.warnings.push(warning);
        break;
      }
      found.add(url.href);
    }
    return [...found];
  },
};

/** The targets as written, in document order. */
export function* hrefsOf(page: Page): Generator<string, void, undefined> {
  if (page.kind === 'text') {
    // Pages that are not HTML (text, PDF, office documents) always have markdown.
    for (const { href } of linksInText(page.markdown, { markdown: true })) yield href;
    return;
  }
  for (const element of elementsOf(page.root)) {
    if (element.localName !== 'a' && element.localName !== 'area') continue;
    // Links in SVG have `xlink:href`.
    const href = element.getAttribute('href') ?? element.getAttribute('xlink:href');
    if (href !== null) yield href;
  }
}

/** True for `#part` of this page, also when it is absolute already, against the page or its base. */
function isJump(url: URL, page: Page): boolean {
  const [target = '', ...fragment] = url.href.split('#');
  if (fragment.length === 0 || isRoute(url.hash)) return false;
  return [page.url, page.baseUrl].some((address) => address.split('#', 1)[0] === target);
}
