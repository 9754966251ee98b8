/**
 * Restores glyphs that pdf.js leaves out. TeX fonts have ligatures at the code points of control characters, and
 * pdf.js takes them for spaces where the file has no table for them. It takes soft hyphens for invisible, and some
 * programs write every hyphen as one. The drawing operators of the page still have all of these glyphs.
 */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { PdfJs } from './open-pdf.ts';
import { cleanText, type RawRun } from './text-runs.ts';

type OperatorList = Awaited<ReturnType<PDFPageProxy['getOperatorList']>>;

/** Places of the encoding OT1 that count as spaces, and the soft hyphen. */
const textOfMissing: ReadonlyMap<string, string> = new Map([
  ['\u000b', 'ff'],
  ['\u000c', 'fi'],
  ['\u000d', 'fl'],
  ['\u00ad', '-'],
]);

/** Glyphs before and after it that tell where it belongs. */
const contextLength = 10;

/** Of a page; each is looked for within so many glyphs after the one before. */
const maxMissing = 2000;

const reach = 20_000;

/** Thousandths of the size of the font: wider gaps are spaces. */
const widthOfSpace = 180;

/** What is left out among the glyphs of a page, spaces not counted. */
interface MissingGlyph {
  readonly text: string;
  /** Glyphs before it. */
  readonly at: number;
  isApartBefore: boolean;
  isApartAfter: boolean;
  /** Its width in heights of the font. */
  readonly width: number;
}

/** What was found missing in the text of a run, or between two runs. */
interface GlyphInsertion {
  readonly missing: MissingGlyph;
  /** The character of the run after which it goes; -1: before all of them. */
  readonly after: number;
}

/** The runs of a page with the glyphs that they lack. */
export function restoreMissingGlyphs(
  runs: readonly RawRun[],
  drawing: OperatorList,
  pdfjs: PdfJs,
): readonly RawRun[] {
  if (!lacksAny(drawing, pdfjs)) return runs;
  const { shown, missing } = readGlyphs(drawing, pdfjs);
  if (missing.length === 0) return runs;
  const places = textPositions(runs);
  const edits = new Map<number, GlyphInsertion[]>();
  let [from, last] = [0, { at: -1, place: 0 }];
  for (const one of missing) {
    const before = cleanText(shown.slice(Math.max(0, one.at - contextLength), one.at).join(''));
    const after = cleanText(shown.slice(one.at, one.at + contextLength).join(''));
    // It stands further on than the one before, unless both are between the same glyphs.
    if (one.at > last.at) from = Math.max(0, last.place + 1 - before.length);
    const found = places.text.slice(from, from + reach).indexOf(before + after);
    if (found < 0) continue;
    const at = from + found + before.length;
    last = { at: one.at, place: at };
    const belongsToNext = !one.isApartAfter && (one.isApartBefore || one.text !== '-');
    const joinsNext = (belongsToNext && places.run[at] !== undefined) || at === 0;
    const run = places.run[joinsNext ? at : at - 1];
    if (run === undefined) continue;
    const isWithin = places.run[at - 1] === places.run[at];
    const character = isWithin || !joinsNext ? (places.character[at - 1] ?? -1) : -1;
    const list = edits.get(run) ?? [];
    edits.set(run, list);
    list.push({ missing: one, after: character });
  }
  return runs.map((run, at) => edited(run, edits.get(at) ?? []));
}

function edited(run: RawRun, edits: readonly GlyphInsertion[]): RawRun {
  let { text, left, right, afterSpace } = { ...run, text: '' };
  let from = 0;
  for (const { missing, after } of edits) {
    const width = missing.width * run.size;
    const before = run.text.slice(from, after + 1);
    from = Math.max(from, after + 1);
    const isLast = run.text.slice(from, from + 2).trim() === '' && from + 2 >= run.text.length;
    if (text + before === '') {
      left -= width;
      afterSpace = missing.isApartBefore;
    } else if (missing.isApartBefore) text += before + ' ';
    else text += before;
    text += missing.text;
    // What pdf.js takes for invisible takes no room either.
    if (isLast || missing.text === '-') right += width;
    if (run.text.charAt(from) === ' ') from += 1;
    if (missing.isApartAfter && !isLast) text += ' ';
  }
  return { ...run, text: text + run.text.slice(from), left, right, afterSpace };
}

