/** The heading of the page where it stands outside of the content. */
import type { Block } from './measure.ts';

/**
 * The `<h1>` before the content, or the article's `<header>` around it; undefined when the content
 * has its own.
 */
export function findTitle(blocks: readonly Block[], content: Block): Block | undefined {
  let title: Block | undefined;
  for (let index = 0; index < content.end; index++) {
    const block = blocks[index] as Block;
    if (block.removed) index = block.end - 1;
    else if (block.element.localName === 'h1' && block.text > 0) {
      if (index >= content.index) return undefined;
      title = block;
    }
  }
  return title === undefined ? undefined : (headerOf(title, content) ?? title);
}

/** Characters; a longer header is more than title, standfirst and date. */
const longestHeader = 600;

function headerOf(title: Block, content: Block): Block | undefined {
  for (let above = title.parent; above !== undefined; above = above.parent) {
    if (above.end > content.index) return undefined;
    const name = above.element.localName;
    if (name === 'header' || name === 'hgroup') {
      return above.text <= longestHeader && above.link <= 0.3 * above.text ? above : undefined;
    }
  }
  return undefined;
}
