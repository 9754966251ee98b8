/** Reads styles and numbering of a DOCX: headings, code, quotations, and the label of each list item. */
import { isXmlElement, xmlChild, xmlChildren, type XmlElement } from '../../../content/html/xml.ts';
import { isOn, valueOf } from '../open-package.ts';

/** A style, with the properties inherited from its base styles. */
export interface DocxStyle {
  readonly kind: 'heading' | 'title' | 'code' | 'quote' | 'contents' | 'text';
  /** Level of a heading, from 1. */
  readonly level: number;
  readonly list: ListLevel | undefined;
  readonly bold: boolean | undefined;
  readonly italic: boolean | undefined;
  /** True for the header cells of a table. */
  readonly isTableHeading: boolean;
}

/** A list, and a level in it, from 0. */
export interface ListLevel {
  readonly id: string;
  readonly level: number;
}

const defaultStyle: DocxStyle = {
  kind: 'text',
  level: 0,
  list: undefined,
  bold: undefined,
  italic: undefined,
  isTableHeading: false,
};

const mostBases = 20; // a style's chain of base styles

/** The styles of a document by id. */
export class DocxStyles {
  readonly #elements = new Map<string, XmlElement>();
  readonly #styles = new Map<string, DocxStyle>();
  /** The document's default language. */
  readonly language: string | undefined;

  constructor(tree: XmlElement | undefined) {
    for (const element of xmlChildren(tree, 'w:style')) {
      const id = element.attributes['w:styleId'];
      if (id !== undefined && !this.#elements.has(id)) this.#elements.set(id, element);
    }
    const defaults = xmlChild(tree, 'w:docDefaults', 'w:rPrDefault', 'w:rPr', 'w:lang');
    this.language = defaults?.attributes['w:val'];
  }

  /** The style of an id; unknown ids are plain text. */
  of(id: string | undefined): DocxStyle {
    if (id === undefined) return defaultStyle;
    const known = this.#styles.get(id);
    if (known !== undefined) return known;
    const style = this.#resolve(id);
    this.#styles.set(id, style);
    return style;
  }

  /** A style's own properties take precedence over inherited ones. A cycle of base styles ends at the limit. */
  #resolve(id: string): DocxStyle {
    let next: string | undefined = id;
    let found: Partial<DocxStyle> = {};
    let outline: number | undefined;
    for (let step = 0; next !== undefined && step < mostBases; step += 1) {
      const element: XmlElement | undefined = this.#elements.get(next);
      // Programs refer to built-in styles that the document does not define.
      const name = valueOf(element, 'w:name') ?? (element === undefined ? next : '');
      const paragraph = xmlChild(element, 'w:pPr');
      const run = xmlChild(element, 'w:rPr');
      if (found.kind === undefined) found = { ...found, ...meaningOf(name) };
      outline ??= numberOf(valueOf(paragraph, 'w:outlineLvl'));
      found = {
        ...found,
        list: found.list ?? listLevelOf(paragraph),
        bold: found.bold ?? isOn(run, 'w:b'),
        italic: found.italic ?? isOn(run, 'w:i'),
        isTableHeading: found.isTableHeading === true || /^table ?heading$/i.test(name),
      };
      next = valueOf(element, 'w:basedOn');
    }
    if (found.kind === undefined && outline !== undefined && outline < 9) {
      found = { ...found, kind: 'heading', level: outline + 1 };
    }
    return { ...defaultStyle, ...found };
  }
}

/** The meaning of a style's name. Built-in styles have English names in every language. */
function meaningOf(name: string): Partial<DocxStyle> {
  const [, level] = /^heading\s*([1-9])(?:\s+char)?$/i.exec(name) ?? [];
  if (level !== undefined) return { kind: 'heading', level: Number(level) };
  if (/^title(?:\s+char)?$/i.test(name)) return { kind: 'title', level: 1 };
  if (/^(?:toc\s*\d|(?:contents|toc) heading|table of figures)$/i.test(name)) {
    return { kind: 'contents' };
  }
  if (code.test(name)) return { kind: 'code' };
  if (/^(?:(?:intense )?quote|quotations?|block (?:text|quote)|blockquote)$/i.test(name)) {
    return { kind: 'quote' };
  }
  return {};
}

const code =
  /^(?:(?:source|inline|verbatim|html)?\s*code(?:\s+(?:block|char|text))?|source ?text|verbatim(?:\s+char)?|html (?:code|preformatted|typewriter|sample|keyboard)|preformatted(?: text)?|teletype|plain text|macro text)$/i;

