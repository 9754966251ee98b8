/** Lists of a word processor's document: which are numbered, and by what number each item is called. */
import { xmlChild, xmlChildren, type XmlElement } from '../../../html/xml-tree.ts';
import { valueOf } from '../open-xml/open-package.ts';
import { numberOf } from './styles.ts';

interface Level {
  /** `bullet`, `decimal`, `lowerLetter`, `none`, … */
  readonly format: string;
  readonly start: number;
  /** `%1.%2`: the numbers of the levels around. */
  readonly text: string;
}

interface List {
  /** Lists that are made of one pattern count on together. */
  readonly pattern: string;
  readonly levels: ReadonlyMap<number, Level>;
  /** Levels that begin anew when this list is first used. */
  readonly restarts: ReadonlyMap<number, number>;
}

/** One item of a list. */
export interface ListItem {
  readonly isOrdered: boolean;
  readonly number: number;
  /** What stands before its text: `2.1`, `b)`. Empty for bullets. */
  readonly label: string;
}

const bullet: Level = { format: 'bullet', start: 1, text: '' };
const mostLevels = 9;

/** Counts the items of all lists of a document, in its order. */
export class Numbering {
  readonly #lists: ReadonlyMap<string, List>;
  readonly #counts = new Map<string, number[]>();
  readonly #used = new Set<string>();

  constructor(tree: XmlElement | undefined) {
    this.#lists = readLists(tree);
  }

  /** The next item of a list at a level from 0; undefined for what is in no list. */
  next(id: string, level: number): ListItem | undefined {
    const list = this.#lists.get(id);
    if (list === undefined || level >= mostLevels) return undefined;
    const own = list.levels.get(level) ?? bullet;
    // Neither a number nor a bullet is shown: a paragraph that goes on in an item.
    const isBare = own.format === 'bullet' || own.format === 'none';
    if (isBare && own.text.trim() === '' && own !== bullet) return undefined;
    const counts = this.#counts.get(list.pattern) ?? [];
    this.#counts.set(list.pattern, counts);
    if (!this.#used.has(id)) {
      this.#used.add(id);
      for (const [at, start] of list.restarts) {
        counts.length = Math.min(counts.length, at);
        this.#fill(list, counts, at);
        counts[at] = start - 1;
      }
    }
    this.#fill(list, counts, level);
    const number = counts[level] === undefined ? own.start : counts[level] + 1;
    counts[level] = number;
    counts.length = level + 1;
    const isOrdered = own.format !== 'bullet' && own.format !== 'none';
    return { isOrdered, number, label: isOrdered ? labelOf(list, counts, own) : '' };
  }

  /** Levels that were passed over have their first number. */
  #fill(list: List, counts: number[], level: number): void {
    for (let at = counts.length; at < level; at += 1) counts[at] = list.levels.get(at)?.start ?? 1;
  }
}

function labelOf(list: List, counts: readonly number[], { text }: Level): string {
  return text.replace(/%([1-9])/g, (_, digit: string) => {
    const at = Number(digit) - 1;
    return inFormat(counts[at] ?? 1, list.levels.get(at)?.format ?? 'decimal');
  });
}

function inFormat(number: number, format: string): string {
  if (/Letter$/.test(format) && number >= 1) {
    const letter = String.fromCharCode(97 + ((number - 1) % 26));
    const letters = letter.repeat(Math.min(10, Math.ceil(number / 26)));
    return format === 'upperLetter' ? letters.toUpperCase() : letters;
  }
  if (/Roman$/.test(format) && number >= 1 && number < 4000) {
    const letters = roman(number);
    return format === 'upperRoman' ? letters : letters.toLowerCase();
  }
  return format === 'decimalZero' && number < 10 ? `0${number}` : String(number);
}

function roman(number: number): string {
  const digits = ['M', 'CM', 'D', 'CD', 'C', 'XC', 'L', 'XL', 'X', 'IX', 'V', 'IV', 'I'];
  const values = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
  let left = number;
  let text = '';
  values.forEach((value, at) => {
    for (; left >= value; left -= value) text += digits[at] ?? '';
  });
  return text;
}

function readLists(tree: XmlElement | undefined): ReadonlyMap<string, List> {
  const patterns = new Map<string, XmlElement>();
  const byStyle = new Map<string, string>();
  for (const pattern of xmlChildren(tree, 'w:abstractNum')) {
    const id = pattern.attributes['w:abstractNumId'] ?? '';
    patterns.set(id, pattern);
    const style = valueOf(pattern, 'w:styleLink');
    if (style !== undefined) byStyle.set(style, id);
  }
  const lists = new Map<string, List>();
  const levelsByPattern = new Map<string, ReadonlyMap<number, Level>>();
  for (const element of xmlChildren(tree, 'w:num')) {
    const id = element.attributes['w:numId'] ?? '';
    let pattern = valueOf(element, 'w:abstractNumId') ?? '';
    const link = valueOf(patterns.get(pattern), 'w:numStyleLink');
    // A link leads to the pattern itself, never to another link.
    if (link !== undefined) pattern = byStyle.get(link) ?? pattern;
    const ofPattern = levelsByPattern.get(pattern) ?? readLevels(patterns.get(pattern));
    levelsByPattern.set(pattern, ofPattern);
    const levels = new Map(ofPattern);
    const restarts = new Map<number, number>();
    for (const override of xmlChildren(element, 'w:lvlOverride')) {
      const level = numberOf(override.attributes['w:ilvl']) ?? 0;
      const own = xmlChild(override, 'w:lvl');
      if (own !== undefined && level < mostLevels) levels.set(level, readLevel(own));
      const start = numberOf(valueOf(override, 'w:startOverride'));
      if (start !== undefined && level < mostLevels) restarts.set(level, start);
    }
    if (id !== '0') lists.set(id, { pattern, levels, restarts });
  }
  return lists;
}

function readLevels(pattern: XmlElement | undefined): Map<number, Level> {
  const levels = new Map<number, Level>();
  for (const element of xmlChildren(pattern, 'w:lvl').slice(0, mostLevels)) {
    levels.set(numberOf(element.attributes['w:ilvl']) ?? 0, readLevel(element));
  }
  return levels;
}

function readLevel(element: XmlElement): Level {
  return {
    format: valueOf(element, 'w:numFmt') ?? 'decimal',
    start: numberOf(valueOf(element, 'w:start')) ?? 1,
    text: valueOf(element, 'w:lvlText') ?? '',
  };
}
