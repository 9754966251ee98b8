/** What is left inside running text that does not belong to it. */
import { Evidence } from './evidence.ts';
import { type Block, removeWhere } from './measure.ts';

/** Removes link lists, author boxes and date lines below `within`; `prose` is that of the content. */
export function trimContent(blocks: readonly Block[], within: Block, prose: number): void {
  removeWhere(blocks, within, (block) => isRemains(block, prose));
  removeWhere(blocks, within, isEmptied);
}

function isRemains(block: Block, prose: number): boolean {
  if (!containers.has(block.element.localName) || block.prose > 0.1 * prose) return false;
  if ((block.evidence & Evidence.byline) !== 0) return true;
  return block.links >= 3 && block.link > 0.6 * block.text;
}

/** A box that lost what it was made for: its heading stands alone. */
function isEmptied(block: Block): boolean {
  return (
    block.allText > 2 * block.text &&
    block.prose === 0 &&
    block.images === 0 &&
    (block.headings === 0 || block.element.querySelector('h1') === null)
  );
}

const containers: ReadonlySet<string> = new Set(
  'div section ul ol table dl aside article header footer'.split(' '),
);
