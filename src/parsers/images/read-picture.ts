/** Sizes and notes from the heads of image files. No pixel is decoded. */
import { inflateSync } from 'node:zlib';
import { mergeNotes, looseText, type Picture, type PictureNotes } from './picture.ts';
import { countGifFrames } from './count-frames.ts';
import { readExif } from './read-exif.ts';
import { type HeifFacts, readHeif } from './read-heif.ts';
import { readIptc, readXmp } from './read-notes.ts';

/** Parts of a file that are looked at: chunks, segments. */
const partLimit = 2_000;

type ReadPicture = (view: Buffer) => Picture | undefined;

/** By media type; what a reader gives nothing for is damaged. */
const readers: Readonly<Record<string, ReadPicture>> = {
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
export function readPicture(mediaType: string, body: Uint8Array): Picture | undefined {
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
  notes: readonly (PictureNotes | undefined)[] = [],
  frames = 1,
): Picture | undefined {
  if (width < 1 || height < 1) return undefined;
  return { width, height, frames, notes: mergeNotes(...notes) };
}

/** PNG (third edition): the size in the first chunk, texts in chunks of their own. */
function readPng(view: Buffer): Picture | undefined {
  if (view.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  const [width, height] = [view.readUInt32BE(16), view.readUInt32BE(20)];
  // The format's own limit.
  if (width > 0x7fffffff || height > 0x7fffffff) return undefined;
  let frames = 1;
  const texts: Record<string, string> = {};
  const found: (PictureNotes | undefined)[] = [];
  let at = 8;
  for (let part = 0; part < partLimit && at + 12 <= view.length; part++) {
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

/** Bytes that a compressed text may have. */
const inflatedLimit = 100_000;

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
    // A longer one is no caption.
    return [key, inflateSync(value, { maxOutputLength: inflatedLimit })];
  } catch {
    return [key, Buffer.alloc(0)];
  }
}

/** JPEG (ISO 10918-1, B.1): segments until the picture itself begins. */
function readJpeg(view: Buffer): Picture | undefined {
  const notes: Partial<Record<'xmp' | 'iptc' | 'exif' | 'comment', PictureNotes | undefined>> = {};
  let [width, height] = [0, 0];
  let isTurned = false;
  let at = 2;
  for (let part = 0; part < partLimit && at + 4 <= view.length; part++) {
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

const xmpMark = 'http://ns.adobe.com/xap/1.0/';

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Encoders leave their own name there. */
function commentOf(content: Buffer): PictureNotes | undefined {
  const text = looseText(content);
  return /^(?:CREATOR|Lavc|LEAD|AppleMark|File written|Optimized|Compressed)|jpeg/i.test(text)
    ? undefined
    : { description: text };
}

/** WebP (RFC 9649): the size of the canvas, else of the one frame. */
function readWebp(view: Buffer): Picture | undefined {
  let [width, height, frames] = [0, 0, 0];
  const found: (PictureNotes | undefined)[] = [];
  let at = 12;
  for (let part = 0; part < partLimit && at + 8 <= view.length; part++) {
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

/** Bytes in which AVIF and HEIC keep their properties. */
const boxLimit = 262_144;

/** By its boxes; where they are damaged, the largest of the sizes named: others are of tiles and thumbnails. */
function readBoxed(view: Buffer): Picture | undefined {
  const facts = heifFacts(view);
  if (facts !== undefined) return sized(facts.width, facts.height, facts.notes);
  const head = view.subarray(0, boxLimit);
  let [width, height] = [0, 0];
  let at = head.indexOf('ispe');
  for (let part = 0; part < partLimit && at >= 0; part++) {
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
function readBitmap(view: Buffer): Picture | undefined {
  if (view.toString('latin1', 0, 2) !== 'BM') return undefined;
  if (view.readUInt32LE(14) === 12) return sized(view.readUInt16LE(18), view.readUInt16LE(20));
  // Rows from the top have a negative height.
  return sized(view.readInt32LE(18), Math.abs(view.readInt32LE(22)));
}

function readTiff(view: Buffer): Picture | undefined {
  const { width = 0, height = 0, notes, isTurned = false } = readExif(view) ?? {};
  return isTurned ? sized(height, width, [notes]) : sized(width, height, [notes]);
}
