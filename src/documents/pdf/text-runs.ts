/** Reads the text of a page as runs with position, font and marked content; cleans characters, joins split words. */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { FontStyle, TextRun } from './geometry.ts';
import type { PdfJs } from './open-pdf.ts';

type ContentChunk = Awaited<ReturnType<PDFPageProxy['getTextContent']>>;

type ContentItem = ContentChunk['items'][number];

type TextItem = Extract<ContentItem, { str: string }>;

/** The text of a page, before its fonts are known. */
export interface RawText {
  readonly runs: readonly RawRun[];
  /** The generic family of each font, by pdf.js. */
  readonly families: ReadonlyMap<string, string>;
}

/** A run with its font's name. */
export interface RawRun extends TextRun {
  readonly fontName: string;
  /** In radians: the angle of its baseline. */
  readonly angle: number;
}

/** Limits per page. */
export interface TextLimits {
  /** Characters. */
  readonly characters: number;
  /** Pieces of text. */
  readonly runs: number;
  /** Milliseconds. */
  readonly time: number;
}

/** Reads all text of a page; throws a `PageLimit`. */
export async function readRuns(
  page: PDFPageProxy,
  limits: TextLimits,
  { normalizeUnicode }: PdfJs,
): Promise<RawText> {
  const normalize: (text: string) => string = normalizeUnicode;
  const runs: RawRun[] = [];
  const families = new Map<string, string>();
  let characters = 0;
  /** Open marked content; undefined without an id. */
  const marks: { content: string | undefined; isArtifact: boolean }[] = [];
  let afterSpace = false;
  const viewTransform = page.getViewport({ scale: 1 }).transform;
  const end = performance.now() + limits.time;
  const stream = page.streamTextContent({
    includeMarkedContent: true,
    // pdf.js makes letters of a ligature before it reverses right-to-left text.
    disableNormalization: true,
  }) as ReadableStream<ContentChunk>;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      add(value);
      if (characters > limits.characters) {
        throw new PageLimit(`it has more than ${limits.characters} characters`);
      }
      if (runs.length > limits.runs) {
        throw new PageLimit(`it has more than ${limits.runs} pieces of text`);
      }
      if (performance.now() > end) throw new PageLimit(`it took more than ${limits.time} ms`);
    }
  } catch (error) {
    await reader.cancel(new Error('The page is left out.')).catch(() => undefined);
    throw error;
  }
  return { runs, families };

  function add({ items, styles }: ContentChunk): void {
    for (const [name, style] of Object.entries(styles)) families.set(name, style.fontFamily);
    for (const item of items) {
      if ('str' in item) text(item);
      else mark(item);
    }
  }

  function mark({ type, id, tag }: { type: string; id?: unknown; tag?: unknown }): void {
    if (type === 'endMarkedContent') {
      marks.pop();
      return;
    }
    const outer = marks.at(-1);
    const isNamed = typeof id === 'string';
    marks.push({
      content: isNamed ? id : outer?.content,
      isArtifact: tag === 'Artifact' || (!isNamed && outer?.isArtifact === true),
    });
  }

  function text({ str, width, transform, fontName, hasEOL }: TextItem): void {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = multiply(
      viewTransform,
      transform as number[],
    );
    const text = cleanText(withoutForms(normalize(str)));
    if (text.trim() !== '' && [e, f, width].every(isOnPaper)) {
      characters += text.length;
      const angle = Math.atan2(b, a);
      const scale = Math.hypot(viewTransform[0] ?? 1, viewTransform[1] ?? 0);
      const [along, across] = [Math.cos(angle), Math.sin(angle)];
      const left = e * along + f * across;
      const mark = marks.at(-1);
      runs.push({
        text,
        left,
        right: left + Math.abs(width) * scale,
        baseline: f * along - e * across,
        size: Math.hypot(c, d) || Math.hypot(a, b) || 1,
        font: plainStyle,
        fontName,
        angle,
        order: runs.length,
        afterSpace: afterSpace || /^\s/.test(text),
        content: mark?.content,
        isArtifact: mark?.isArtifact === true,
      });
      afterSpace = /\s$/.test(text);
    } else if (text !== '') afterSpace = true;
    if (hasEOL) afterSpace = true;
  }
}

/** Letters for the forms that Arabic letters have within a word, which pdf.js does not all replace. */
function withoutForms(text: string): string {
  return text.replace(/[\ufb50-\ufbb1\ufbd3-\ufbff\ufe80-\ufefc]+/g, (forms) =>
    forms.normalize('NFKC'),
  );
}

/** In points: a PDF may have coordinates too large to be distinguished from their neighbours. */
export function isOnPaper(value: number): boolean {
  return Math.abs(value) < 1e6;
}

