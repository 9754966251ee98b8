/** Reads the drawing operators of a page: straight lines, small shapes such as bullets, and word positions. */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { Box, Ruling, Rulings, Shape } from './geometry.ts';
import type { PdfJs } from './open-pdf.ts';
import { multiply } from './text-runs.ts';
import { type PositionedWord, WordPen } from './word-positions.ts';

const limits = {
  rulings: 4000, // lines of a page; more are a picture
  shapes: 4000, // of a page; more are a picture
  thickness: 3, // points; a thicker area is not a line
  minLength: 6, // points; a shorter line is a dash or a dot
  minShape: 1, // points of the longer side
  maxShape: 20,
  depth: 200,
  corners: 50,
};

type Operators = Awaited<ReturnType<PDFPageProxy['getOperatorList']>>;

/** The drawing of a page. */
export interface Drawing {
  readonly rulings: Rulings;
  readonly shapes: readonly Shape[];
  readonly words: readonly PositionedWord[];
  /** The fonts whose letters have equal widths. */
  readonly monoFonts: ReadonlySet<unknown>;
}

/** Empty rulings. */
export const noRulings: Rulings = { horizontal: [], vertical: [] };

/** Reads the operators of a page. Thousands of lines or shapes are a picture, and are left out. */
export function readDrawing(
  page: PDFPageProxy,
  { fnArray, argsArray }: Operators,
  { OPS }: PdfJs,
): Drawing {
  const text = new WordPen(page);
  const pen = new Pen(page.getViewport({ scale: 1 }).transform);
  const operators = operatorsOf(OPS, pen, text);
  for (const [at, operator] of fnArray.entries()) {
    const args: unknown = argsArray[at];
    const [first, second] = Array.isArray(args) ? (args as unknown[]) : [];
    operators[operator]?.(first, second, args);
  }
  const { rulings, shapes } = pen.end();
  return {
    rulings,
    shapes: [...shapes, ...text.unnamedGlyphs],
    words: text.words,
    monoFonts: text.monoFonts,
  };
}

/** Reads an operator: its first two arguments, and all of them. */
type ReadOperator = (first: unknown, second: unknown, args: unknown) => void;

function operatorsOf(OPS: PdfJs['OPS'], pen: Pen, text: WordPen): Record<number, ReadOperator> {
  const save = (): void => {
    pen.save();
    text.save();
  };
  const restore = (): void => {
    pen.restore();
    text.restore();
  };
  const closeWord = (): void => text.closeWord();
  const picture = (): void => pen.picture();
  const both = [OPS.fillStroke, OPS.eoFillStroke, OPS.closeFillStroke, OPS.closeEOFillStroke];
  const fills = new Set<unknown>([OPS.fill, OPS.eoFill, ...both]);
  const strokes = new Set<unknown>([OPS.stroke, OPS.closeStroke, ...both]);
  return {
    [OPS.showText]: (glyphs) => {
      text.show(glyphs, pen.matrix);
      pen.paint();
    },
    [OPS.moveText]: (x, y) => text.move(x, y),
    [OPS.setFont]: (font, size) => text.setFont(font, size),
    [OPS.beginText]: () => text.begin(),
    [OPS.setTextMatrix]: (matrix) => text.setMatrix(matrix),
    [OPS.setLeadingMoveText]: (x, y) => {
      text.set('leading', y);
      text.move(x, y);
    },
    [OPS.nextLine]: () => text.nextLine(),
    [OPS.setLeading]: (leading) => text.set('leading', leading, -1),
    [OPS.setCharSpacing]: (width) => text.set('charSpacing', width),
    [OPS.setWordSpacing]: (width) => text.set('wordSpacing', width),
    [OPS.setHScale]: (percent) => text.set('scale', percent, 0.01),
    [OPS.setTextRise]: (height) => text.set('rise', height),
    [OPS.beginMarkedContent]: closeWord,
    [OPS.beginMarkedContentProps]: closeWord,
    [OPS.endMarkedContent]: closeWord,
    [OPS.save]: save,
    [OPS.restore]: restore,
    [OPS.paintFormXObjectEnd]: restore,
    [OPS.paintFormXObjectBegin]: (matrix) => {
      save();
      text.closeWord();
      // A form XObject is not an omitted picture, even if it is empty.
      pen.paint();
      pen.transform(matrix);
    },
    [OPS.transform]: (_first, _second, matrix) => pen.transform(matrix),
    [OPS.setFillRGBColor]: (color) => pen.setColor('fill', color),
    [OPS.setStrokeRGBColor]: (color) => pen.setColor('stroke', color),
    [OPS.paintImageXObject]: picture,
    [OPS.paintImageMaskXObject]: picture,
    [OPS.paintInlineImageXObject]: picture,
    [OPS.constructPath]: (paint, parts) => {
      const path: unknown = Array.isArray(parts) ? parts[0] : undefined;
      if (!(path instanceof Float32Array)) return;
      if (fills.has(paint)) pen.fill(path);
      if (strokes.has(paint)) pen.stroke(path);
    },
  };
}

