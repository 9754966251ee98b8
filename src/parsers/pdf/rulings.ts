/** The straight lines that a page draws, which tables are made of. */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { Ruling, Rulings } from './geometry.ts';
import type { PdfJs } from './open-pdf.ts';
import { multiply } from './text-runs.ts';

type Operators = Awaited<ReturnType<PDFPageProxy['getOperatorList']>>;

/** Lines of a page that are looked at; more are a drawing. */
const maxRulings = 4000;
/** Points: what is thinner is a line, not an area. */
const maxThickness = 3;
/** Points: what is shorter is a dash or a dot. */
const minLength = 6;

/** No rulings at all. */
export const noRulings: Rulings = { horizontal: [], vertical: [] };

/** The rulings in what the page draws; none for drawings of thousands of lines. */
export function readRulings(
  page: PDFPageProxy,
  { fnArray, argsArray }: Operators,
  { OPS }: PdfJs,
): Rulings {
  const pen = new Pen(page.getViewport({ scale: 1 }).transform);
  const filling = new Set<number>([OPS.fill, OPS.eoFill]);
  const stroking = new Set<number>([OPS.stroke, OPS.closeStroke]);
  const both = new Set<number>([
    OPS.fillStroke,
    OPS.eoFillStroke,
    OPS.closeFillStroke,
    OPS.closeEOFillStroke,
  ]);
  for (let at = 0; at < fnArray.length; at += 1) {
    const operator = fnArray[at];
    const args: unknown = argsArray[at];
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) pen.save();
    else if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) pen.restore();
    if (operator === OPS.transform) pen.transform(args);
    else if (operator === OPS.paintFormXObjectBegin && Array.isArray(args)) pen.transform(args[0]);
    else if (operator === OPS.constructPath && Array.isArray(args)) {
      const [paint, paths] = args as unknown[];
      if (typeof paint !== 'number' || !Array.isArray(paths)) continue;
      const path: unknown = paths[0];
      if (!(path instanceof Float32Array)) continue;
      if (filling.has(paint) || both.has(paint)) pen.fill(path);
      if (stroking.has(paint) || both.has(paint)) pen.stroke(path);
      if (pen.horizontal.length + pen.vertical.length > maxRulings) return noRulings;
    }
  }
  return { horizontal: pen.horizontal, vertical: pen.vertical };
}

/** How many numbers follow each step of a path in pdf.js: move, line, curve, quadratic, close. */
const stepLengths = [2, 2, 6, 4, 0];
const maxDepth = 200;

class Pen {
  readonly horizontal: Ruling[] = [];
  readonly vertical: Ruling[] = [];
  #matrix: readonly number[];
  readonly #saved: (readonly number[])[] = [];

  constructor(matrix: readonly number[]) {
    this.#matrix = matrix;
  }

  save(): void {
    if (this.#saved.length < maxDepth) this.#saved.push(this.#matrix);
  }

  restore(): void {
    this.#matrix = this.#saved.pop() ?? this.#matrix;
  }

  transform(matrix: unknown): void {
    if (isNumbers(matrix)) this.#matrix = multiply(this.#matrix, [...matrix]);
  }

  /** A filled rectangle that is thin is a line. */
  fill(path: Float32Array): void {
    for (const points of this.#parts(path)) {
      const xs = points.map(([x]) => x);
      const ys = points.map(([, y]) => y);
      const [left, right] = [Math.min(...xs), Math.max(...xs)];
      const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
      if (bottom - top <= maxThickness) this.#add(left, right, (top + bottom) / 2, true);
      else if (right - left <= maxThickness) this.#add(top, bottom, (left + right) / 2, false);
    }
  }

  stroke(path: Float32Array): void {
    for (const points of this.#parts(path)) {
      for (let at = 1; at < points.length; at += 1) {
        const [x1, y1] = points[at - 1] ?? [0, 0];
        const [x2, y2] = points[at] ?? [0, 0];
        if (Math.abs(y1 - y2) < 0.5) this.#add(x1, x2, (y1 + y2) / 2, true);
        else if (Math.abs(x1 - x2) < 0.5) this.#add(y1, y2, (x1 + x2) / 2, false);
      }
    }
  }

  #add(from: number, to: number, at: number, isHorizontal: boolean): void {
    const [start, end] = from < to ? [from, to] : [to, from];
    if (end - start < minLength) return;
    (isHorizontal ? this.horizontal : this.vertical).push({ at, start, end });
  }

  /** The corners of each part; parts with curves, or with many corners, are drawings. */
  *#parts(path: Float32Array): Generator<[number, number][]> {
    let points: [number, number][] = [];
    let isStraight = true;
    for (let at = 0; at < path.length;) {
      const step = path[at] ?? 0;
      const length = stepLengths[step];
      if (length === undefined) return;
      if (step === 0) {
        if (isStraight && points.length > 1) yield points;
        points = [];
        isStraight = true;
      }
      const first = points[0];
      if (!isStraight) {
        at += 1 + length;
        continue;
      }
      if (step <= 1) points.push(this.#point(path[at + 1] ?? 0, path[at + 2] ?? 0));
      else if (step === 4) {
        if (first !== undefined) points.push(first);
      } else isStraight = false;
      if (points.length > maxCorners) isStraight = false;
      at += 1 + length;
    }
    if (isStraight && points.length > 1) yield points;
  }

  #point(x: number, y: number): [number, number] {
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = this.#matrix;
    return [a * x + c * y + e, b * x + d * y + f];
  }
}

const maxCorners = 50;

function isNumbers(value: unknown): value is ArrayLike<number> & Iterable<number> {
  return (Array.isArray(value) || value instanceof Float32Array) && value.length === 6;
}
