/** Restores words whose letters are drawn twice for bold, or spaced out. */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import { median, type TextRun, type WordExtent } from './geometry.ts';

const limits = {
  shift: 0.12, // of the copy, in multiples of the font size
  maxPieces: 200, // of a line that are each drawn twice
  cellSize: 4, // points; runs are indexed by their position
  pieceWords: 3, // of a stretch of letters: a few pairs may be close by chance
  leastSingle: 0.65,
  leastPieces: 4, // of a stretch, and different letters in it
  leastGap: 0.05, // between letters, in multiples of the font size
  mostGap: 0.9,
  tolerance: 0.45, // how far gaps between the letters of a word may differ from the usual one
};

/** The runs of a page, each word once and in one piece. */
export function withPlainWords(runs: readonly TextRun[]): TextRun[] {
  return joinLetters(withoutCopies(runs));
}

// Text drawn twice with a small shift is bold; at one position, it is a layer of a program.

function withoutCopies(runs: readonly TextRun[]): readonly TextRun[] {
  const cells = new Map<string, number[]>();
  const unique: (TextRun | undefined)[] = [];
  let isAny = false;
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index];
    if (run === undefined) break;
    const chain = doubledPieces(runs, index);
    if (chain.length > 0) {
      isAny = true;
      unique.push(...chain);
      index += chain.length;
      continue;
    }
    const [column, row] = [
      Math.floor(run.left / limits.cellSize),
      Math.floor(run.baseline / limits.cellSize),
    ];
    const around = nearby(column).flatMap((x) =>
      nearby(row).flatMap((y) => cells.get(`${x} ${y} ${run.text}`) ?? []),
    );
    const first = around.find((at) => isCopy(unique[at], run));
    const original = first === undefined ? undefined : unique[first];
    if (first !== undefined && original !== undefined) {
      isAny = true;
      const isShifted = Math.abs(original.left - run.left) > run.size * 0.005;
      if (isShifted) unique[first] = { ...original, font: { ...original.font, isBold: true } };
      continue;
    }
    const list = getOrInsert(cells, `${column} ${row} ${run.text}`, () => []);
    if (list.length < 4) list.push(unique.length);
    unique.push(run);
  }
  return isAny ? unique.filter((run) => run !== undefined) : runs;
}

/**
 * The pieces of a line whose pieces are each drawn twice. pdf.js joins the copy of a piece with the next
 * piece: `Name:`, `Name: value`, `value`.
 */
function doubledPieces(runs: readonly TextRun[], start: number): TextRun[] {
  const pieces: TextRun[] = [];
  let rest = runs[start]?.text.trim() ?? '';
  for (let at = start + 1; rest !== ''; at += 1) {
    if (pieces.length >= limits.maxPieces) return [];
    const [before, run] = [runs[at - 1], runs[at]];
    if (before === undefined || run === undefined || !run.text.trimStart().startsWith(rest))
      return [];
    const isOver = at === start + 1 ? isCopy(before, run) : run.left < before.right;
    if (!isOver || Math.abs(run.baseline - before.baseline) > run.size * limits.shift) return [];
    const font = { ...run.font, isBold: true };
    const isApart = run.left - (pieces.at(-1)?.right ?? -Infinity) > run.size * 0.18;
    pieces.push({
      ...run,
      text: rest,
      right: before.right,
      font,
      afterSpace: isApart,
      words: undefined,
    });
    rest = run.text.trimStart().slice(rest.length).trim();
  }
  return pieces.length > 1 ? pieces : [];
}

function nearby(cell: number): number[] {
  return [cell - 1, cell, cell + 1];
}

function isCopy(a: TextRun | undefined, b: TextRun): boolean {
  const reach = b.size * limits.shift;
  return (
    a !== undefined &&
    a.isArtifact === b.isArtifact &&
    Math.abs(a.left - b.left) <= reach &&
    Math.abs(a.baseline - b.baseline) <= reach &&
    Math.abs(a.size - b.size) <= b.size * 0.05
  );
}

// Spaced-out letters (`A N N U A L`): pdf.js reads the gap after each as a space.

/** A word of a run, with its position. */
interface Piece {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** The index of its run. */
  readonly run: number;
}

function joinLetters(runs: readonly TextRun[]): TextRun[] {
  const joined: TextRun[] = [];
  for (let start = 0; start < runs.length;) {
    const pieces: Piece[] = [];
    let end = start;
    while (end < runs.length && (end === start || goesOn(runs[end - 1], runs[end]))) {
      pieces.push(...piecesOf(runs[end], end));
      end += 1;
    }
    joined.push(...joinLine(runs, start, end, pieces));
    start = end;
  }
  return joined;
}

/** True for a run right after another one on its line, in its style. */
function goesOn(a: TextRun | undefined, b: TextRun | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const gap = b.left - a.right;
  return (
    Math.abs(a.baseline - b.baseline) < b.size * 0.05 &&
    Math.abs(a.size - b.size) < b.size * 0.02 &&
    gap > -b.size * 0.2 &&
    gap < b.size * 3 &&
    a.font.isBold === b.font.isBold &&
    a.font.isItalic === b.font.isItalic &&
    a.href === b.href &&
    a.content === b.content
  );
}

function piecesOf(run: TextRun | undefined, index: number): Piece[] {
  if (run === undefined || run.font.isMono) return [];
  const texts = run.text.trim().split(/\s+/);
  if (texts.length === 1)
    return [{ text: texts[0] ?? '', left: run.left, right: run.right, run: index }];
  if (run.words?.length !== texts.length) return [];
  return run.words.map(({ left, right }, at) => ({
    text: texts[at] ?? '',
    left,
    right,
    run: index,
  }));
}