/** Number of coordinates of each path step in pdf.js: move, line, curve, quadratic, close. */
const stepLengths = [2, 2, 6, 4, 0];

/** The state saved by `save`. */
interface PenState {
  readonly matrix: readonly number[];
  /** True for white, which is invisible on white paper. */
  readonly isFillWhite: boolean;
  readonly isStrokeWhite: boolean;
  /** True when something was painted, or transformed, since `save`. */
  readonly hasPainted: boolean;
  readonly isMoved: boolean;
}

/** A part of a path. */
interface PathPart {
  /** Its corners; empty for parts with curves or many corners, which are drawings. */
  readonly corners: readonly Point[];
  readonly box: Box;
}

type Point = readonly [number, number];

class Pen {
  readonly #horizontal: Ruling[] = [];
  readonly #vertical: Ruling[] = [];
  readonly #shapes: Box[] = [];
  readonly #saved: PenState[] = [];
  #state: PenState;

  constructor(matrix: readonly number[]) {
    const colors = { isFillWhite: false, isStrokeWhite: false };
    this.#state = { matrix, ...colors, hasPainted: true, isMoved: false };
  }

  get matrix(): readonly number[] {
    return this.#state.matrix;
  }

  end(): Pick<Drawing, 'rulings' | 'shapes'> {
    const [horizontal, vertical, shapes] = [this.#horizontal, this.#vertical, this.#shapes];
    return {
      rulings:
        horizontal.length + vertical.length > limits.rulings ? noRulings : { horizontal, vertical },
      shapes: shapes.length > limits.shapes ? [] : shapes,
    };
  }

  save(): void {
    if (this.#saved.length < limits.depth) this.#saved.push(this.#state);
    this.#state = { ...this.#state, hasPainted: false, isMoved: false };
  }

  /** pdf.js drops pictures that exceed its limit: a transformation remains, with nothing painted. */
  restore(): void {
    const { hasPainted, isMoved } = this.#state;
    if (isMoved && !hasPainted) this.picture();
    const outer = this.#saved.pop();
    if (outer !== undefined) this.#state = { ...outer, hasPainted: outer.hasPainted || hasPainted };
  }

  transform(matrix: unknown): void {
    if (!isNumbers(matrix)) return;
    this.#state = {
      ...this.#state,
      matrix: multiply(this.#state.matrix, [...matrix]),
      isMoved: true,
    };
  }

  setColor(kind: 'fill' | 'stroke', color: unknown): void {
    const isWhite = color === '#ffffff';
    if (kind === 'fill') this.#state = { ...this.#state, isFillWhite: isWhite };
    else this.#state = { ...this.#state, isStrokeWhite: isWhite };
  }

  paint(): void {
    if (!this.#state.hasPainted) this.#state = { ...this.#state, hasPainted: true };
  }

  /** Adds a picture in the unit square. */
  picture(): void {
    this.paint();
    const [x1, y1] = this.#point(0, 0);
    const [x2, y2] = this.#point(1, 1);
    const [left, right] = x1 < x2 ? [x1, x2] : [x2, x1];
    const [top, bottom] = y1 < y2 ? [y1, y2] : [y2, y1];
    this.#addShape({ left, right, top, bottom }, false);
  }

  /** Adds a filled shape; a thin rectangle is a line. */
  fill(path: Float32Array): void {
    this.paint();
    for (const { corners, box } of this.#parts(path)) {
      this.#addShape(box, this.#state.isFillWhite);
      if (corners.length < 2) continue;
      const { left, right, top, bottom } = box;
      if (bottom - top <= limits.thickness) this.#add(left, right, (top + bottom) / 2, true);
      else if (right - left <= limits.thickness) this.#add(top, bottom, (left + right) / 2, false);
    }
  }

  stroke(path: Float32Array): void {
    this.paint();
    for (const { corners, box } of this.#parts(path)) {
      this.#addShape(box, this.#state.isStrokeWhite);
      for (let at = 1; at < corners.length; at += 1) {
        const [x1, y1] = corners[at - 1] ?? [0, 0];
        const [x2, y2] = corners[at] ?? [0, 0];
        if (Math.abs(y1 - y2) < 0.5) this.#add(x1, x2, (y1 + y2) / 2, true);
        else if (Math.abs(x1 - x2) < 0.5) this.#add(y1, y2, (x1 + x2) / 2, false);
      }
    }
  }

  #add(from: number, to: number, at: number, isHorizontal: boolean): void {
    const [start, end] = from < to ? [from, to] : [to, from];
    if (end - start < limits.minLength) return;
    if (this.#horizontal.length + this.#vertical.length > limits.rulings) return;
    (isHorizontal ? this.#horizontal : this.#vertical).push({ at, start, end });
  }

  #addShape(box: Box, isWhite: boolean): void {
    const length = Math.max(box.right - box.left, box.bottom - box.top);
    const isSmall = length >= limits.minShape && length <= limits.maxShape;
    if (isSmall && !isWhite && this.#shapes.length <= limits.shapes) this.#shapes.push(box);
  }

  *#parts(path: Float32Array): Generator<PathPart> {
    let corners: Point[] = [];
    let isStraight = true;
    let box = emptyBox();
    const part = (): PathPart => ({ corners: isStraight ? corners : [], box });
    for (let at = 0; at < path.length;) {
      const step = path[at] ?? 0;
      const length = stepLengths[step];
      if (length === undefined) return;
      if (step === 0) {
        if (box.right > box.left || box.bottom > box.top) yield part();
        corners = [];
        isStraight = true;
        box = emptyBox();
      }
      const [first] = corners;
      if (step === 4 && first !== undefined) corners.push(first);
      for (let from = at + 1; from <= at + length; from += 2) {
        const point = this.#point(path[from] ?? 0, path[from + 1] ?? 0);
        box.left = Math.min(box.left, point[0]);
        box.right = Math.max(box.right, point[0]);
        box.top = Math.min(box.top, point[1]);
        box.bottom = Math.max(box.bottom, point[1]);
        if (isStraight && length === 2) corners.push(point);
      }
      if (length > 2 || corners.length > limits.corners) isStraight = false;
      at += 1 + length;
    }
    if (box.right > box.left || box.bottom > box.top) yield part();
  }

  #point(x: number, y: number): Point {
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = this.#state.matrix;
    return [a * x + c * y + e, b * x + d * y + f];
  }
}

function emptyBox(): { left: number; right: number; top: number; bottom: number } {
  return { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
}

function isNumbers(value: unknown): value is ArrayLike<number> & Iterable<number> {
  return (Array.isArray(value) || value instanceof Float32Array) && value.length === 6;
}
