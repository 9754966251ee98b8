/** Entries of tagged lists whose bullet or number is part of their text. */
import type { Block, Inline } from './blocks.ts';

/** An entry without its mark. */
export interface TaggedItem {
  readonly number: number | undefined;
  readonly blocks: readonly Block[];
}

const mark = /^\s*(?:[•‣⁃▪▫■□●○◦◆◇➢➤✓\uf0b7\uf0a7\uf0d8]\s*|[-–*·o]\s+|\(?(\d{1,4})[.)]\s+)/u;

/** Takes the mark off the first paragraph. */
export function withoutMark(blocks: readonly Block[]): TaggedItem {
  const [first, ...rest] = blocks;
  if (first?.kind !== 'paragraph') return { number: undefined, blocks };
  const text = first.content.map((part) => part.text).join('');
  const found = mark.exec(text);
  if (found === null || found[0].length === text.length) return { number: undefined, blocks };
  const content = dropStart(first.content, found[0].length);
  return {
    number: found[1] === undefined ? undefined : Number(found[1]),
    blocks: [{ kind: 'paragraph', content }, ...rest],
  };
}

function dropStart(content: readonly Inline[], length: number): Inline[] {
  let left = length;
  return content.flatMap((part) => {
    const text = part.text.slice(left);
    left = Math.max(0, left - part.text.length);
    return text === '' ? [] : [{ ...part, text }];
  });
}

/** A line of a table of contents without the dots to its page number. */
export function withoutLeaders(block: Block): Block {
  if (block.kind !== 'paragraph') return block;
  const content = block.content.map((part) => ({
    ...part,
    text: part.text.replace(/[\s.]*(?:\.[ ]?){4}[\s.]*/g, ' '),
  }));
  return { ...block, content };
}