/** The runs of a line from `start` to `end`, with the stretches among its pieces joined. */
function joinLine(
  runs: readonly TextRun[],
  start: number,
  end: number,
  pieces: readonly Piece[],
): readonly TextRun[] {
  const line = runs.slice(start, end);
  if (pieces.length < limits.leastPieces) return line;
  const stretches = stretchesOf(pieces, line[0]?.size ?? 10);
  if (stretches.length === 0) return line;
  const out: TextRun[] = [];
  const wordOf = new Map(stretches.flat().map((word) => [word[0], word]));
  let [at, piece] = [start, 0];
  for (const { first, last } of runsAround(stretches)) {
    out.push(...runs.slice(at, first));
    at = last + 1;
    const run = runs[first];
    while ((pieces[piece]?.run ?? first) < first) piece += 1;
    const from = piece;
    while ((pieces[piece]?.run ?? Infinity) <= last) piece += 1;
    const inside = pieces.slice(from, piece);
    if (run !== undefined) out.push(joinedRun(run, inside, wordOf));
  }
  return [...out, ...runs.slice(at, end)];
}

/** Pieces that become words: each is a list of the pieces of its words. */
type Stretch = readonly (readonly Piece[])[];

/** The ranges of runs that stretches reach over. */
function runsAround(stretches: readonly Stretch[]): { first: number; last: number }[] {
  const ranges: { first: number; last: number }[] = [];
  for (const stretch of stretches) {
    const [first, last] = [stretch[0]?.[0]?.run ?? 0, stretch.at(-1)?.at(-1)?.run ?? 0];
    const before = ranges.at(-1);
    if (before !== undefined && first <= before.last) before.last = Math.max(before.last, last);
    else ranges.push({ first, last });
  }
  return ranges;
}

/** A run of pieces; a piece that begins a word is joined with the word's other pieces. */
function joinedRun(
  run: TextRun,
  pieces: readonly Piece[],
  wordOf: ReadonlyMap<Piece | undefined, readonly Piece[]>,
): TextRun {
  const texts: string[] = [];
  const words: WordExtent[] = [];
  for (let at = 0; at < pieces.length;) {
    const piece = pieces[at];
    if (piece === undefined) break;
    const word = wordOf.get(piece) ?? [piece];
    texts.push(word.map(({ text }) => text).join(''));
    words.push({ left: piece.left, right: word.at(-1)?.right ?? piece.right, isApart: false });
    at += word.length;
  }
  const [left, right] = [words[0]?.left ?? run.left, words.at(-1)?.right ?? run.right];
  return { ...run, text: texts.join(' '), left, right, words };
}

/** The stretches of letters among the pieces of a line. */
function stretchesOf(pieces: readonly Piece[], size: number): Stretch[] {
  const stretches: Stretch[] = [];
  for (let at = 0; at < pieces.length;) {
    let end = at;
    while (
      end < pieces.length &&
      isShort(pieces[end]) &&
      (end === at || isNear(pieces[end - 1], pieces[end], size))
    ) {
      end += 1;
    }
    const stretch = stretchOf(betweenLetters(pieces.slice(at, end)), size);
    if (stretch !== undefined) stretches.push(stretch);
    at = Math.max(end, at + 1);
  }
  return stretches;
}

/** Short words before and after the letters are words of the text. */
function betweenLetters(pieces: readonly Piece[]): readonly Piece[] {
  const isLetter = ({ text }: Piece): boolean => text.length === 1;
  return pieces.slice(Math.max(0, pieces.findIndex(isLetter)), pieces.findLastIndex(isLetter) + 1);
}

function isShort(piece: Piece | undefined): boolean {
  return piece !== undefined && piece.text.length <= limits.pieceWords;
}

function isNear(a: Piece | undefined, b: Piece | undefined, size: number): boolean {
  return a !== undefined && b !== undefined && b.left - a.right < size * limits.mostGap * 2.5;
}

function stretchOf(pieces: readonly Piece[], size: number): Stretch | undefined {
  const single = pieces.filter(({ text }) => [...text].length === 1);
  const letters = single.filter(({ text }) => /\p{L}/u.test(text)).map(({ text }) => text);
  if (single.length < limits.leastPieces || single.length < pieces.length * limits.leastSingle)
    return undefined;
  if (new Set(letters).size < limits.leastPieces || isAlphabet(letters)) return undefined;
  if (letters.length < single.length * 0.7) return undefined;
  const gaps = pieces.slice(1).map(({ left }, at) => left - (pieces[at]?.right ?? left));
  const steps = pieces.slice(1).map(({ left }, at) => left - (pieces[at]?.left ?? left));
  const usual = median(gaps);
  if (usual < size * limits.leastGap || usual > size * limits.mostGap) return undefined;
  const words = splitAt(pieces, gaps, usual) ?? splitAt(pieces, steps, median(steps));
  return words?.some((word) => word.length > 2) === true ? words : undefined;
}

/** Splits at distances wider than the usual one; undefined if others differ from it. */
function splitAt(
  pieces: readonly Piece[],
  distances: readonly number[],
  usual: number,
): Stretch | undefined {
  const words: Piece[][] = [];
  for (const [at, piece] of pieces.entries()) {
    const distance = at === 0 ? Infinity : (distances[at - 1] ?? usual);
    if (distance > usual * (1 + limits.tolerance)) words.push([piece]);
    else if (distance < usual * (1 - limits.tolerance)) return undefined;
    else words.at(-1)?.push(piece);
  }
  return words;
}

/** True for letters in the order of the alphabet, such as those of an index. */
function isAlphabet(letters: readonly string[]): boolean {
  return letters.every((letter, at) => at === 0 || letter > (letters[at - 1] ?? ''));
}
