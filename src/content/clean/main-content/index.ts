/** Main content: the page without the parts that surround it on every page of the site. */
import type { Transformer } from '../transformer.ts';
import { choose } from './choose.ts';
import { complete } from './complete.ts';
import { Evidence, isInside } from './evidence.ts';
import { IndexSet } from './index-set.ts';
import { keep } from './keep.ts';
import { removeObvious } from './obvious.ts';
import { readPageFacts } from './page-facts.ts';
import { ownProse } from './measure.ts';
import { type MeasuredPage, type Paragraph, readParagraphs } from './paragraphs.ts';

/**
 * Removes everything but main content from the body. With `includeTags` the caller has chosen, and no
 * heuristic runs.
 *
 * Every paragraph gets a probability from its own features and its surroundings; the choice is made for the
 * page as a whole. If no content is found, the page is kept whole without navigation and footers, with a
 * warning; if it has text, also without its lists of links.
 */
export const mainContent: Transformer = {
  name: 'mainContent',
  apply({ root, warnings, document, source, url }, options) {
    if (!options.onlyMainContent || options.includeTags.length > 0) return;
    const page = readParagraphs(root, readPageFacts(document, source, url));
    if (page.root.text === 0) return;
    const { retained, surest } = choose(page);
    if (page.paragraphs.every((paragraph) => isHelp(paragraph, page))) {
      while (root.firstChild !== null) root.removeChild(root.firstChild);
    } else if (surest < leastSure) {
      warnings.push('The main content was not found: the whole page is given.');
      const plain = plainText(page);
      if (plain === undefined) removeObvious(page.root, page.obvious);
      else keepCompleted(page, plain);
    } else {
      keepCompleted(page, retained);
    }
  },
};

function keepCompleted(page: MeasuredPage, retained: IndexSet): void {
  complete(page, retained);
  keep(page, retained);
}

/** Skip links, and texts for screen readers only. */
function isHelp({ block }: Paragraph, { skipLinks }: MeasuredPage): boolean {
  return skipLinks.has(block.index) || isInside(block.surroundings, Evidence.screenReader);
}

const leastSure = 0.25; // if no paragraph is likelier, the page is made of menus, forms and notices

/** All paragraphs that are not links, on a page with sentences. */
function plainText({ blocks, paragraphs }: MeasuredPage): IndexSet | undefined {
  const plain = paragraphs.filter(
    ({ block: { own }, isObvious }) => !isObvious && own.linked < 0.5 * own.length,
  );
  const prose = plain.reduce((sum, { block }) => sum + ownProse(block), 0);
  if (prose < leastProse) return undefined;
  return new IndexSet(
    blocks.length,
    plain.map(({ block }) => block.index),
  );
}

const leastProse = 500; // characters: some sentences
