/**
 * Compares two PNG screenshots of one page: the pixels that differ, and the boxes around them.
 * See docs/decisions/014-own-picture-comparison.md.
 */
import { promisify } from 'node:util';
import { crc32, deflate, inflate } from 'node:zlib';
import type { PictureBox } from '../../../core/model/snapshot.ts';
import { pauses } from '../../../core/runtime/yield-to-event-loop.ts';

const comparison = {
  tolerance: 12, // difference of a color, of 255: two runs of one browser differ by less
  square: 16, // side in pixels; changes in squares that touch are one
  mostBoxes: 100,
  mostPixels: 25_000_000, // of one picture: two pictures and the difference are 300 MB
};

/** Where the pictures differ. */
export interface VisualChange {
  /** Changed pixels outside the ignored regions; pixels that only one picture has count too. */
  readonly changedPixels: number;
  /** The changed pixels' share of the larger picture, 0 to 1. */
  readonly ratio: number;
  /** Boxes around the changes, from top to bottom; changes close to each other share a box. At most 100. */
  readonly boxes: readonly PictureBox[];
  /** Present when the pictures differ in size. */
  readonly sizes?: { readonly previous: PictureSize; readonly current: PictureSize };
  /** A PNG as a `data:` URI: the current picture, pale, with changes in red. Absent without changes. */
  readonly image?: string;
}

/** The size of a picture in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** The result for two equal pictures. */
export const noChange: VisualChange = { changedPixels: 0, ratio: 0, boxes: [] };

/** Compares two PNGs. Throws an `Error` for bytes that are not a readable PNG. */
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
  const squares = new Map<number, PixelBounds>();
  const columns = Math.ceil(width / comparison.square);
  let changedPixels = 0;
  const pause = pauses();
  for (let y = 0; y < height; y += 1) {
    const hidden = ignored.filter((box) => y >= box.y && y < box.y + box.height);
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4;
      if (isIgnored(hidden, x) || isSame(before, after, x, y)) {
        writePale(after, x, y, image, at);
        continue;
      }
      changedPixels += 1;
      image.set(markedPixel, at);
      const key = Math.floor(y / comparison.square) * columns + Math.floor(x / comparison.square);
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

const markedPixel = [255, 0, 0, 255];

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
    if (Math.abs(difference) > comparison.tolerance) return false;
  }
  return true;
}