/** Applies the first transformation after the second (ISO 32000-1, 8.3.4). */
export function multiply(first: readonly number[], second: readonly number[]): number[] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = first;
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = second;
  return [
    a * g + c * h,
    b * g + d * h,
    a * i + c * j,
    b * i + d * j,
    a * k + c * l + e,
    b * k + d * l + f,
  ];
}

// The style of a font by its name: `ABCDEF+DejaVuSans-BoldOblique`.

/** The style of text with an unknown font. */
export const plainStyle: FontStyle = { isBold: false, isItalic: false, isMono: false };

/** `family` is pdf.js's generic family: `monospace`, `serif` or `sans-serif`. */
export function fontStyle(name: string, family: string): FontStyle {
  const plain = name.replace(/^[A-Z]{6}\+/, '');
  return {
    isBold: boldName.test(plain),
    isItalic: italicName.test(plain),
    glyphs: glyphsOf(plain),
    isMono:
      monoName.test(plain) || (family === 'monospace' && !/^(?:cm|sf|ec|lm)[a-z]/i.test(plain)),
  };
}

/** TeX fonts have short names: CMBX, LMRoman-Bold; EC fonts SFBX, SFSX (sans), SFXC (small capitals). */
const boldName =
  /bold|black|heavy|demi|^(?:cm|sf|ec)(?:bx|b\d|ss(?:bx|dc)|mib|bsy)|^(?:sf|ec)(?:b[il]|rb|xc|oc|s[ox])\d|^lmbx|[-,_]bd/i;

const italicName = /italic|oblique|slanted|^(?:cm|sf|ec)(?:ti|sl|bxti|bxsl|mi\d|ssi)|[-,_]it\b/i;

const monoName =
  /mono(?!t)|courier|consol|typewriter|menlo|inconsolata|^(?:cm|sf|ec|lm)(?:tt|sltt|itt)|sourcecode/i;

/** The glyphs of a symbol font by letter; undefined for other fonts. Their files rarely have the mapping. */
function glyphsOf(name: string): ReadonlyMap<string, string> | undefined {
  if (/^(?:itc)?zapfdingbats|^dingbats/i.test(name)) return dingbats;
  return /^wingdings(?![ -]?[23])/i.test(name) ? wingdings : undefined;
}

/** Bullets and marks (ISO 32000-1, D.6). */
const dingbats = glyphPairs('3✓4✔5✕6✖7✗8✘l●m❍n■o❏p❐q❑r❒u◆v❖');

/** The same for Wingdings, by the Windows-1252 letters at their codes. */
const wingdings = glyphPairs('l●m❍n■o□p❐q❑r❒s⬧t⧫u◆v❖w⬥Ÿ•¡○¨◻§▪Ø➢û✗ü✓ý☒þ☑');

function glyphPairs(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/(.)(.)/gu)].map(([, letter = '', glyph = '']) => [letter, glyph]),
  );
}

/** The text of a symbol font in Unicode. Some files encode its letters from U+F000. */
export function withGlyphs(text: string, { glyphs }: FontStyle): string {
  if (glyphs === undefined) return text;
  return text.replace(/(?<!\S)\S(?!\S)/g, (letter) => {
    const code = letter.charCodeAt(0);
    return glyphs.get(code > 0xf000 ? String.fromCharCode(code - 0xf000) : letter) ?? letter;
  });
}

// Characters for which TeX fonts have separate glyphs: ligatures, accents, bullets.

/** The text in modern Unicode. */
export function cleanText(text: string): string {
  if (!unclean.test(text)) return text;
  // A single glyph of such a font is a bullet.
  if (/^[\u0080-\u009f]$/.test(text)) return '•';
  return (
    text
      // Some programs write every hyphen as a soft hyphen: it is visible, so it is a hyphen.
      .replaceAll('\u00ad', '-')
      // Code points of ligatures and accents in the OT1 encoding; alone they are glyphs of other fonts.
      .replace(ligatureInWord, (glyph) => ligatures[glyph.charCodeAt(0) - 0x0b] ?? '')
      .replace(accentInWord, (_, accent: string, letter: string) => accented(accent, letter))
      // Output of fonts without a character map.
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\ufeff\ufffe\uffff]/g, '')
  );
}

/** Combines a letter with the accent before it; the accent replaces a dot. */
function accented(accent: string, letter: string): string {
  const plain = letter === 'ı' ? 'i' : letter === 'ȷ' ? 'j' : letter;
  return `${plain}${accents.get(accent) ?? ''}`.normalize('NFC');
}

/** Most text contains none of these. */
const unclean = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\ufeff\ufffe\uffff¨´ˆ˜ˇ˘˚]/;

const ligatureInWord = /(?<=\p{L})[\u000b-\u000f]|[\u000b-\u000f](?=\p{L})/gu;

const accentInWord = /([¨\u007f]|(?<=\p{L})[´ˆ˜ˇ˘˚\u0012-\u0015\u0017])([A-Za-zıȷ])/gu;

const ligatures = ['ff', 'fi', 'fl', 'ffi', 'ffl'];

