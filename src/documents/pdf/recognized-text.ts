/** Turns lines of an OCR engine into text runs of a page, or into HTML for a picture outside a PDF. */
import type { OcrLine, OcrWord } from '../../core/model/ocr-engine.ts';
import { noRulings } from './drawing.ts';
import { FileHtml } from './file-html.ts';
import { median, type TextRun } from './geometry.ts';
import { plainStyle } from './text-runs.ts';

/** Layout of lines without a position, in points. */
const plain = { size: 12, leading: 16, margin: 72 };

/** Measures of letters, in multiples of the font size. */
const letters = {
  low: 0.48, // height without ascender
  ascent: 0.7,
  descent: 0.21,
  sameSize: 0.14, // sizes that differ less from the page's are equal, since no picture is that exact
  wideGap: 1.1, // a wider gap may separate columns or cells
};

/** `scale`: pixels per point. Text without a position is laid out line by line from the top. */
export function runsOfLines(lines: readonly OcrLine[], scale: number): TextRun[] {
  const positioned = lines.flatMap((line) =>
    line.text === '' ? [] : [[...positionedWords(line)]],
  );
  if (!positioned.every((words) => words.length > 0)) return plainRuns(lines);
  restoreBullets(positioned);
  const sizes = positioned.map(sizeOf);
  const usual = median(
    positioned.flatMap((words, at) => words.map(() => sizes[at] ?? 0)).filter((size) => size > 0),
  );
  const runs: TextRun[] = [];
  for (const [at, words] of positioned.entries()) {
    const own = sizes[at] ?? 0;
    const isUsual = own === 0 || Math.abs(own / usual - 1) < letters.sameSize;
    const size = (isUsual ? usual : own) || plain.size * scale;
    const baseline = median(words.map((word) => bottomOf(word, size)));
    for (const part of partsOf(words, size * letters.wideGap)) {
      const [first, last] = [part[0], part.at(-1)];
      if (first === undefined || last === undefined) continue;
      runs.push({
        text: part.map(({ text }) => text).join(' '),
        size: size / scale,
        left: first.box.left / scale,
        right: last.box.right / scale,
        baseline: baseline / scale,
        order: runs.length,
        afterSpace: true,
        font: plainStyle,
        isArtifact: false,
      });
    }
  }
  return runs;
}

/** A line without words counts as one word. */
function positionedWords({ text, box, words = [] }: OcrLine): readonly OcrWord[] {
  if (words.length > 0) return words;
  return box === undefined ? [] : [{ text, box }];
}

/**
 * Engines read bullets as the most similar glyph. A single glyph before the words of a line is a
 * bullet, if an adjacent line begins with one at the same position.
 */
function restoreBullets(lines: readonly OcrWord[][]): void {
  const isBullet = lines.map((words, at) =>
    [lines[at - 1], lines[at + 1]].some((other) => other !== undefined && areBullets(words, other)),
  );
  for (const [at, words] of lines.entries()) {
    if (isBullet[at] === true && words[0] !== undefined) words[0] = { ...words[0], text: '•' };
  }
}

function areBullets(words: readonly OcrWord[], other: readonly OcrWord[]): boolean {
  const [first, second] = [words[0], other[0]];
  if (first === undefined || second === undefined || words.length < 2 || other.length < 2) {
    return false;
  }
  const reach = words[1]?.box ?? first.box;
  return (
    likeBullet.test(first.text) &&
    likeBullet.test(second.text) &&
    !words.some(({ text }) => text === '»') &&
    Math.abs(first.box.left - second.box.left) < (reach.bottom - reach.top) * 0.6
  );
}

const likeBullet = /^[«»+*°¢©®•·¤§¥e]$/;

/** Groups words without wide gaps: a wide gap separates columns or cells. */
function partsOf(words: readonly OcrWord[], gap: number): OcrWord[][] {
  const parts: OcrWord[][] = [];
  for (const word of words) {
    const part = parts.at(-1);
    const before = part?.at(-1);
    const isNear =
      before !== undefined &&
      word.box.left >= before.box.left &&
      word.box.left - before.box.right < gap;
    if (isNear) part?.push(word);
    else parts.push([word]);
  }
  return parts;
}

/** In pixels: the font size, by the heights of the words' letters; 0 without letters. */
function sizeOf(words: readonly OcrWord[]): number {
  const sizes = words.flatMap(({ text, box }) => {
    if (!/[\p{L}\p{N}]/u.test(text)) return [];
    const height =
      (rises.test(text) ? letters.ascent : letters.low) + (hangs.test(text) ? letters.descent : 0);
    return [(box.bottom - box.top) / height];
  });
  return median(sizes);
}

/** In pixels: the baseline of the word. */
function bottomOf({ text, box }: OcrWord, size: number): number {
  return box.bottom - (hangs.test(text) ? size * letters.descent : 0);
}

/** Letters as high as capitals; all letters of a script without case. */
const rises = /[\p{Lu}\p{N}\p{Lo}bdfhijklt!?()[\]/ß]/u;

/** Letters and glyphs with a descender. */
const hangs = /[gjpqyçQ,;()[\]/\p{Lo}]/u;

/** An empty line separates paragraphs. */
function plainRuns(lines: readonly OcrLine[]): TextRun[] {
  const runs: TextRun[] = [];
  let baseline = plain.margin;
  for (const { text } of lines) {
    baseline += plain.leading;
    if (text === '') continue;
    runs.push({
      text,
      baseline,
      size: plain.size,
      order: runs.length,
      afterSpace: true,
      left: plain.margin,
      right: plain.margin + text.length * plain.size * 0.5,
      font: plainStyle,
      isArtifact: false,
    });
  }
  return runs;
}

// HTML for a picture outside a PDF.

/** The HTML of one page of lines; empty without text. `scale`: pixels per point. */
export function htmlOfLines(
  lines: readonly OcrLine[],
  {
    width,
    height,
    scale,
  }: { readonly width: number; readonly height: number; readonly scale: number },
): string {
  const runs = runsOfLines(lines, scale);
  if (runs.length === 0) return '';
  const size = { width: width / scale, height: height / scale };
  const page = { number: 1, ...size, runs, rulings: noRulings, shapes: [], tree: undefined };
  const text = new FileHtml({ isTagged: false, pageMarkers: false });
  text.add(page);
  return text.end().html;
}
