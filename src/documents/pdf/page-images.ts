/** Reads the images that a page paints, decoded, with their positions. */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { PdfJs } from './open-pdf.ts';
import { multiply } from './text-runs.ts';

const limits = {
  images: 5_000, // of a page; a scan is one image, or a few hundred strips or tiles
  saved: 200,
  imageTime: 10_000, // milliseconds for an image that pdf.js announced
};

/** An image on a page. */
export interface PageImage {
  /** Transforms the unit square to points of the page, down and to the right. */
  readonly matrix: readonly number[];
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** Writes red, green, blue and opacity, each 0 to 255, into `color`. */
  readonly colorAt: (column: number, row: number, color: Color) => void;
}

type Color = [red: number, green: number, blue: number, alpha: number];

/** The images of a page. */
export interface PageImages {
  readonly images: readonly PageImage[];
  /** Images that could not be decoded: too large, damaged, or JPEG 2000. */
  readonly failed: number;
}

/** Reads the page's drawing operators. Rejects with the errors of pdf.js. */
export async function readPageImages(page: PDFPageProxy, pdfjs: PdfJs): Promise<PageImages> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const { OPS } = pdfjs;
  const images: PageImage[] = [];
  let failed = 0;
  let fill: Color = [0, 0, 0, 255];
  const saved: { matrix: readonly number[]; fill: Color }[] = [];
  /** Depth of annotations, such as stamps and notes, which are not page content. */
  let annotations = 0;
  const ops = OPS;
  let current: readonly number[] = page.getViewport({ scale: 1 }).transform;
  for (let at = 0; at < fnArray.length && images.length < limits.images; at += 1) {
    const args: unknown = argsArray[at];
    await take(fnArray[at] ?? 0, Array.isArray(args) ? (args as unknown[]) : []);
  }
  return { images, failed };

  async function take(operator: number, args: readonly unknown[]): Promise<void> {
    const [first, second, third] = args;
    if (operator === ops.beginAnnotation) annotations += 1;
    else if (operator === ops.endAnnotation) annotations -= 1;
    else if (annotations > 0) return;
    else if (operator === ops.save) save();
    else if (operator === ops.restore || operator === ops.paintFormXObjectEnd) restore();
    else if (operator === ops.transform) current = under(args);
    else if (operator === ops.paintFormXObjectBegin) {
      save();
      current = under(first);
    } else if (operator === ops.setFillRGBColor) fill = colorOf(args);
    else if (operator === ops.paintImageXObject) add(await object(first));
    else if (operator === ops.paintInlineImageXObject) add(first);
    else if (operator === ops.paintInlineImageXObjectGroup) addGroup(first, second);
    else if (operator === ops.paintImageXObjectRepeat) {
      addRepeated(await object(first), [second, 0, 0, third], args[3]);
    } else if (operator === ops.paintImageMaskXObject) add(await mask(first), true);
    else if (operator === ops.paintImageMaskXObjectRepeat) {
      const matrix = args.slice(1, 5);
      addRepeated(await mask(first), matrix, args[5], true);
    } else if (operator === ops.paintImageMaskXObjectGroup && Array.isArray(first)) {
      for (const one of first as unknown[]) {
        const { transform } = one as { transform?: unknown };
        add(await mask(one), true, under(transform));
      }
    }
  }

  function save(): void {
    if (saved.length < limits.saved) {
      saved.push({ matrix: current, fill });
    }
  }

  function restore(): void {
    const before = saved.pop();
    current = before?.matrix ?? current;
    fill = before?.fill ?? fill;
  }

  function under(given: unknown): readonly number[] {
    const matrix = numbersIn(given);
    return matrix.length === 6 ? multiply(current, matrix) : current;
  }

  function add(image: unknown, isMask = false, matrix: readonly number[] = current): void {
    if (images.length >= limits.images) return;
    const pixels = isMask ? maskPixels(image, fill) : imagePixels(image);
    if (pixels === undefined) failed += 1;
    else images.push({ ...pixels, matrix });
  }

  function addRepeated(
    image: unknown,
    shape: readonly unknown[],
    positions: unknown,
    isMask = false,
  ): void {
    const at = numbersIn(positions);
    for (let index = 0; index + 1 < at.length; index += 2) {
      add(image, isMask, under([...shape, at[index], at[index + 1]]));
    }
  }

  /** Adds the parts of one picture, each with its position: pdf.js groups small inline images. */
  function addGroup(image: unknown, parts: unknown): void {
    const whole = imagePixels(image);
    if (whole === undefined || !Array.isArray(parts)) return;
    for (const part of parts as Record<string, unknown>[]) {
      const { transform, x, y, w, h } = part;
      const [left, top, width, height] = numbersIn([x, y, w, h]);
      if (left === undefined || top === undefined || !width || !height) continue;
      if (images.length >= limits.images) return;
      images.push({
        width,
        height,
        matrix: under(transform),
        colorAt: (column, row, color) => whole.colorAt(left + column, top + row, color),
      });
    }
  }

  function mask(given: unknown): Promise<unknown> {
    const { data } = (given ?? {}) as { data?: unknown };
    return typeof data === 'string' ? object(data) : Promise.resolve(given);
  }

  /** An object that pdf.js sends separately, or undefined on failure. */
  function object(id: unknown): Promise<unknown> {
    if (typeof id !== 'string') return Promise.resolve(undefined);
    const { objs, commonObjs } = page;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), limits.imageTime);
      const take = (value: unknown): void => {
        clearTimeout(timer);
        resolve(value);
      };
      (id.startsWith('g_') ? commonObjs : objs).get(id, take);
    });
  }
}

