/** Finds the position of each word on a page: pdf.js joins close words into one run, and reports only its ends. */
import { firstIndex } from '../../core/runtime/first-index.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import type { PDFPageProxy } from 'unpdf/pdfjs';
import { median, type Shape, type TextRun, type WordExtent } from './geometry.ts';
import { multiply } from './text-runs.ts';

const limits = {
  words: 50_000, // of a page: a dense page has 2,000
  unnamedGlyphs: 4000,
  depth: 200,
  leastSpace: 0.102, // multiples of the font size: pdf.js reads such a gap as a space
  kern: 0.3, // multiples of the font size: how far a word may begin left of the previous word's end
  leastLetters: 8,
  wideSpace: 1.15, // multiples of a space: a wider gap is more
};

/** A word of upright text, with the space before it. */
export interface PositionedWord {
  readonly left: number;
  right: number;
  readonly baseline: number;
  readonly size: number;
  readonly font: unknown;
  /** Width in points of the space that the file writes before it; undefined without one. */
  readonly space: number | undefined;
  /** Distance in points to the previous word; undefined for the first word of a line. */
  readonly gap: number | undefined;
}

interface TextState {
  /** Font width unit as a multiple of the font size; 0 for a vertical font. */
  readonly unit: number;
  readonly font: unknown;
  readonly size: number;
  readonly charSpacing: number;
  readonly wordSpacing: number;
  readonly scale: number;
  readonly leading: number;
  readonly rise: number;
}

