/** Main content: what the page is about, without what surrounds it on every page of the site. */
import type { DomElement } from '../../html/dom.ts';
import type { Transformer } from '../transformer.ts';
import { chooseContent } from './choose-content.ts';
import { Evidence } from './evidence.ts';
import { findTitle } from './find-title.ts';
import { readGenre } from './genre.ts';
import { type Block, measure } from './measure.ts';
import { keepAllButNavigation, removeBoilerplate } from './remove-boilerplate.ts';
import { trimContent } from './trim-content.ts';

/**
 * Replaces the body's children by the main content. With `includeTags` the caller has chosen, and
 * nothing is guessed.
 *
 * A page whose content is not found is given whole, without its navigation and footers, and with a
 * warning.
 */
export const mainContent: Transformer = {
  name: 'mainContent',
  apply({ root, warnings, document, source }, options) {
    if (!options.onlyMainContent || options.includeTags.length > 0) return;
    const blocks = measure(root);
    const page = blocks[0] as Block;
    if (page.text === 0) return;
    removeBoilerplate(blocks, readGenre(document, source));
    if (isSuspicious(blocks)) {
      warnings.push('The main content was not found: the whole page is given.');
      keepAllButNavigation(blocks);
      if (page.text > 0) removeMarked(blocks);
      return;
    }
    const { content, running } = chooseContent(blocks);
    const title = findTitle(blocks, content);
    if (running) {
      const { prose } = content;
      trimContent(blocks, content, prose);
      if (title !== undefined) trimContent(blocks, title, prose);
    }
    removeMarked(blocks);
    keepOnly(root, title === undefined ? [content] : [title, content]);
  },
};

/** Nothing is left, or a crumb of what names alone took away. */
function isSuspicious(blocks: readonly Block[]): boolean {
  const { text } = blocks[0] as Block;
  let lost = 0;
  for (let index = 1; index < blocks.length; index++) {
    const block = blocks[index] as Block;
    if (!block.removed) continue;
    if ((block.evidence & (Evidence.structural | Evidence.consent)) === 0) lost += block.text;
    index = block.end - 1;
  }
  return text === 0 || (text < 200 && text < 0.1 * lost);
}

function removeMarked(blocks: readonly Block[]): void {
  for (let index = 1; index < blocks.length; index++) {
    const block = blocks[index] as Block;
    if (!block.removed) continue;
    block.element.remove();
    index = block.end - 1;
  }
}

function keepOnly(root: DomElement, kept: readonly Block[]): void {
  if (kept.some(({ element }) => element === root)) return;
  while (root.firstChild !== null) root.removeChild(root.firstChild);
  for (const { element } of kept) {
    if (element.localName !== 'td') root.appendChild(element);
    else while (element.firstChild !== null) root.appendChild(element.firstChild);
  }
}
