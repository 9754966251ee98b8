/**
 * Records: siblings of one shape, such as list entries, tiles, plans and rows. Their parts are retained or
 * dropped together.
 */
import type { IndexSet } from './index-set.ts';
import { type RetainedText, sumRetained } from './keep.ts';
import type { MeasuredBlock } from './measure.ts';
import type { MeasuredPage, Paragraph, RecordList } from './paragraphs.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

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

/**
 * By position among the paragraphs: the unit that a paragraph belongs to, which is retained or dropped as a
 * whole. Outside of lists, a paragraph is a unit of its own.
 */
export function findUnits(
  { blocks, siblings }: MeasuredPage,
  paragraphs: readonly Paragraph[],
  probabilities: readonly number[],
): Int32Array {
  const units = Int32Array.from({ length: paragraphs.length }, (_, position) => position);
  const starts = startsOf(blocks, paragraphs);
  const levels = new Uint8Array(blocks.length);
  /** Lists that were read: whether their slots were united. */
  const united = new Map<RecordList, boolean>();
  for (let index = 1; index < blocks.length; index++) {
    const block = blocks[index] as MeasuredBlock;
    const level = levels[block.parent?.index ?? 0] as number;
    levels[index] = level;
    const list = siblings[index];
    if (list === undefined || list.members.length < limits.leastRecords) continue;
    if (list.text > limits.longestRecord * list.members.length) continue;
    const isUnited = getOrInsert(
      united,
      list,
      () => level < limits.levels && unite(list.members, starts, paragraphs, probabilities, units),
    );
    if (isUnited) index = block.end - 1;
    else levels[index] = Math.min(limits.levels, level + 1);
  }
  return units;
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
      const slot = getOrInsert(slots, key, (): Slot => ({
        positions: [],
        records: 0,
        lastRecord: -1,
        text: 0,
        wanted: 0,
      }));
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
  { blocks, paragraphs, siblings }: MeasuredPage,
  retained: IndexSet,
  wantedText: RetainedText,
): void {
  const retainedText = sumRetained(blocks, retained);
  const seen = new Set<RecordList>();
  let starts: Int32Array | undefined;
  for (const { index, parent } of blocks) {
    const list = siblings[index];
    if (list === undefined || seen.has(list)) continue;
    seen.add(list);
    // In other boxes nothing was chosen, or everything.
    const around = parent?.index ?? 0;
    const inBox = retainedText[around] as number;
    if (inBox === 0 || inBox >= (wantedText[around] as number)) continue;
    const records = list.members.filter(({ element }) => recordElements.has(element.localName));
    const text = records.reduce((sum, one) => sum + one.text, 0);
    const members = records.filter((one) => (wantedText[one.index] as number) > 0);
    if (members.length < limits.leastRecords || text > limits.longestEntry * members.length)
      continue;
    const chosen = members.filter((one) => (retainedText[one.index] as number) > 0);
    if (chosen.length === 0 || chosen.length >= 0.5 * members.length) continue;
    if (members.reduce((sum, { prose }) => sum + prose, 0) > 0.5 * text) continue;
    starts ??= startsOf(blocks, paragraphs);
    const slots = readSlots(members, starts, paragraphs);
    if (commonSlots(slots, members.length).length === 0) continue;
    for (const one of chosen) retained.deleteRange(one.index, one.end);
  }
}

/** Others are paragraphs and their parts. */
const recordElements: ReadonlySet<string> = new Set('a article div dl li section tr'.split(' '));