/** The combining character for an accent before its letter. */
const accents: ReadonlyMap<string, string> = new Map([
  ['¨', '\u0308'],
  ['´', '\u0301'],
  ['`', '\u0300'],
  ['ˆ', '\u0302'],
  ['˜', '\u0303'],
  ['¯', '\u0304'],
  ['˘', '\u0306'],
  ['˙', '\u0307'],
  ['˝', '\u030b'],
  ['ˇ', '\u030c'],
  ['˚', '\u030a'],
  ['\u0012', '\u0300'],
  ['\u0013', '\u0301'],
  ['\u0014', '\u030c'],
  ['\u0015', '\u0306'],
  ['\u0017', '\u030a'],
  ['\u007f', '\u0308'],
]);

// Words in pieces: accents drawn over their letters, letters that are shifted or rotated.

/** The runs of a page in file order, with accents on their letters and logos on their line. */
export function withWholeWords(runs: readonly RawRun[]): RawRun[] {
  const whole = [...runs];
  for (let at = 1; at < whole.length; at += 1) {
    const [before, run, next] = [whole[at - 1], whole[at], whole[at + 1]];
    if (before === undefined || run === undefined) continue;
    const upright = uprightLetter(before, run);
    if (upright !== undefined) {
      whole[at] = upright;
      const isWithin = next !== undefined && upright.text.length === 1 && isTight(upright, next);
      if (isWithin) whole[at + 1] = { ...next, afterSpace: false };
      continue;
    }
    if (before.angle !== run.angle) continue;
    if (next !== undefined && isSetInto(before, run, next)) {
      whole[at] = { ...run, baseline: before.baseline, size: before.size, afterSpace: false };
      whole[at + 1] = { ...next, afterSpace: false };
      continue;
    }
    const accent = before.text.slice(-1);
    const letter = run.text.slice(0, 1);
    if (!accents.has(accent) || !/[A-Za-zıȷ]/.test(letter) || !isAccentOver(before, run)) continue;
    const joined = accented(accent, letter) + run.text.slice(1);
    whole[at] = { ...run, text: joined, afterSpace: before.text === accent && before.afterSpace };
    whole[at - 1] = { ...before, text: before.text.slice(0, -1), right: run.left };
  }
  return whole.filter(({ text }) => text !== '');
}

/** True when the last glyph of a run is above the first glyph of the next. */
function isAccentOver(accent: RawRun, run: RawRun): boolean {
  return (
    Math.abs(accent.baseline - run.baseline) < run.size * 0.4 &&
    accent.right - run.left > run.size * 0.1 &&
    accent.right - run.left < run.size &&
    (accent.text.length > 1 || accent.left > run.left - run.size * 0.2)
  );
}

/** True for the E of TeX: a letter or two below or above the line, between letters moved close to it. */
function isSetInto(before: RawRun, run: RawRun, next: RawRun): boolean {
  const { size } = before;
  const shift = Math.abs(run.baseline - before.baseline);
  return (
    /^\p{Lu}{1,2}$/u.test(run.text) &&
    /\p{Lu}$/u.test(before.text) &&
    /^\p{Lu}/u.test(next.text) &&
    shift > 0.1 &&
    shift < size * 0.45 &&
    run.size > size * 0.6 &&
    Math.abs(next.baseline - before.baseline) < size * 0.05 &&
    isTight(before, run) &&
    isTight(run, next)
  );
}

const widthOfCapital = 0.68; // multiples of the font size: pdf.js gives no widths of single letters

/**
 * The E of XeTeX, which is mirrored or upside down: it begins at its right edge, and pdf.js joins the rest of
 * the line to it. The distance from its left edge to the rest is read as a space.
 */
function uprightLetter(before: RawRun, run: RawRun): RawRun | undefined {
  const isTurned = Math.cos(run.angle - before.angle) < -0.999;
  if (!isTurned || !/\p{Lu}$/u.test(before.text) || !/^\p{Lu}(?:\s|$)/u.test(run.text)) {
    return undefined;
  }
  const [edge, length] = [-run.left, run.right - run.left];
  const gap = edge - before.right;
  const shift = Math.abs(-run.baseline - before.baseline);
  if (gap < 0 || gap > before.size || shift > before.size * 0.7) return undefined;
  const width = Math.min(length, run.size * widthOfCapital);
  return {
    ...run,
    text: run.text.replace(/\s/, ''),
    angle: before.angle,
    left: edge - width,
    right: Math.max(edge, edge + length - 2 * width),
    baseline: before.baseline,
    afterSpace: false,
  };
}

function isTight(a: RawRun, b: RawRun): boolean {
  const gap = b.left - a.right;
  return gap < 0.02 * a.size && gap > -0.6 * a.size;
}

// A page that exceeds a limit is left out, and the others are read.

/** The message gives the reason, as a continuation of "page 3 was left out:". */
export class PageLimit extends Error {}
