/**
 * Signs that pdf.js leaves out. Fonts of TeX have ligatures at the places of control characters, and some
 * files do not say what these mean: they are taken for spaces. Soft hyphens are taken for invisible, and
 * some programs write every hyphen as one. What the page draws still has them.
 */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import { cleanText } from './clean-text.ts';
import type { PdfJs } from './open-pdf.ts';
import type { RawRun } from './text-runs.ts';

type Drawing = Awaited<ReturnType<PDFPageProxy['getOperatorList']>>;

/** Places of the encoding OT1 that count as spaces, and the soft hyphen. */
const signsLost: ReadonlyMap<string, string> = new Map([
  ['\u000b', 'ff'],
  ['\u000c', 'fi'],
  ['\u000d', 'fl'],
  ['\u00ad', '-'],
]);

/** Signs before and after it that tell where it belongs. */
const signsAround = 10;
/** Of a page; each is looked for within so many signs after the one before. */
const maxLost = 2000;
const reach = 20_000;
/** Thousandths of the size of the font: wider gaps are spaces. */
const widthOfSpace = 180;

/** What is left out among the signs of a page, spaces not counted. */
interface Lost {
  readonly text: string;
  /** Signs before it. */
  readonly at: number;
  isApartBefore: boolean;
  isApartAfter: boolean;
  /** Its width in heights of the font. */
  readonly width: number;
}

/** What was found missing in the text of a run, or between two runs. */
interface Edit {
  readonly lost: Lost;
  /** The character of the run after which it goes; -1: before all of them. */
  readonly after: number;
}

/** The runs of a page with the signs that they lack. */
export function withLostSigns(
  runs: readonly RawRun[],
  drawing: Drawing,
  pdfjs: PdfJs,
): readonly RawRun[] {
  if (!lacksAny(drawing, pdfjs)) return runs;
  const { signs, lost } = readSigns(drawing, pdfjs);
  if (lost.length === 0) return runs;
  const places = placesOf(runs);
  const edits = new Map<number, Edit[]>();
  let [from, last] = [0, { at: -1, place: 0 }];
  for (const one of lost) {
    const before = cleanText(signs.slice(Math.max(0, one.at - signsAround), one.at).join(''));
    const after = cleanText(signs.slice(one.at, one.at + signsAround).join(''));
    // It stands further on than the one before, unless both are between the same signs.
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
    list.push({ lost: one, after: character });
  }
  return runs.map((run, at) => edited(run, edits.get(at) ?? []));
}

function edited(run: RawRun, edits: readonly Edit[]): RawRun {
  let { text, left, right, afterSpace } = { ...run, text: '' };
  let from = 0;
  for (const { lost, after } of edits) {
    const width = lost.width * run.size;
    const before = run.text.slice(from, after + 1);
    from = Math.max(from, after + 1);
    const isLast = run.text.slice(from, from + 2).trim() === '' && from + 2 >= run.text.length;
    if (text + before === '') {
      left -= width;
      afterSpace = lost.isApartBefore;
    } else if (lost.isApartBefore) text += before + ' ';
    else text += before;
    text += lost.text;
    // What pdf.js takes for invisible takes no room either.
    if (isLast || lost.text === '-') right += width;
    if (run.text.charAt(from) === ' ') from += 1;
    if (lost.isApartAfter && !isLast) text += ' ';
  }
  return { ...run, text: text + run.text.slice(from), left, right, afterSpace };
}

/** Most pages lack none: that is found out first. */
function lacksAny({ fnArray, argsArray }: Drawing, { OPS }: PdfJs): boolean {
  for (let at = 0; at < fnArray.length; at += 1) {
    if (fnArray[at] !== OPS.showText) continue;
    const glyphs: unknown = (argsArray[at] as unknown[] | undefined)?.[0];
    if (!Array.isArray(glyphs)) continue;
    for (const glyph of glyphs as unknown[]) {
      if (typeof glyph !== 'object' || glyph === null) continue;
      if (signsLost.has((glyph as { unicode?: string }).unicode ?? '')) return true;
    }
  }
  return false;
}

/** What the page shows, sign by sign without spaces, and what is left out of it. */
function readSigns(
  { fnArray, argsArray }: Drawing,
  { OPS }: PdfJs,
): { signs: string[]; lost: Lost[] } {
  const signs: string[] = [];
  const lost: Lost[] = [];
  let open: Lost | undefined;
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
      const text = signsLost.get(unicode);
      if (text !== undefined) {
        open = {
          text,
          at: signs.length,
          isApartBefore: isApart,
          isApartAfter: false,
          width: typeof width === 'number' ? width / 1000 : 0,
        };
        if (lost.length < maxLost) lost.push(open);
      } else if (unicode.trim() === '') {
        gap();
        continue;
      } else {
        signs.push(/[\ufb00-\ufb06]/.test(unicode) ? unicode.normalize('NFKC') : unicode);
        open = undefined;
      }
      isApart = false;
    }
  }
  return { signs, lost: lost.filter((one) => isInWord(signs, one)) };
}

/** Signs of other fonts at these places stand alone; a hyphen that takes no room is not seen. */
function isInWord(
  signs: readonly string[],
  { text, at, isApartBefore, isApartAfter, width }: Lost,
): boolean {
  if (text === '-') return width > 0;
  const isLetter = (sign: string | undefined): boolean => /\p{L}$/u.test(sign ?? '');
  return (!isApartBefore && isLetter(signs[at - 1])) || (!isApartAfter && isLetter(signs[at]));
}

interface Places {
  /** All signs but spaces. */
  readonly text: string;
  /** Of each: the run and the place in its text. */
  readonly run: readonly number[];
  readonly character: readonly number[];
}

function placesOf(runs: readonly RawRun[]): Places {
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
