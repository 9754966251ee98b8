/** What a page or column breaks off goes on with the next: paragraphs, lists and tables. */
import { type Block, type Inline, textOf } from './blocks.ts';
import { joinText, type Vocabulary } from './line-text.ts';

/** The blocks of all pages as one text: a text goes on behind tables and pictures in its way. */
export function joinBlocks(blocks: readonly Block[], words: Vocabulary): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const between: Block[] = [];
    while (between.length < maxBetween && isInTheWay(joined.at(-1))) {
      const last = joined.pop();
      if (last !== undefined) between.unshift(last);
    }
    const before = joined.at(-1);
    const isFar = between.some(({ kind }) => kind !== 'page');
    const whole =
      before === undefined || (isFar && block.kind !== 'paragraph')
        ? undefined
        : joinTwo(before, block, words);
    if (whole !== undefined) joined.pop();
    // A page that begins within a block is named after it.
    joined.push(...(whole === undefined ? [...between, block] : [whole, ...between]));
  }
  return joined;
}

const maxBetween = 4;

function isInTheWay(block: Block | undefined): boolean {
  if (block === undefined) return false;
  if (block.kind === 'page' || block.kind === 'table' || block.kind === 'figure') return true;
  return block.kind === 'paragraph' && caption.test(textOf(block.content));
}

const caption = /^(?:table|figure|fig\.|tab\.)\s?\d+[.:]/i;

/** Two blocks as one; undefined where they are two. */
function joinTwo(a: Block, b: Block, words: Vocabulary): Block | undefined {
  if (a.kind === 'paragraph' && b.kind === 'paragraph') {
    const content = joinContent(a.content, b.content, words);
    return content === undefined ? undefined : { kind: 'paragraph', content };
  }
  if (a.kind === 'code' && b.kind === 'code') return undefined;
  if (a.kind === 'list' && b.kind === 'list') {
    const isNext =
      a.start === undefined ? b.start === undefined : b.start === a.start + a.items.length;
    return isNext ? { ...a, items: [...a.items, ...b.items] } : undefined;
  }
  if (a.kind === 'list' && b.kind === 'paragraph') {
    const item = a.items.at(-1);
    const end = item?.blocks.at(-1);
    if (item === undefined || end?.kind !== 'paragraph') return undefined;
    const content = joinContent(end.content, b.content, words);
    if (content === undefined) return undefined;
    const whole = {
      blocks: [...item.blocks.slice(0, -1), { kind: 'paragraph', content } as const],
    };
    return { ...a, items: [...a.items.slice(0, -1), whole] };
  }
  return undefined;
}

type Table = Extract<Block, { kind: 'table' }>;

/**
 * The same table on the next page: its header is repeated, or its columns stand at the same places. The
 * first ends its page, the second begins the next.
 */
export function joinTables(a: Block, b: Block): Block | undefined {
  if (a.kind !== 'table' || b.kind !== 'table') return undefined;
  if (widthOf(a) !== widthOf(b)) return undefined;
  const header = rowText(a.rows[0]);
  const isRepeated = header.trim() !== '' && header === rowText(b.rows[0]);
  if (!isRepeated && !areAligned(a, b)) return undefined;
  const rest = isRepeated ? b.rows.slice(1) : b.rows;
  return {
    ...a,
    rows: [...a.rows, ...rest.map((row) => row.map((cell) => ({ ...cell, isHeader: false })))],
  };
}

function widthOf({ rows }: Table): number {
  return (rows[0] ?? []).reduce((sum, { columns }) => sum + columns, 0);
}

function rowText(row: Table['rows'][number] | undefined): string {
  return (row ?? []).map(({ content }) => textOf(content)).join('\n');
}

/** Left and right pages may have different margins. A tagged table says itself that it begins. */
function areAligned(a: Table, b: Table): boolean {
  if (a.columns === undefined || b.columns === undefined) {
    return a.columns === b.columns && b.rows[0]?.some(({ isHeader }) => isHeader) !== true;
  }
  const shift = (b.columns[0]?.left ?? 0) - (a.columns[0]?.left ?? 0);
  const others = b.columns;
  return (
    a.columns.length === others.length &&
    a.columns.every(({ left, right }, at) => {
      const other = others[at] ?? { left: Infinity, right: Infinity };
      const [start, end] = [other.left - shift - left, other.right - shift - right];
      // Numbers may be aligned at their right or in the middle.
      return [start, end, (start + end) / 2].some((gap) => Math.abs(gap) < columnTolerance);
    })
  );
}

/** Points. */
const columnTolerance = 4;

function joinContent(
  a: readonly Inline[],
  b: readonly Inline[],
  words: Vocabulary,
): Inline[] | undefined {
  const [end, next] = [textOf(a).trimEnd(), textOf(b).trimStart()];
  if (end === '' || !/[\p{L}\p{N},;)\]–—‐\u00ad-]$/u.test(end)) return undefined;
  const isCjk = equallyWide.test(end.slice(-1)) && equallyWide.test(next.slice(0, 1));
  if (!/^[\p{Ll}\p{N}(]/u.test(next) && !isCjk) return undefined;
  if (/^\p{N}/u.test(next) && !/[\p{Ll},]$/u.test(end)) return undefined;
  const last = a.at(-1);
  if (last === undefined) return undefined;
  const text = last.text.trimEnd();
  const joined = joinText(text, next, words);
  return [...a.slice(0, -1), { ...last, text: joined ?? `${text} ` }, ...b];
}

const equallyWide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
