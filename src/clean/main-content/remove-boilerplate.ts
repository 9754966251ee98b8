/** What surrounds the content on every page of a site. */
import { Evidence } from './evidence.ts';
import type { Genre } from './genre.ts';
import { type Block, removeWhere, restore } from './measure.ts';

/**
 * Marks boilerplate as removed. Every rule has a limit: what holds a large part of the page's prose
 * is content, whatever its name.
 */
export function removeBoilerplate(blocks: readonly Block[], genre: Genre | undefined): void {
  const page = blocks[0] as Block;
  const { prose } = page;
  removeWhere(blocks, page, (block) => isBoilerplate(block, prose));
  if (genre !== 'discussion') removeComments(blocks, genre === 'article' ? 10 : 1);
}

/** Marks what is named like a teaser or a promotion as removed; gives back what it marked. */
export function removeTeasers(blocks: readonly Block[]): Block[] {
  const page = blocks[0] as Block;
  const { prose } = page;
  return removeWhere(blocks, page, ({ evidence, prose: held }) => {
    if ((evidence & Evidence.main) !== 0) return false;
    if ((evidence & Evidence.related) !== 0) return held <= 0.4 * prose;
    return (evidence & Evidence.promotion) !== 0 && held <= 0.2 * prose;
  });
}

/** Takes back every removal but that of navigation and footers. */
export function keepAllButNavigation(blocks: readonly Block[]): void {
  restore(
    blocks,
    blocks.filter((block) => block.removed),
  );
  removeWhere(blocks, blocks[0] as Block, isObvious);
}

function isObvious({ evidence }: Block): boolean {
  return (
    (evidence & Evidence.structural) !== 0 &&
    (evidence & (Evidence.navigation | Evidence.footer)) !== 0
  );
}

/** Kinds that a name alone makes likely. */
const byName =
  Evidence.navigation |
  Evidence.footer |
  Evidence.share |
  Evidence.commentForm |
  Evidence.screenReader;

function isBoilerplate(block: Block, page: number): boolean {
  const { evidence, prose } = block;
  if ((evidence & Evidence.main) !== 0 || belongsToText(block)) return false;
  if ((evidence & Evidence.structural) !== 0 && (block.within & Evidence.article) === 0) {
    return true;
  }
  if ((evidence & Evidence.consent) !== 0) return prose <= 0.8 * page || prose < 1000;
  if ((evidence & Evidence.overlay) !== 0) return prose <= 0.1 * page;
  if ((evidence & Evidence.aside) !== 0) return prose <= 0.45 * page;
  if ((evidence & byName) !== 0) return prose <= 0.25 * page;
  if ((evidence & Evidence.header) !== 0 && block.within === 0) {
    return prose <= 0.4 * page && !(block.headings > 0 && prose > 0);
  }
  return false;
}

/** A note inside the text, the source below a quotation. */
function belongsToText(block: Block): boolean {
  const { evidence, within, element } = block;
  if ((evidence & Evidence.footer) !== 0) {
    const parent = element.parentElement?.localName;
    return parent === 'blockquote' || parent === 'figure';
  }
  if ((evidence & Evidence.aside) === 0 || within === 0) return false;
  return (evidence & Evidence.callout) !== 0 && block.link <= 0.3 * block.text;
}

/** In a forum, what carries the name of comments is what the page is about. */
function removeComments(blocks: readonly Block[], ratio: number): void {
  const page = blocks[0] as Block;
  const comments = removeWhere(
    blocks,
    page,
    ({ evidence }) => (evidence & Evidence.comments) !== 0 && (evidence & Evidence.main) === 0,
  );
  const prose = comments.reduce((sum, block) => sum + block.prose, 0);
  if (prose > ratio * page.prose) restore(blocks, comments);
}
