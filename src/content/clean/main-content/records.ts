/**
 * Records: siblings of one shape, such as list entries, tiles, plans and rows. Their parts are retained or
 * dropped together.
 */
import type { IndexSet } from './index-set.ts';
import { type RetainedText, sumRetained } from './keep.ts';
import type { MeasuredBlock } from './measure.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';

const limits = {
  leastRecords: 3,
  longestRecord: 1500, // characters on average; longer ones are sections, perhaps of several kinds
  levels: 6, // nested lists are read again on each level; deeper ones are not
  leastCommon: 0.6,
  joinShare: 0.5,
  longestEntry: 300, // characters on average; longer ones have headings, which are better evidence
};

/** The paragraphs at the same position in each record of a list: all names, all prices. */
interface Slot {
  readonly positions: number[];
  /** The number of records that have it. */
  records: number;
  lastRecord: number;
  text: number;
  /** The part of `text` that is likely content. */
  wanted: number;
}

/** Siblings of one shape. */
interface RecordSiblings {
  readonly members: MeasuredBlock[];
  text: number;
  isDone: boolean;
  isUnited: boolean;
}

/**
 * By position among the paragraphs: the unit that a paragraph belongs to, which is retained or dropped as a
 * whole. Outside of lists, a paragraph is a unit of its own.
 */
export function findUnits(
  blocks: readonly MeasuredBlock[],
  paragraphs: readonly Paragraph[],
  probabilities: readonly number[],
): Int32Array {
  const units = Int32Array.from({ length: paragraphs.length }, (_, position) => position);
  const siblings = siblingsOf(blocks, () => true);
  const starts = startsOf(blocks, paragraphs);
  const levels = new Uint8Array(blocks.length);
  for (let index = 1; index < blocks.length; index++) {
    const block = blocks[index] as MeasuredBlock;
    levels[index] = levels[block.parent?.index ?? 0] as number;
    const list = siblings[index];
    if (list === undefined || list.members.length < limits.leastRecords) continue;
    if (list.text > limits.longestRecord * list.members.length) continue;
    if (!list.isDone && (levels[index] as number) < limits.levels) {
      list.isUnited = unite(list.members, starts, paragraphs, probabilities, units);
    }
    list.isDone = true;
    if (list.isUnited) index = block.end - 1;
    else levels[index] = Math.min(limits.levels, (levels[index] as number) + 1);
  }
  return units;
}

/** For blocks with text that pass `test`, by index: the siblings of the same shape, itself included. */
function siblingsOf(
  blocks: readonly MeasuredBlock[],
  test: (block: MeasuredBlock, parent: MeasuredBlock) => boolean,
): (RecordSiblings | undefined)[] {
  const lists = new Map<number, RecordSiblings>();
  return blocks.map((block) => {
    if (block.parent === undefined || block.text === 0 || !test(block, block.parent))
      return undefined;
    const key = block.parent.index * 2 ** 32 + (block.shape >>> 0);
    let list = lists.get(key);
    if (list === undefined) {
      list = { members: [], text: 0, isDone: false, isUnited: false };
      lists.set(key, list);
    }
    list.members.push(block);
    list.text += block.text;
    return list;
  });
}

/** By index of a block: the number of paragraphs before it. */
function startsOf(blocks: readonly MeasuredBlock[], paragraphs: readonly Paragraph[]): Int32Array {
  const starts = new Int32Array(blocks.length + 1);
  let position = 0;
  for (let index = 0; index <= blocks.length; index++) {
    starts[index] = position;
    if (paragraphs[position]?.block.index === index) position++;
  }
  return starts;
}

/** Unites the slots of a list; false for siblings that have little in common. */
function unite(
  members: readonly MeasuredBlock[],
  starts: Int32Array,
  paragraphs: readonly Paragraph[],
  probabilities: readonly number[],
  units: Int32Array,
): boolean {
  const slots = readSlots(members, starts, paragraphs, probabilities);
  const common = commonSlots(slots, members.length);
  if (common.length === 0) return false;
  const best = common.reduce((most, { wanted, text: all }) => Math.max(most, wanted / all), 0);
  const first = (common[0] as Slot).positions[0] as number;
  for (const slot of slots) {
    const joins = slot.wanted >= limits.joinShare * best * slot.text;
    const unit = joins ? first : (slot.positions[0] as number);
    for (const position of slot.positions) units[position] = unit;
  }
  return true;
}

function readSlots(
  members: readonly MeasuredBlock[],
  starts: Int32Array,
  paragraphs: readonly Paragraph[],
  probabilities: readonly number[] = [],
): Slot[] {
  const slots = new Map<number, Slot>();
  for (const [record, member] of members.entries()) {
    const end = starts[member.end] as number;
    for (let position = starts[member.index] as number; position < end; position++) {
      const { block } = paragraphs[position] as Paragraph;
      const key = (block.depth - member.depth) * 2 ** 32 + (block.shape >>> 0);
      let slot = slots.get(key);
      if (slot === undefined) {
        slot = { positions: [], records: 0, lastRecord: -1, text: 0, wanted: 0 };
        slots.set(key, slot);
      }
      slot.positions.push(position);
      if (slot.lastRecord !== record) slot.records++;
      slot.lastRecord = record;
      slot.text += block.own.length;
      slot.wanted += block.own.length * (probabilities[position] ?? 0);
    }
  }
  return [...slots.values()];
}

/** The slots of at least half of the records, if these have most of the text. */
function commonSlots(slots: readonly Slot[], size: number): Slot[] {
  const text = slots.reduce((sum, slot) => sum + slot.text, 0);
  const common = slots.filter(({ records }) => records >= 0.5 * size);
  const commonText = common.reduce((sum, slot) => sum + slot.text, 0);
  return commonText < limits.leastCommon * text ? [] : common;
}

/** Drops lists of which few records were chosen: single links, labels and numbers say little. Sentences stay. */
export function dropTorn(
  { blocks, paragraphs }: MeasuredPage,
  retained: IndexSet,
  wantedText: RetainedText,
): void {
  const retainedText = sumRetained(blocks, retained);
  // In other boxes nothing was chosen, or everything.
  const siblings = siblingsOf(blocks, ({ element }, { index }) => {
    const chosen = retainedText[index] as number;
    return (
      chosen > 0 && chosen < (wantedText[index] as number) && recordElements.has(element.localName)
    );
  });
  let starts: Int32Array | undefined;
  for (const { index } of blocks) {
    const list = siblings[index];
    if (list === undefined || list.isDone) continue;
    list.isDone = true;
    const members = list.members.filter((one) => (wantedText[one.index] as number) > 0);
    if (members.length < limits.leastRecords || list.text > limits.longestEntry * members.length)
      continue;
    const chosen = members.filter((one) => (retainedText[one.index] as number) > 0);
    if (chosen.length === 0 || chosen.length >= 0.5 * members.length) continue;
    if (members.reduce((sum, { prose }) => sum + prose, 0) > 0.5 * list.text) continue;
    starts ??= startsOf(blocks, paragraphs);
    const slots = readSlots(members, starts, paragraphs);
    if (commonSlots(slots, members.length).length === 0) continue;
    for (const one of chosen) retained.deleteRange(one.index, one.end);
  }
}

/** Others are paragraphs and their parts. */
const recordElements: ReadonlySet<string> = new Set('a article div dl li section tr'.split(' '));
