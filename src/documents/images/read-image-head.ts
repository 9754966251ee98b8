/**
 * Reads size, frames and metadata from the heads of image files. No pixel is decoded.
 * See docs/decisions/016-own-image-heads.md.
 */
import { inflateSync } from 'node:zlib';
import {
  type ImageHead,
  type ImageNotes,
  looseText,
  mergeNotes,
  readExif,
  readIptc,
  readXmp,
} from './image-metadata.ts';

const limits = {
  parts: 2_000, // chunks or segments of a file that are read
  boxBytes: 262_144, // at the start in which AVIF and HEIC have their properties
  tableEntries: 4_000, // boxes, items or properties of a list; a photograph of 100 tiles has 110
  inflated: 100_000, // bytes of a compressed text
  gifFrames: 100_000, // a file with more is a film
};

type HeadReader = (view: Buffer) => ImageHead | undefined;

// HEIC and AVIF (ISO 23008-12, in the boxes of ISO 14496-12): the displayed size, EXIF and XMP.

const xmpMark = 'http://ns.adobe.com/xap/1.0/';

/** Readers by media type; a file without a result is damaged. */
const readers: Readonly<Record<string, HeadReader>> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/gif': (view) =>
    sized(view.readUInt16LE(6), view.readUInt16LE(8), [], countGifFrames(view)),
  'image/webp': readWebp,
  'image/avif': readBoxed,
  'image/heic': readBoxed,
  'image/tiff': readTiff,
  'image/bmp': readBitmap,
  'image/x-icon': (view) => sized(view.readUInt8(6) || 256, view.readUInt8(7) || 256),
};

