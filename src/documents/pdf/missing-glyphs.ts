/**
 * Restores glyphs that pdf.js drops. TeX fonts have ligatures at the code points of control characters, which
 * pdf.js reads as spaces if the file has no table for them. It drops soft hyphens as invisible, and some
 * programs write every hyphen as one. The drawing operators of the page still have all of these glyphs.
 */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { PdfJs } from './open-pdf.ts';
import { cleanText, type RawRun } from './text-runs.ts';

const limits = {
  contextLength: 10, // glyphs before and after a missing one that locate it
  missing: 2000, // of a page
  reach: 20_000, // glyphs after the previous missing one that are searched
  widthOfSpace: 180, // thousandths of the font size: wider gaps are spaces
};

type OperatorList = Awaited<ReturnType<PDFPageProxy['getOperatorList']>>;

/** Code points of the OT1 encoding that are read as spaces, and the soft hyphen. */
const textOfMissing: ReadonlyMap<string, string> = new Map([
  ['\u000b', 'ff'],
  ['\u000c', 'fi'],
  ['\u000d', 'fl'],
  ['\u00ad', '-'],
]);

/** A missing glyph among the glyphs of a page, not counting spaces. */
interface MissingGlyph {
  readonly text: string;
  /** Number of glyphs before it. */
  readonly at: number;
  isApartBefore: boolean;
  isApartAfter: boolean;
  /** Its width as a multiple of the font size. */
  readonly width: number;
}

/** A glyph to insert into the text of a run, or between two runs. */
interface GlyphInsertion {
  readonly missing: MissingGlyph;
  /** The index of the run's character before it; -1: before all of them. */
  readonly after: number;
}

/** The runs of a page with their missing glyphs. */
export function restoreMissingGlyphs(
  runs: readonly RawRun[],
  drawing: OperatorList,
  pdfjs: PdfJs,
): readonly RawRun[] {
  if (!lacksAny(drawing, pdfjs)) return runs;
  const { visible, missing } = readGlyphs(drawing, pdfjs);
  if (missing.length === 0) return runs;
  const positions = textPositions(runs);
  const edits = new Map<number, GlyphInsertion[]>();
  let [from, last] = [0, { at: -1, position: 0 }];
  for (const one of missing) {
    const before = cleanText(
      visible.slice(Math.max(0, one.at - limits.contextLength), one.at).join(''),
    );
    const after = cleanText(visible.slice(one.at, one.at + limits.contextLength).join(''));
    // It is after the previous one, unless both are between the same glyphs.
    if (one.at > last.at) from = Math.max(0, last.position + 1 - before.length);
    const found = positions.text.slice(from, from + limits.reach).indexOf(before + after);
    if (found < 0) continue;
    const at = from + found + before.length;
    last = { at: one.at, position: at };
    const belongsToNext = !one.isApartAfter && (one.isApartBefore || one.text !== '-');
    const joinsNext = (belongsToNext && positions.run[at] !== undefined) || at === 0;
    const run = positions.run[joinsNext ? at : at - 1];
    if (run === undefined) continue;
    const isWithin = positions.run[at - 1] === positions.run[at];
    const character = isWithin || !joinsNext ? (positions.character[at - 1] ?? -1) : -1;
    getOrInsert(edits, run, () => []).push({ missing: one, after: character });
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
    // A glyph that pdf.js treats as invisible has no width in its run.
    if (isLast || missing.text === '-') right += width;
    if (run.text.charAt(from) === ' ') from += 1;
    if (missing.isApartAfter && !isLast) text += ' ';
  }
  return { ...run, text: text + run.text.slice(from), left, right, afterSpace };
}

/** Most pages lack no glyphs: this is checked first. */
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

/** The glyphs of the page without spaces, and the missing ones. */
function readGlyphs(
  { fnArray, argsArray }: OperatorList,
  { OPS }: PdfJs,
): { visible: string[]; missing: MissingGlyph[] } {
  const visible: string[] = [];
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
        if (glyph < -limits.widthOfSpace) gap();
        continue;
      }
      const { unicode, width } = glyph as { unicode?: unknown; width?: unknown };
      if (typeof unicode !== 'string') continue;
      const text = textOfMissing.get(unicode);
      if (text !== undefined) {
        open = {
          text,
          at: visible.length,
          isApartBefore: isApart,
          isApartAfter: false,
          width: typeof width === 'number' ? width / 1000 : 0,
        };
        if (missing.length < limits.missing) missing.push(open);
      } else if (unicode.trim() === '') {
        gap();
        continue;
      } else {
        visible.push(/[\ufb00-\ufb06]/.test(unicode) ? unicode.normalize('NFKC') : unicode);
        open = undefined;
      }
      isApart = false;
    }
  }
  return { visible, missing: missing.filter((one) => isInWord(visible, one)) };
}

/** Glyphs of other fonts at these code points are alone; a hyphen without width is invisible. */
function isInWord(
  visible: readonly string[],
  { text, at, isApartBefore, isApartAfter, width }: MissingGlyph,
): boolean {
  if (text === '-') return width > 0;
  const isLetter = (glyph: string | undefined): boolean => /\p{L}$/u.test(glyph ?? '');
  return (!isApartBefore && isLetter(visible[at - 1])) || (!isApartAfter && isLetter(visible[at]));
}

interface TextPositions {
  /** All glyphs except spaces. */
  readonly text: string;
  /** For each glyph: the run and the position in its text. */
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
