/** Entries that follow each other become lists, nested by their indents. */
import type { Block, ListItem } from './blocks.ts';

/** An entry as the page shows it. */
export interface Entry {
  readonly number: number | undefined;
  readonly left: number;
  readonly blocks: readonly Block[];
}

/** Points: entries of one level begin within these. */
const tolerance = 5;
const maxLevels = 8;

/** Lists of entries, from the top. */
export function nestEntries(entries: readonly Entry[], level = 1): Block[] {
  const lists: Block[] = [];
  let items: ListItem[] = [];
  let start: number | undefined;
  let previous: number | undefined;
  for (let at = 0; at < entries.length;) {
    const entry = entries[at];
    if (entry === undefined) break;
    let end = at + 1;
    while (end < entries.length && isBelow(entries[end], entry, level)) end += 1;
    const inner = nestEntries(entries.slice(at + 1, end), level + 1);
    const goesOn =
      entry.number === undefined
        ? previous === undefined
        : previous !== undefined && entry.number === previous + 1;
    if (items.length > 0 && !goesOn) {
      lists.push({ kind: 'list', start, items });
      items = [];
    }
    if (items.length === 0) start = entry.number;
    items.push({ blocks: [...entry.blocks, ...inner] });
    previous = entry.number;
    at = end;
  }
  if (items.length > 0) lists.push({ kind: 'list', start, items });
  return lists;
}

function isBelow(entry: Entry | undefined, outer: Entry, level: number): boolean {
  return entry !== undefined && level < maxLevels && entry.left > outer.left + tolerance;
}
