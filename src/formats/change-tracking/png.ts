/** PNG pictures as browsers make them: to pixels and back, without holding up the process. */
import { promisify } from 'node:util';
import { crc32, deflate, inflate } from 'node:zlib';
import { pauses } from './pause.ts';

/** A picture: 4 bytes a pixel, red, green, blue and opacity, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/** Pixels of one picture: two of them and the difference are 300 MB. */
const mostPixels = 25_000_000;
const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Channels by color type (PNG, third edition, 11.2.1); screenshots have no others. */
const channelsOf: ReadonlyMap<number, number> = new Map([
  [2, 3],
  [6, 4],
]);

const packed = promisify<Uint8Array, Buffer>(deflate);
const unpacked = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate);

/** Reads a PNG of 8 bits a channel that is not interlaced; throws an `Error` for anything else. */
export async function readPng(png: Uint8Array): Promise<Pixels> {
  const { header, content } = chunksOf(Buffer.from(png.buffer, png.byteOffset, png.byteLength));
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = channelsOf.get(header[9] ?? -1);
  if (channels === undefined || header[8] !== 8 || header[12] !== 0) {
    throw new Error(
      'only PNGs of 8 bits a channel, not interlaced, in RGB or RGBA can be compared',
    );
  }
  if (width * height > mostPixels) {
    throw new Error(`a picture of ${width} × ${height} pixels is too large to be compared`);
  }
  const rowBytes = width * channels;
  const length = (rowBytes + 1) * height;
  const rows = await unpacked(content, { maxOutputLength: length });
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
  const content = await packed(rows);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', content),
    chunk('IEND', Buffer.alloc(0)),
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

function chunk(type: string, content: Uint8Array): Buffer {
  const made = Buffer.alloc(content.length + 12);
  made.writeUInt32BE(content.length, 0);
  made.write(type, 4, 'latin1');
  made.set(content, 8);
  made.writeUInt32BE(crc32(made.subarray(4, content.length + 8)), content.length + 8);
  return made;
}
