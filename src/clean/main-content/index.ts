/** Main content: what the page is about, without what surrounds it on every page of the site. */
import type { Transformer } from '../transformer.ts';
import { choose } from './choose.ts';
import { complete } from './complete.ts';
import { keep } from './keep.ts';
import { removeObvious } from './obvious.ts';
import { readPageFacts } from './page-facts.ts';
import { readParagraphs } from './paragraphs.ts';

/**
 * Removes what is not main content from the body. With `includeTags` the caller has chosen, and
 * nothing is guessed.
 *
 * Every paragraph gets a probability from what it looks like and what stands around it; the choice
 * is made for the page as a whole. A page whose content is not found is given whole, without its
 * navigation and footers, and with a warning.
 */
export const mainContent: Transformer = {
  name: 'mainContent',
  apply({ root, warnings, document, source, url }, options) {
    if (!options.onlyMainContent || options.includeTags.length > 0) return;
    const page = readParagraphs(root, readPageFacts(document, source, url));
    if (page.root.text === 0) return;
    const { kept, surest } = choose(page);
    if (surest < leastSure) {
      warnings.push('The main content was not found: the whole page is given.');
      removeObvious(page.root, page.obvious);
    } else {
      keep(page, complete(page, kept));
    }
  },
};

/** Where no paragraph is likelier, the page is made of menus, forms and notices. */
const leastSure = 0.25;