/** Undefined for a file that is damaged, or ends within its head. */
export function readImageHead(mediaType: string, body: Uint8Array): ImageHead | undefined {
  const view = Buffer.from(body.buffer, body.byteOffset, body.length);
  try {
    return Object.hasOwn(readers, mediaType) ? readers[mediaType]?.(view) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sized(
  width: number,
  height: number,
  notes: readonly (ImageNotes | undefined)[] = [],
  frames = 1,
): ImageHead | undefined {
  if (width < 1 || height < 1) return undefined;
  return { width, height, frames, notes: mergeNotes(...notes) };
}

/** PNG (third edition): the size in the first chunk, texts in chunks of their own. */
function readPng(view: Buffer): ImageHead | undefined {
  if (view.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  const [width, height] = [view.readUInt32BE(16), view.readUInt32BE(20)];
  // The format's own limit.
  if (width > 0x7fffffff || height > 0x7fffffff) return undefined;
  let frames = 1;
  const texts: Record<string, string> = {};
  const found: (ImageNotes | undefined)[] = [];
  let at = 8;
  for (let part = 0; part < limits.parts && at + 12 <= view.length; part++) {
    const size = view.readUInt32BE(at);
    const kind = view.toString('latin1', at + 4, at + 8);
    const content = view.subarray(at + 8, at + 8 + size);
    if (kind === 'tEXt' || kind === 'iTXt') {
      const [key, value] = readPngText(kind, content);
      if (key === 'XML:com.adobe.xmp') found.unshift(readXmp(value));
      else texts[key.toLowerCase()] ??= looseText(value);
    } else if (kind === 'eXIf') found.push(readExif(content)?.notes);
    else if (kind === 'acTL') frames = content.readUInt32BE(0);
    at += 12 + size;
  }
  const { title, description, comment, author, copyright } = texts;
  found.push({ title, description: description ?? comment, author, copyright });
  return sized(width, height, found, frames);
}

function readPngText(kind: string, content: Buffer): [key: string, value: Uint8Array] {
  const end = Math.max(0, content.indexOf(0));
  const key = content.toString('latin1', 0, end);
  if (kind === 'tEXt') return [key, content.subarray(end + 1)];
  const isCompressed = content[end + 1] === 1;
  const language = content.indexOf(0, end + 3);
  const translated = content.indexOf(0, language + 1);
  const value = content.subarray(translated + 1);
  if (language < 0 || translated < 0) return [key, Buffer.alloc(0)];
  if (!isCompressed) return [key, value];
  try {
    // A longer text is not a caption.
    return [key, inflateSync(value, { maxOutputLength: limits.inflated })];
  } catch {
    return [key, Buffer.alloc(0)];
  }
}

/** JPEG (ISO 10918-1, B.1): segments until the picture itself begins. */
function readJpeg(view: Buffer): ImageHead | undefined {
  const notes: Partial<Record<'xmp' | 'iptc' | 'exif' | 'comment', ImageNotes | undefined>> = {};
  let [width, height] = [0, 0];
  let isTurned = false;
  let at = 2;
  for (let part = 0; part < limits.parts && at + 4 <= view.length; part++) {
    if (view[at] !== 0xff) break;
    const marker = view[at + 1] ?? 0;
    // Fill bytes, and markers without content.
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === 0xda || marker === 0xd9) break;
    const size = view.readUInt16BE(at + 2);
    if (size < 2) break;
    const content = view.subarray(at + 4, at + 2 + size);
    if (isFrame(marker) && width === 0) {
      [height, width] = [content.readUInt16BE(1), content.readUInt16BE(3)];
    } else if (marker === 0xe1 && content.toString('latin1', 0, 6) === 'Exif\0\0') {
      const facts = readExif(content.subarray(6));
      notes.exif ??= facts?.notes;
      isTurned ||= facts?.isTurned === true;
    } else if (marker === 0xe1 && content.toString('latin1', 0, 28).startsWith(xmpMark)) {
      notes.xmp ??= readXmp(content.subarray(xmpMark.length));
    } else if (marker === 0xed) notes.iptc ??= readIptc(content);
    else if (marker === 0xfe) notes.comment ??= commentOf(content);
    at += 2 + size;
  }
  const all = [notes.xmp, notes.iptc, notes.exif, notes.comment];
  return isTurned ? sized(height, width, all) : sized(width, height, all);
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Skips the comments in which encoders leave their own name. */
function commentOf(content: Buffer): ImageNotes | undefined {
  const text = looseText(content);
  return /^(?:CREATOR|Lavc|LEAD|AppleMark|File written|Optimized|Compressed)|jpeg/i.test(text)
    ? undefined
    : { description: text };
}

/** WebP (RFC 9649): the size of the canvas, else of the one frame. */
function readWebp(view: Buffer): ImageHead | undefined {
  let [width, height, frames] = [0, 0, 0];
  const found: (ImageNotes | undefined)[] = [];
  let at = 12;
  for (let part = 0; part < limits.parts && at + 8 <= view.length; part++) {
    const kind = view.toString('latin1', at, at + 4);
    const size = view.readUInt32LE(at + 4);
    const content = view.subarray(at + 8, at + 8 + size);
    if (width === 0 && kind === 'VP8X') {
      [width, height] = [content.readUIntLE(4, 3) + 1, content.readUIntLE(7, 3) + 1];
    } else if (width === 0 && kind === 'VP8 ') {
      [width, height] = [content.readUInt16LE(6) & 0x3fff, content.readUInt16LE(8) & 0x3fff];
    } else if (width === 0 && kind === 'VP8L') {
      const bits = content.readUInt32LE(1);
      [width, height] = [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    } else if (kind === 'ANMF') frames += 1;
    else if (kind === 'XMP ') found.unshift(readXmp(content));
    else if (kind === 'EXIF') {
      const start = content.toString('latin1', 0, 6) === 'Exif\0\0' ? 6 : 0;
      found.push(readExif(content.subarray(start))?.notes);
    }
    at += 8 + size + (size % 2);
  }
  return sized(width, height, found, frames);
}

/** Reads the boxes; if they are damaged, takes the largest size: others are of tiles and thumbnails. */
function readBoxed(view: Buffer): ImageHead | undefined {
  const facts = heifFacts(view);
  if (facts !== undefined) return sized(facts.width, facts.height, facts.notes);
  const head = view.subarray(0, limits.boxBytes);
  let [width, height] = [0, 0];
  let at = head.indexOf('ispe');
  for (let part = 0; part < limits.parts && at >= 0; part++) {
    if (at + 16 > head.length) break;
    const [x, y] = [head.readUInt32BE(at + 8), head.readUInt32BE(at + 12)];
    if (x * y > width * height) [width, height] = [x, y];
    at = head.indexOf('ispe', at + 4);
  }
  return sized(width, height);
}

function heifFacts(view: Buffer): HeifFacts | undefined {
  try {
    return readHeif(view);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Bitmaps: the size in the header of Windows, or in the smaller one of OS/2. */
function readBitmap(view: Buffer): ImageHead | undefined {
  if (view.toString('latin1', 0, 2) !== 'BM') return undefined;
  if (view.readUInt32LE(14) === 12) return sized(view.readUInt16LE(18), view.readUInt16LE(20));
  // A negative height means rows from top to bottom.
  return sized(view.readInt32LE(18), Math.abs(view.readInt32LE(22)));
}

function readTiff(view: Buffer): ImageHead | undefined {
  const { width = 0, height = 0, notes, isTurned = false } = readExif(view) ?? {};
  return isTurned ? sized(height, width, [notes]) : sized(width, height, [notes]);
}

/** Facts of the boxes about the displayed picture. */
interface HeifFacts {
  readonly width: number;
  readonly height: number;
  readonly notes: readonly (ImageNotes | undefined)[];
}

/** A box: its kind, and its content. */
interface HeifBox {
  readonly kind: string;
  readonly content: Buffer;
}

/**
 * Each picture has properties, and one picture is the primary one. Rotations are properties; the EXIF
 * orientation does not count here. Undefined if the boxes have no size. Throws `RangeError` for boxes that
 * end too early.
 */
function readHeif(view: Buffer): HeifFacts | undefined {
  const meta = find(boxesIn(view), 'meta')?.subarray(4);
  if (meta === undefined) return undefined;
  const boxes = [...boxesIn(meta)];
  const properties = find(boxes, 'iprp');
  const primary = find(boxes, 'pitm');
  if (properties === undefined || primary === undefined) return undefined;
  const item = primary[0] === 0 ? primary.readUInt16BE(4) : primary.readUInt32BE(4);
  const inside = [...boxesIn(properties)];
  const all = [...boxesIn(find(inside, 'ipco') ?? Buffer.alloc(0))];
  const own = associations(find(inside, 'ipma') ?? Buffer.alloc(0), item);
  const size = sizeBy(own.flatMap((index) => all[index - 1] ?? []));
  return size === undefined ? undefined : { ...size, notes: notesIn(view, boxes) };
}

/** Applies in order: the coded size, the cropped area, and quarter turns. Mirrors keep the size. */
function sizeBy(properties: readonly HeifBox[]): Pick<HeifFacts, 'width' | 'height'> | undefined {
  let [width, height] = [0, 0];
  for (const { kind, content } of properties) {
    if (kind === 'ispe') [width, height] = [content.readUInt32BE(4), content.readUInt32BE(8)];
    else if (kind === 'irot' && content.readUInt8(0) % 2 === 1) [width, height] = [height, width];
    else if (kind === 'clap') {
      const part = (at: number): number =>
        Math.round(content.readUInt32BE(at) / Math.max(1, content.readUInt32BE(at + 4)));
      [width, height] = [Math.min(width, part(0)), Math.min(height, part(8))];
    }
  }
  return width < 1 || height < 1 ? undefined : { width, height };
}

/** Numbers of an item's properties, from 1. */
function associations(table: Buffer, wanted: number): number[] {
  if (table.length < 8) return [];
  const [isLongItem, isLongIndex] = [(table[0] ?? 0) > 0, ((table[3] ?? 0) & 1) === 1];
  const count = Math.min(limits.tableEntries, table.readUInt32BE(4));
  let at = 8;
  for (let entry = 0; entry < count; entry++) {
    const item = isLongItem ? table.readUInt32BE(at) : table.readUInt16BE(at);
    at += isLongItem ? 4 : 2;
    const length = table.readUInt8(at);
    at += 1;
    const found: number[] = [];
    for (let index = 0; index < length; index++) {
      found.push(isLongIndex ? table.readUInt16BE(at) & 0x7fff : table.readUInt8(at) & 0x7f);
      at += isLongIndex ? 2 : 1;
    }
    if (item === wanted) return found;
  }
  return [];
}

/** EXIF and XMP are items of their own. */
function notesIn(view: Buffer, boxes: readonly HeifBox[]): (ImageNotes | undefined)[] {
  const kinds = itemKinds(find(boxes, 'iinf') ?? Buffer.alloc(0));
  const locations = find(boxes, 'iloc');
  if (kinds.size === 0 || locations === undefined) return [];
  try {
    return itemLocations(locations).flatMap(({ item, start, length }) => {
      const kind = kinds.get(item);
      const content = view.subarray(start, start + length);
      if (kind === 'mime') return [readXmp(content)];
      // The first four bytes are the offset of the TIFF header.
      return kind === 'Exif'
        ? [readExif(content.subarray(4 + content.readUInt32BE(0)))?.notes]
        : [];
    });
  } catch (error) {
    // A picture without its notes is still valid.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** Kinds of items that are EXIF or XMP. */
function itemKinds(table: Buffer): ReadonlyMap<number, string> {
  const kinds = new Map<number, string>();
  if (table.length < 8) return kinds;
  for (const { kind, content } of boxesIn(table.subarray(table[0] === 0 ? 6 : 8))) {
    const version = content[0] ?? 0;
    if (kind !== 'infe' || version < 2) continue;
    const isLong = version > 2;
    const at = isLong ? 10 : 8;
    if (content.length < at + 4) continue;
    const item = isLong ? content.readUInt32BE(4) : content.readUInt16BE(4);
    const own = content.toString('latin1', at, at + 4);
    const isXmp = own === 'mime' && content.includes('application/rdf+xml', at);
    if (own === 'Exif' || isXmp) kinds.set(item, own);
  }
  return kinds;
}

interface ItemLocation {
  readonly item: number;
  readonly start: number;
  readonly length: number;
}

/** Locations of items in the file; items in several pieces, or within the boxes, are left out. */
function itemLocations(table: Buffer): ItemLocation[] {
  const version = table.readUInt8(0);
  const sizes = table.readUInt16BE(4);
  const [ofOffset, ofLength, ofBase] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const ofIndex = version > 0 ? sizes & 15 : 0;
  let at = 6;
  const next = (bytes: number): number => {
    // No file is as large as eight bytes allow; the lower six of them count.
    const value =
      bytes === 0 ? 0 : table.readUIntBE(at + Math.max(0, bytes - 6), Math.min(6, bytes));
    at += bytes;
    return value;
  };
  const wide = version < 2 ? 2 : 4;
  const count = Math.min(limits.tableEntries, next(wide));
  const locations: ItemLocation[] = [];
  for (let index = 0; index < count; index++) {
    const item = next(wide);
    const method = version > 0 ? next(2) & 15 : 0;
    next(2);
    const base = next(ofBase);
    const pieces = Math.min(limits.tableEntries, next(2));
    for (let piece = 0; piece < pieces; piece++) {
      next(ofIndex);
      const start = base + next(ofOffset);
      const length = next(ofLength);
      if (pieces === 1 && method === 0) locations.push({ item, start, length });
    }
  }
  return locations;
}

function find(boxes: Iterable<HeifBox>, kind: string): Buffer | undefined {
  for (const box of boxes) if (box.kind === kind) return box.content;
  return undefined;
}

function* boxesIn(view: Buffer): Generator<HeifBox> {
  let at = 0;
  for (let part = 0; part < limits.tableEntries && at + 8 <= view.length; part++) {
    const kind = view.toString('latin1', at + 4, at + 8);
    let size = view.readUInt32BE(at);
    let head = 8;
    if (size === 1 && at + 16 <= view.length) {
      size = view.readUIntBE(at + 10, 6);
      head = 16;
    }
    // The last box may extend to the end.
    if (size === 0) size = view.length - at;
    if (size < head) return;
    yield { kind, content: view.subarray(at + head, at + size) };
    at += size;
  }
}

// The number of frames of an animated GIF (GIF89a, appendix B).

/** At least 1; for a truncated file, the frames that begin before its end. */
function countGifFrames(view: Buffer): number {
  let frames = 0;
  let at = 13 + colorBytes(view[10] ?? 0);
  while (at < view.length && frames < limits.gifFrames) {
    const kind = view[at];
    if (kind === 0x21) at = afterBlocks(view, at + 2);
    else if (kind === 0x2c) {
      frames += 1;
      at = afterBlocks(view, at + 11 + colorBytes(view[at + 9] ?? 0));
    } else break;
  }
  return Math.max(1, frames);
}

/** Bytes of a color table, if its flag is set. */
function colorBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Each block has its length; an empty one is the last. */
function afterBlocks(view: Buffer, from: number): number {
  let at = from;
  for (let size = view[at] ?? 0; size > 0; size = view[at] ?? 0) at += size + 1;
  return at + 1;
}