function writePale(from: Pixels, x: number, y: number, into: Uint8Array, at: number): void {
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

/** The first and the last pixel, both inclusive. */
interface PixelBounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function widened(bounds: PixelBounds | undefined, x: number, y: number): PixelBounds {
  if (bounds === undefined) return { left: x, top: y, right: x, bottom: y };
  const { left, top, right, bottom } = bounds;
  if (x >= left && x <= right && y <= bottom) return bounds;
  return { left: Math.min(left, x), top, right: Math.max(right, x), bottom: y };
}

function around(one: PixelBounds, other: PixelBounds): PixelBounds {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

/** One box per group of squares that touch, also at a corner; too many boxes are merged into one. */
function boxesOf(squares: ReadonlyMap<number, PixelBounds>, columns: number): PictureBox[] {
  const left = new Map(squares);
  const found: PixelBounds[] = [];
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
  const boxes = found.length > comparison.mostBoxes ? [found.reduce(around)] : found;
  return boxes
    .sort((one, other) => one.top - other.top || one.left - other.left)
    .map(({ left: x, top: y, right, bottom }) => ({
      x,
      y,
      width: right - x + 1,
      height: bottom - y + 1,
    }));
}

function neighboursOf(key: number, columns: number): number[] {
  const column = key % columns;
  const sides = [-1, 0, 1].filter((side) => column + side >= 0 && column + side < columns);
  return [-columns, 0, columns].flatMap((row) => sides.map((side) => key + row + side));
}

// Decodes and encodes PNGs as browsers make them, without blocking the process.

/** A picture: 4 bytes per pixel (red, green, blue, opacity), row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Channels by color type (PNG, third edition, 11.2.1); screenshots have no others. */
const channelsOf: ReadonlyMap<number, number> = new Map([
  [2, 3],
  [6, 4],
]);

const deflated = promisify<Uint8Array, Buffer>(deflate);

const inflated = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate);

/** Reads a PNG of 8 bits per channel, not interlaced; throws an `Error` for anything else. */
export async function readPng(png: Uint8Array): Promise<Pixels> {
  const { header, content } = chunksOf(Buffer.from(png.buffer, png.byteOffset, png.byteLength));
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = channelsOf.get(header[9] ?? -1);
  if (channels === undefined || header[8] !== 8 || header[12] !== 0) {
    throw new Error(
      'only PNGs of 8 bits a channel, not interlaced, in RGB or RGBA can be compared',
    );
  }
  if (width * height > comparison.mostPixels) {
    throw new Error(`a picture of ${width} × ${height} pixels is too large to be compared`);
  }
  const rowBytes = width * channels;
  const length = (rowBytes + 1) * height;
  const rows = await inflated(content, { maxOutputLength: length });
  if (rows.length !== length) throw new Error('the PNG is damaged');
  const bytes = new Uint8Array(width * height * 4);
  const pause = pauses();
  for (let y = 0; y < height; y += 1) {
    const at = y * (rowBytes + 1);
    const row = rows.subarray(at + 1, at + 1 + rowBytes);
    const above = y === 0 ? undefined : rows.subarray(at - rowBytes, at);
    unfilter(rows[at] ?? 0, row, above, channels);
    spread(row, channels, bytes, y * width * 4);
    await pause();
  }
  return { width, height, bytes };
}

/** Writes a PNG. */
export async function writePng({ width, height, bytes }: Pixels): Promise<Uint8Array> {
  const rows = Buffer.alloc((width * 4 + 1) * height);
  for (let y = 0; y < height; y += 1) {
    rows.set(bytes.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const content = await deflated(rows);
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    pngChunk('IDAT', content),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunksOf(png: Buffer): { readonly header: Buffer; readonly content: Buffer } {
  if (!png.subarray(0, 8).equals(signature)) throw new Error('it is no PNG');
  let header: Buffer | undefined;
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= png.length;) {
    const end = at + 8 + png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR') header = png.subarray(at + 8, end);
    if (type === 'IDAT') parts.push(png.subarray(at + 8, end));
    at = end + 4;
  }
  if (header?.length !== 13) throw new Error('the PNG is damaged');
  return { header, content: Buffer.concat(parts) };
}

/** Undoes the filter of a row in place (PNG, third edition, 9.2). */
function unfilter(
  filter: number,
  row: Uint8Array,
  above: Uint8Array | undefined,
  channels: number,
): void {
  if (filter === 0) return;
  for (let x = 0; x < row.length; x += 1) {
    const left = x < channels ? 0 : (row[x - channels] ?? 0);
    const up = above?.[x] ?? 0;
    const corner = x < channels ? 0 : (above?.[x - channels] ?? 0);
    row[x] = (row[x] ?? 0) + predicted(filter, left, up, corner);
  }
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [byLeft, byUp, byCorner] = [
    Math.abs(guess - left),
    Math.abs(guess - up),
    Math.abs(guess - corner),
  ];
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}

function spread(row: Uint8Array, channels: number, into: Uint8Array, start: number): void {
  if (channels === 4) {
    into.set(row, start);
    return;
  }
  for (let from = 0, to = start; from < row.length; from += 3, to += 4) {
    into[to] = row[from] ?? 0;
    into[to + 1] = row[from + 1] ?? 0;
    into[to + 2] = row[from + 2] ?? 0;
    into[to + 3] = 255;
  }
}

function pngChunk(type: string, content: Uint8Array): Buffer {
  const made = Buffer.alloc(content.length + 12);
  made.writeUInt32BE(content.length, 0);
  made.write(type, 4, 'latin1');
  made.set(content, 8);
  made.writeUInt32BE(crc32(made.subarray(4, content.length + 8)), content.length + 8);
  return made;
}
