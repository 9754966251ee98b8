/** Logos of TeX: letters that are moved, or mirrored, and belong to a word. */
import { expect, test } from 'vitest';
import type { TextRun } from '../../../src/documents/pdf/geometry.ts';
import { isApart } from '../../../src/documents/pdf/line-text.ts';
import { type RawRun, withWholeWords } from '../../../src/documents/pdf/text-runs.ts';

/** The text, where it begins and ends, and its baseline. */
type Place = readonly [text: string, left: number, right: number, baseline: number];

function runs(places: readonly Place[], mirrored: number): RawRun[] {
  return places.map(([text, left, right, baseline], order) => ({
    text,
    left,
    right,
    baseline,
    size: 9.96,
    font: { isBold: false, isItalic: false, isMono: false },
    fontName: 'f1',
    angle: order === mirrored ? Math.PI : 0,
    order,
    afterSpace: order === 0,
    isArtifact: false,
  }));
}

function wordsOf(line: readonly TextRun[]): string {
  return line
    .map((run, at) => (at > 0 && isApart(line[at - 1]!, run) ? ' ' : '') + run.text)
    .join('');
}

test('a mirrored letter stands in its word, with the rest of the line that pdf.js joins to it', () => {
  const places: Place[] = [
    ['LuaTEX or X', 308.73, 366.2, 558.75],
    ['E TEX, then it just issues a warning if', -371.98, -202.99, -560.9],
    ['utf8', 531.52, 552.44, 558.75],
  ];
  const line = withWholeWords(runs(places, 1));
  expect(wordsOf(line)).toBe('LuaTEX or XETEX, then it just issues a warning if utf8');
  expect(line.map(({ baseline, angle }) => [baseline, angle])).toEqual(Array(3).fill([558.75, 0]));
});

test('the mirrored letter and the raised one of a logo', () => {
  const places: Place[] = [
    ['encodings in X', 323.68, 424.05, 670.5],
    ['E L', -429.84, -411.34, -672.65],
    ['A', 431.18, 437.06, 668.45],
    ['TEX and', 435.57, 499.77, 670.5],
  ];
  expect(wordsOf(withWholeWords(runs(places, 1)))).toBe('encodings in XELATEX and');
});

test('an upside-down letter alone, with a space after it in the file', () => {
  const places: Place[] = [
    ['in X', 123.11, 143.74, 90.48],
    ['E ', -149.54, -137.12, -84.83],
    ['L', 148.02, 154.34, 90.48],
    ['A', 150.13, 155.77, 87.71],
    ['TEX', 154.02, 173.3, 90.48],
  ];
  const given = runs(places, 1).map((run) => ({ ...run, afterSpace: run.text === 'L' }));
  expect(wordsOf(withWholeWords(given))).toBe('in XELATEX');
});

test('the word after a logo that ends with such a letter keeps its space', () => {
  const places: Place[] = [
    ['AX', 123.11, 143.74, 90.48],
    ['E', -149.54, -142.76, -90.48],
    ['lamps', 153.02, 180.34, 90.48],
  ];
  const given = runs(places, 1).map((run) => ({ ...run, afterSpace: run.text === 'lamps' }));
  expect(wordsOf(withWholeWords(given))).toBe('AXE lamps');
});

test.each([
  ['far from the letter before', ['E TEX', -400, -360, -560.9]],
  ['on another line', ['E TEX', -371.98, -341.37, -572]],
  ['more than a letter', ['END OF', -371.98, -341.37, -560.9]],
] as [string, Place][])('text upside down that is %s stays as it is', (_, place) => {
  const given = runs([['or X', 308.73, 366.2, 558.75], place], 1);
  expect(withWholeWords(given)).toEqual(given);
});