/** `w:numPr` of a paragraph or a style. The list `0` removes a paragraph from the list of its style. */
export function listLevelOf(paragraph: XmlElement | undefined): ListLevel | undefined {
  const numbering = xmlChild(paragraph, 'w:numPr');
  const id = valueOf(numbering, 'w:numId');
  if (id === undefined) return undefined;
  return { id, level: numberOf(valueOf(numbering, 'w:ilvl')) ?? 0 };
}

/** A whole number from 0. */
export function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Wrapper elements that count as their children. */
export function isTransparent(name: string): boolean {
  return transparent.has(name);
}

const transparent: ReadonlySet<string> = new Set([
  'w:ins',
  'w:moveTo',
  'w:smartTag',
  'w:customXml',
  'w:bdo',
  'w:dir',
  'w:sdtContent',
  'mc:Choice',
  'mc:Fallback',
  'w:fldSimple',
]);

/** The first alternative, which newer programs write. */
export function chosenAlternative(element: XmlElement): XmlElement | undefined {
  return (
    xmlChild(element, 'mc:Choice') ??
    element.children.find((node): node is XmlElement => isXmlElement(node, 'mc:Fallback'))
  );
}

// Lists of a DOCX: their numbering, and the label of each item.

interface NumberingLevel {
  /** `bullet`, `decimal`, `lowerLetter`, `none`, … */
  readonly format: string;
  readonly start: number;
  /** `%1.%2`: the numbers of the outer levels. */
  readonly text: string;
}

interface NumberedList {
  /** Lists with the same pattern share their numbering. */
  readonly pattern: string;
  readonly levels: ReadonlyMap<number, NumberingLevel>;
  /** Levels that restart when this list is first used. */
  readonly restarts: ReadonlyMap<number, number>;
}

/** One item of a list. */
export interface ListItem {
  readonly isOrdered: boolean;
  readonly number: number;
  /** The label before its text: `2.1`, `b)`. Empty for bullets. */
  readonly label: string;
}

const bullet: NumberingLevel = { format: 'bullet', start: 1, text: '' };

const mostLevels = 9;

/** Counts the items of all lists of a document, in document order. */
export class DocxNumbering {
  readonly #lists: ReadonlyMap<string, NumberedList>;
  readonly #counts = new Map<string, number[]>();
  readonly #used = new Set<string>();

  constructor(tree: XmlElement | undefined) {
    this.#lists = readLists(tree);
  }

  /** The next item of a list at a level from 0; undefined for a paragraph outside of lists. */
  next(id: string, level: number): ListItem | undefined {
    const list = this.#lists.get(id);
    if (list === undefined || level >= mostLevels) return undefined;
    const own = list.levels.get(level) ?? bullet;
    // Without a number or a bullet, the paragraph continues an item.
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

  /** Gives skipped levels their first number. */
  #fill(list: NumberedList, counts: number[], level: number): void {
    for (let at = counts.length; at < level; at += 1) counts[at] = list.levels.get(at)?.start ?? 1;
  }
}

function labelOf(list: NumberedList, counts: readonly number[], { text }: NumberingLevel): string {
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

function readLists(tree: XmlElement | undefined): ReadonlyMap<string, NumberedList> {
  const patterns = new Map<string, XmlElement>();
  const byStyle = new Map<string, string>();
  for (const pattern of xmlChildren(tree, 'w:abstractNum')) {
    const id = pattern.attributes['w:abstractNumId'] ?? '';
    patterns.set(id, pattern);
    const style = valueOf(pattern, 'w:styleLink');
    if (style !== undefined) byStyle.set(style, id);
  }
  const lists = new Map<string, NumberedList>();
  const levelsByPattern = new Map<string, ReadonlyMap<number, NumberingLevel>>();
  for (const element of xmlChildren(tree, 'w:num')) {
    const id = element.attributes['w:numId'] ?? '';
    let pattern = valueOf(element, 'w:abstractNumId') ?? '';
    const link = valueOf(patterns.get(pattern), 'w:numStyleLink');
    // A link refers to the pattern itself, never to another link.
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

function readLevels(pattern: XmlElement | undefined): Map<number, NumberingLevel> {
  const levels = new Map<number, NumberingLevel>();
  for (const element of xmlChildren(pattern, 'w:lvl').slice(0, mostLevels)) {
    levels.set(numberOf(element.attributes['w:ilvl']) ?? 0, readLevel(element));
  }
  return levels;
}

function readLevel(element: XmlElement): NumberingLevel {
  return {
    format: valueOf(element, 'w:numFmt') ?? 'decimal',
    start: numberOf(valueOf(element, 'w:start')) ?? 1,
    text: valueOf(element, 'w:lvlText') ?? '',
  };
}