/** Interprets the text operators (ISO 32000-1, 9.3 and 9.4). */
export class WordPen {
  readonly words: PositionedWord[] = [];
  /** Unnamed glyphs, which are not text. */
  readonly unnamedGlyphs: Shape[] = [];
  readonly #page: PDFPageProxy;
  readonly #saved: TextState[] = [];
  readonly #units = new Map<unknown, number>();
  /** The letters of each font by their width, as long as there is only one. */
  readonly #widths = new Map<
    unknown,
    { readonly width: number; letters: Set<string> | undefined }
  >();
  #state: TextState = {
    unit: 0.001,
    font: undefined,
    size: 0,
    charSpacing: 0,
    wordSpacing: 0,
    scale: 1,
    leading: 0,
    rise: 0,
  };
  #matrix: readonly number[] = identity;
  #line: readonly number[] = identity;
  #isOpen = false;
  #space: number | undefined;

  constructor(page: PDFPageProxy) {
    this.#page = page;
  }

  /** The fonts whose letters have equal widths; digits have in most fonts. */
  get monoFonts(): ReadonlySet<unknown> {
    const found = [...this.#widths].filter(
      ([, { letters }]) => (letters?.size ?? 0) >= limits.leastLetters,
    );
    return new Set(found.map(([font]) => font));
  }

  #measure(letter: string, width: number): void {
    const { font } = this.#state;
    const known = this.#widths.get(font);
    if (known === undefined) this.#widths.set(font, { width, letters: new Set([letter]) });
    else if (Math.abs(known.width - width) > 1) known.letters = undefined;
    else known.letters?.add(letter);
  }

  save(): void {
    if (this.#saved.length < limits.depth) this.#saved.push(this.#state);
  }

  restore(): void {
    this.#state = this.#saved.pop() ?? this.#state;
  }

  begin(): void {
    this.#matrix = this.#line = identity;
  }

  set(
    name: 'charSpacing' | 'wordSpacing' | 'scale' | 'leading' | 'rise',
    value: unknown,
    factor = 1,
  ): void {
    if (typeof value === 'number') this.#state = { ...this.#state, [name]: value * factor };
  }

  setFont(font: unknown, size: unknown): void {
    if (typeof size !== 'number') return;
    if (font !== this.#state.font || size !== this.#state.size) this.closeWord();
    this.#state = { ...this.#state, font, size, unit: this.#unitOf(font) };
  }

  setMatrix(matrix: unknown): void {
    if (!(matrix instanceof Float32Array) || matrix.length !== 6) return;
    this.#matrix = this.#line = [...matrix];
  }

  move(x: unknown, y: unknown): void {
    if (typeof x !== 'number' || typeof y !== 'number') return;
    this.#matrix = this.#line = multiply(this.#line, [1, 0, 0, 1, x, y]);
  }

  nextLine(): void {
    this.move(0, this.#state.leading);
  }

  /** pdf.js starts a new run if the font or the marked content changes; so does a word. */
  closeWord(): void {
    this.#isOpen = false;
  }

  /** `glyphs`: in pdf.js's form, with numbers for moves between them. */
  show(glyphs: unknown, matrix: readonly number[]): void {
    if (!Array.isArray(glyphs)) return;
    const { unit, size, charSpacing, wordSpacing, scale, rise } = this.#state;
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = multiply(matrix, this.#matrix);
    const isUpright = unit > 0 && size > 0 && a > 0 && Math.abs(b) + Math.abs(c) < a * 0.01;
    const position = { size: size * Math.abs(d), baseline: d * rise + f };
    let x = 0;
    for (const glyph of glyphs as unknown[]) {
      if (typeof glyph === 'number') {
        x -= (glyph * size) / 1000;
        continue;
      }
      if (typeof glyph !== 'object' || glyph === null) continue;
      const { unicode, width, isSpace } = glyph as Glyph;
      if (unicode !== undefined && letter.test(unicode)) this.#measure(unicode, width ?? 0);
      const end = x + (width ?? 0) * unit * size;
      const [left, right] = [e + a * x * scale, e + a * end * scale];
      if (isSpace === true || isBlank(unicode)) this.#addSpace(right - left);
      else if (isUpright && unicode !== undefined && unnamed.test(unicode)) {
        const [middle, half] = [position.baseline - position.size * 0.3, (right - left) / 2];
        if (this.unnamedGlyphs.length < limits.unnamedGlyphs) {
          this.unnamedGlyphs.push({
            left,
            right,
            top: middle - half,
            bottom: middle + half,
            isGlyph: true,
          });
        }
      } else if (isUpright) this.#add(left, right, position);
      x = end + charSpacing + (isSpace === true ? wordSpacing : 0);
    }
    this.#matrix = multiply(this.#matrix, [1, 0, 0, 1, x * scale, 0]);
  }

  #add(left: number, right: number, position: Pick<PositionedWord, 'baseline' | 'size'>): void {
    const last = this.words.at(-1);
    const { baseline, size } = position;
    const isSameLine =
      last !== undefined &&
      Math.abs(baseline - last.baseline) < size * 0.3 &&
      left > last.right - size * limits.kern;
    const gap = isSameLine ? left - last.right : undefined;
    if (last !== undefined && gap !== undefined && this.#isOpen && this.#space === undefined) {
      if (gap < size * limits.leastSpace) {
        last.right = Math.max(last.right, right);
        return;
      }
    }
    if (this.words.length < limits.words) {
      const { font } = this.#state;
      this.words.push({ left, right, baseline, size, font, space: this.#space, gap });
    }
    this.#isOpen = true;
    this.#space = undefined;
  }

  #addSpace(width: number): void {
    this.#space = Math.max(this.#space ?? 0, width);
  }

  #unitOf(name: unknown): number {
    const known = this.#units.get(name);
    if (known !== undefined) return known;
    const { commonObjs } = this.#page;
    const font: unknown =
      typeof name === 'string' && commonObjs.has(name) ? commonObjs.get(name) : undefined;
    const { fontMatrix, vertical } = (font ?? {}) as { fontMatrix?: unknown; vertical?: unknown };
    const width: unknown = Array.isArray(fontMatrix) ? (fontMatrix as unknown[])[0] : undefined;
    const unit = vertical === true ? 0 : typeof width === 'number' ? width : 0.001;
    this.#units.set(name, unit);
    return unit;
  }
}

interface Glyph {
  readonly unicode?: string;
  readonly width?: number;
  readonly isSpace?: boolean;
}

/** Letters that differ in width in proportional fonts, and how many of them must be equal. */
const letter = /^[A-Za-z]$/;

const identity: readonly number[] = [1, 0, 0, 1, 0, 0];

/** A glyph that pdf.js maps to a control character has no known name. */
const unnamed = /^[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]?$/;

function isBlank(unicode: string | undefined): boolean {
  return unicode === ' ' || unicode === '\u00a0' || unicode === '\u3000' || unicode === '\t';
}

/** The runs with word positions, if the number of drawn words matches the text. */
export function withWords<Run extends TextRun & { readonly angle: number }>(
  runs: readonly Run[],
  positioned: readonly PositionedWord[],
): Run[] {
  const spaces = spacesOf(positioned);
  const lines = new Map<number, PositionedWord[]>();
  for (const word of positioned) {
    getOrInsert(lines, Math.round(word.baseline), () => []).push(word);
  }
  for (const line of lines.values()) line.sort((a, b) => a.left - b.left);
  return runs.map((run) => {
    if (run.angle !== 0) return run;
    const count = /\s/.test(run.text) ? run.text.trim().split(/\s+/).length : 1;
    const [above, below] = [Math.round(run.baseline - 0.2), Math.round(run.baseline + 0.2)];
    const found =
      wordsWithin(run, lines.get(above) ?? [], count) ??
      (below === above ? undefined : wordsWithin(run, lines.get(below) ?? [], count));
    return found === undefined ? run : { ...run, words: found.map((word) => wordOf(word, spaces)) };
  });
}

function wordOf(word: PositionedWord, spaces: Spaces): WordExtent {
  return { left: word.left, right: word.right, isApart: isApart(word, spaces) };
}

/** The words at a run's position, as many as it has; undefined if there are more or fewer. */
function wordsWithin(
  { left, right, size }: TextRun,
  line: readonly PositionedWord[],
  count: number,
): PositionedWord[] | undefined {
  const slack = size * 0.3;
  const first = firstIndex(line.length, (at) => (line[at]?.left ?? 0) >= left - slack);
  const found = line.slice(first, first + count);
  const isWhole = (found.at(-1)?.right ?? Infinity) <= right + slack;
  const isMore = (line[first + count]?.right ?? Infinity) <= right + slack;
  return found.length === count && isWhole && !isMore ? found : undefined;
}

/** The spaces of a page. */
interface Spaces {
  /** In multiples of the font size. */
  readonly usual: number;
  /** The fonts in which the file writes spaces, as most programs but TeX do in all. */
  readonly writing: ReadonlySet<unknown>;
  readonly areWritten: boolean;
}

function spacesOf(words: readonly PositionedWord[]): Spaces {
  const widths: number[] = [];
  const written: number[] = [];
  const writing = new Set<unknown>();
  for (const { gap, size, space, font } of words) {
    if (gap === undefined || gap < size * limits.leastSpace || gap > size * 0.7) continue;
    widths.push(gap / size);
    if (space === undefined) continue;
    written.push(gap / size);
    writing.add(font);
  }
  const areWritten = written.length > widths.length / 2;
  const usual = median(areWritten ? written : widths);
  return { usual: Math.min(Math.max(usual, 0.2), 0.4), writing, areWritten };
}

/** True if a gap is wider than a space, or no space is written in a font that has spaces. */
function isApart({ gap, size, space, font }: PositionedWord, spaces: Spaces): boolean {
  if (gap === undefined) return true;
  if (space === undefined && (spaces.areWritten || spaces.writing.has(font))) {
    return gap > size * 0.15;
  }
  return gap > Math.max(spaces.usual * size, space ?? 0) * limits.wideSpace;
}