/** Most pages lack none: that is found out first. */
function lacksAny({ fnArray, argsArray }: OperatorList, { OPS }: PdfJs): boolean {
  for (let at = 0; at < fnArray.length; at += 1) {
    if (fnArray[at] !== OPS.showText) continue;
    const glyphs: unknown = (argsArray[at] as unknown[] | undefined)?.[0];
    if (!Array.isArray(glyphs)) continue;
    for (const glyph of glyphs as unknown[]) {
      if (typeof glyph !== 'object' || glyph === null) continue;
      if (textOfMissing.has((glyph as { unicode?: string }).unicode ?? '')) return true;
    }
  }
  return false;
}

/** What the page shows, glyph by glyph without spaces, and what is left out of it. */
function readGlyphs(
  { fnArray, argsArray }: OperatorList,
  { OPS }: PdfJs,
): { shown: string[]; missing: MissingGlyph[] } {
  const shown: string[] = [];
  const missing: MissingGlyph[] = [];
  let open: MissingGlyph | undefined;
  let isApart = true;
  const gap = (): void => {
    isApart = true;
    if (open !== undefined) open.isApartAfter = true;
  };
  for (const [at, operator] of fnArray.entries()) {
    if (operator !== OPS.showText) continue;
    const glyphs: unknown = (argsArray[at] as unknown[] | undefined)?.[0];
    if (!Array.isArray(glyphs)) continue;
    gap();
    for (const glyph of glyphs as unknown[]) {
      if (typeof glyph === 'number') {
        if (glyph < -widthOfSpace) gap();
        continue;
      }
      const { unicode, width } = glyph as { unicode?: unknown; width?: unknown };
      if (typeof unicode !== 'string') continue;
      const text = textOfMissing.get(unicode);
      if (text !== undefined) {
        open = {
          text,
          at: shown.length,
          isApartBefore: isApart,
          isApartAfter: false,
          width: typeof width === 'number' ? width / 1000 : 0,
        };
        if (missing.length < maxMissing) missing.push(open);
      } else if (unicode.trim() === '') {
        gap();
        continue;
      } else {
        shown.push(/[\ufb00-\ufb06]/.test(unicode) ? unicode.normalize('NFKC') : unicode);
        open = undefined;
      }
      isApart = false;
    }
  }
  return { shown, missing: missing.filter((one) => isInWord(shown, one)) };
}

/** Glyphs of other fonts at these places stand alone; a hyphen that takes no room is not seen. */
function isInWord(
  shown: readonly string[],
  { text, at, isApartBefore, isApartAfter, width }: MissingGlyph,
): boolean {
  if (text === '-') return width > 0;
  const isLetter = (glyph: string | undefined): boolean => /\p{L}$/u.test(glyph ?? '');
  return (!isApartBefore && isLetter(shown[at - 1])) || (!isApartAfter && isLetter(shown[at]));
}

interface TextPositions {
  /** All glyphs but spaces. */
  readonly text: string;
  /** Of each: the run and the place in its text. */
  readonly run: readonly number[];
  readonly character: readonly number[];
}

function textPositions(runs: readonly RawRun[]): TextPositions {
  const [parts, run, character]: [string[], number[], number[]] = [[], [], []];
  for (const [index, { text }] of runs.entries()) {
    for (let at = 0; at < text.length; at += 1) {
      if (/\s/.test(text.charAt(at))) continue;
      parts.push(text.charAt(at));
      run.push(index);
      character.push(at);
    }
  }
  return { text: parts.join(''), run, character };
}
