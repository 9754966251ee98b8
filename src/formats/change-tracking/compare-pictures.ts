/** Two screenshots of one page: which pixels differ, and where. */
import type { PictureBox } from '../../model/captures.ts';
import { pauses } from './pause.ts';
import { type Pixels, readPng, writePng } from './png.ts';

/** Where the pictures differ. */
export interface VisualChange {
  /** Those outside the ignored regions; pixels that only one of the pictures has count too. */
  readonly changedPixels: number;
  /** Their share of the larger picture, 0 to 1. */
  readonly ratio: number;
  /** Around what changed, from top to bottom; changes that are close to each other are in one. At most 100. */
  readonly boxes: readonly PictureBox[];
  /** Where the pictures have not the same size. */
  readonly sizes?: { readonly previous: PictureSize; readonly current: PictureSize };
  /** A PNG as a `data:` URI: the current picture, pale, with what changed in red; where something did. */
  readonly image?: string;
}

/** Pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Of two pictures that are the same. */
export const noChange: VisualChange = { changedPixels: 0, ratio: 0, boxes: [] };

/** How much a color may differ, of 255: what two runs of one browser differ by is less. */
const tolerance = 12;
/** Pixels of a square; changes in squares that touch are one. */
const square = 16;
const mostBoxes = 100;

/** Compares two PNGs. Throws an `Error` for what is no PNG that can be read. */
export async function comparePictures(
  previous: Uint8Array,
  current: Uint8Array,
  ignored: readonly PictureBox[],
): Promise<VisualChange> {
  const before = await readPng(previous);
  const after = await readPng(current);
  const width = Math.max(before.width, after.width);
  const height = Math.max(before.height, after.height);
  const image = new Uint8Array(width * height * 4);
  const squares = new Map<number, Bounds>();
  const columns = Math.ceil(width / square);
  let changedPixels = 0;
  const pause = pauses();
  for (let y = 0; y < height; y += 1) {
    const hidden = ignored.filter((box) => y >= box.y && y < box.y + box.height);
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4;
      if (isIgnored(hidden, x) || isSame(before, after, x, y)) {
        pale(after, x, y, image, at);
        continue;
      }
      changedPixels += 1;
      image.set(red, at);
      const key = Math.floor(y / square) * columns + Math.floor(x / square);
      squares.set(key, widened(squares.get(key), x, y));
    }
    await pause();
  }
  const sizes =
    before.width === after.width && before.height === after.height
      ? {}
      : { sizes: { previous: sizeOf(before), current: sizeOf(after) } };
  if (changedPixels === 0) return { ...noChange, ...sizes };
  const png = Buffer.from(await writePng({ width, height, bytes: image }));
  return {
    changedPixels,
    ratio: changedPixels / (width * height),
    boxes: boxesOf(squares, columns),
    ...sizes,
    image: `data:image/png;base64,${png.toString('base64')}`,
  };
}

const red = [255, 0, 0, 255];

function isIgnored(boxes: readonly PictureBox[], x: number): boolean {
  return boxes.some((box) => x >= box.x && x < box.x + box.width);
}

function isSame(before: Pixels, after: Pixels, x: number, y: number): boolean {
  if (x >= before.width || x >= after.width || y >= before.height || y >= after.height) {
    return false;
  }
  const one = (y * before.width + x) * 4;
  const other = (y * after.width + x) * 4;
  for (let channel = 0; channel < 4; channel += 1) {
    const difference = (before.bytes[one + channel] ?? 0) - (after.bytes[other + channel] ?? 0);
    if (Math.abs(difference) > tolerance) return false;
  }
  return true;
}

function pale(from: Pixels, x: number, y: number, into: Uint8Array, at: number): void {
  const source = (y * from.width + x) * 4;
  const isThere = x < from.width && y < from.height;
  for (let channel = 0; channel < 3; channel += 1) {
    const value = isThere ? (from.bytes[source + channel] ?? 255) : 255;
    into[at + channel] = 255 - ((255 - value) >> 2);
  }
  into[at + 3] = 255;
}

function sizeOf({ width, height }: Pixels): PictureSize {
  return { width, height };
}

/** First and last pixel, both included. */
interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function widened(bounds: Bounds | undefined, x: number, y: number): Bounds {
  if (bounds === undefined) return { left: x, top: y, right: x, bottom: y };
  const { left, top, right, bottom } = bounds;
  if (x >= left && x <= right && y <= bottom) return bounds;
  return { left: Math.min(left, x), top, right: Math.max(right, x), bottom: y };
}

function around(one: Bounds, other: Bounds): Bounds {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

/** One a group of squares that touch, by a corner too; too many are one. */
function boxesOf(squares: ReadonlyMap<number, Bounds>, columns: number): PictureBox[] {
  const left = new Map(squares);
  const found: Bounds[] = [];
  for (const [key, first] of squares) {
    if (!left.delete(key)) continue;
    let bounds = first;
    const waiting = [key];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const neighbour of neighboursOf(next, columns)) {
        const more = left.get(neighbour);
        if (more === undefined) continue;
        left.delete(neighbour);
        bounds = around(bounds, more);
        waiting.push(neighbour);
      }
    }
    found.push(bounds);
  }
  const boxes = found.length > mostBoxes ? [found.reduce(around)] : found;
  return boxes
    .sort((one, other) => one.top - other.top || one.left - other.left)
    .map(({ left: x, top: y, right, bottom }) => ({
      ...{ x, y, width: right - x + 1, height: bottom - y + 1 },
    }));
}

function neighboursOf(key: number, columns: number): number[] {
  const column = key % columns;
  const sides = [-1, 0, 1].filter((side) => column + side >= 0 && column + side < columns);
  return [-columns, 0, columns].flatMap((row) => sides.map((side) => key + row + side));
}