type Pixels = Omit<PageImage, 'matrix'>;

/** The image kinds of pdf.js: 1 bit per pixel with white set, three bytes, four bytes. */
function imagePixels(given: unknown): Pixels | undefined {
  const { data, width, height, kind } = (given ?? {}) as Record<string, unknown>;
  if (!isSize(width) || !isSize(height) || !isBytes(data)) return undefined;
  const size = { width, height };
  if (kind === 1) {
    const row = (width + 7) >> 3;
    if (data.length < row * height) return undefined;
    return {
      ...size,
      colorAt: (x, y, color) => {
        const isWhite = ((data[y * row + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0;
        color[0] = color[1] = color[2] = isWhite ? 255 : 0;
        color[3] = 255;
      },
    };
  }
  const depth = kind === 2 ? 3 : 4;
  if ((kind !== 2 && kind !== 3) || data.length < width * height * depth) return undefined;
  return {
    ...size,
    colorAt: (x, y, color) => {
      const at = (y * width + x) * depth;
      color[0] = data[at] ?? 0;
      color[1] = data[at + 1] ?? 0;
      color[2] = data[at + 2] ?? 0;
      color[3] = depth === 3 ? 255 : (data[at + 3] ?? 0);
    },
  };
}

/** 1 bit per pixel: the fill color is visible where it is not set. */
function maskPixels(given: unknown, fill: Color): Pixels | undefined {
  const { data, width, height } = (given ?? {}) as Record<string, unknown>;
  if (!isSize(width) || !isSize(height) || !isBytes(data)) return undefined;
  const row = (width + 7) >> 3;
  return {
    width,
    height,
    colorAt: (x, y, color) => {
      const isClear = ((data[y * row + (x >> 3)] ?? 0xff) & (0x80 >> (x & 7))) !== 0;
      color[0] = fill[0];
      color[1] = fill[1];
      color[2] = fill[2];
      color[3] = isClear ? 0 : 255;
    },
  };
}

/** Parses `#rrggbb`, or three numbers. */
function colorOf(args: readonly unknown[]): Color {
  const [first] = args;
  if (typeof first === 'string') {
    const value = Number.parseInt(first.slice(1, 7), 16) || 0;
    return [value >> 16, (value >> 8) & 255, value & 255, 255];
  }
  const [red = 0, green = 0, blue = 0] = numbersIn(args);
  return [red, green, blue, 255];
}

function numbersIn(given: unknown): number[] {
  const values =
    Array.isArray(given) || given instanceof Float32Array ? [...(given as unknown[])] : [];
  return values.every((value) => typeof value === 'number') ? values : [];
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function isBytes(value: unknown): value is Uint8Array | Uint8ClampedArray {
  return value instanceof Uint8Array || value instanceof Uint8ClampedArray;
}
