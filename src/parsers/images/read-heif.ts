/** HEIC and AVIF (ISO 23008-12, in the boxes of ISO 14496-12): the size as shown, EXIF and XMP. */
import type { PictureNotes } from './picture.ts';
import { readExif } from './read-exif.ts';
import { readXmp } from './read-notes.ts';

/** What the boxes say of the picture that is shown. */
export interface HeifFacts {
  readonly width: number;
  readonly height: number;
  readonly notes: readonly (PictureNotes | undefined)[];
}

/** A box: its kind, and what is in it. */
interface Box {
  readonly kind: string;
  readonly content: Buffer;
}

/** Boxes, items and properties of one list; a photograph of 100 tiles has 110. */
const most = 4_000;

/**
 * Each picture has properties, and one picture is the primary one. Turns are properties; what EXIF says
 * of them does not count here. Undefined where the boxes do not say a size. Throws `RangeError` for
 * boxes that end too early.
 */
export function readHeif(view: Buffer): HeifFacts | undefined {
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

/** In their order: the size as coded, what is cut off, and quarter turns. Mirrors keep the size. */
function sizeBy(properties: readonly Box[]): Pick<HeifFacts, 'width' | 'height'> | undefined {
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

/** Numbers of the properties of an item, from 1. */
function associations(table: Buffer, wanted: number): number[] {
  if (table.length < 8) return [];
  const [isLongItem, isLongIndex] = [(table[0] ?? 0) > 0, ((table[3] ?? 0) & 1) === 1];
  const count = Math.min(most, table.readUInt32BE(4));
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
function notesIn(view: Buffer, boxes: readonly Box[]): (PictureNotes | undefined)[] {
  const kinds = itemKinds(find(boxes, 'iinf') ?? Buffer.alloc(0));
  const locations = find(boxes, 'iloc');
  if (kinds.size === 0 || locations === undefined) return [];
  try {
    return itemPlaces(locations).flatMap(({ item, start, length }) => {
      const kind = kinds.get(item);
      const content = view.subarray(start, start + length);
      if (kind === 'mime') return [readXmp(content)];
      // The first four bytes say how far it is to the header of TIFF.
      return kind === 'Exif'
        ? [readExif(content.subarray(4 + content.readUInt32BE(0)))?.notes]
        : [];
    });
  } catch (error) {
    // A picture without its notes is still one.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** Of items that are EXIF or XMP. */
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

interface ItemPlace {
  readonly item: number;
  readonly start: number;
  readonly length: number;
}

/** Where items are in the file; those in several pieces, or within the boxes, are left out. */
function itemPlaces(table: Buffer): ItemPlace[] {
  const version = table.readUInt8(0);
  const sizes = table.readUInt16BE(4);
  const [ofOffset, ofLength, ofBase] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const ofIndex = version > 0 ? sizes & 15 : 0;
  let at = 6;
  const next = (bytes: number): number => {
    // Eight bytes are more than any file has; the lower six of them count.
    const value =
      bytes === 0 ? 0 : table.readUIntBE(at + Math.max(0, bytes - 6), Math.min(6, bytes));
    at += bytes;
    return value;
  };
  const wide = version < 2 ? 2 : 4;
  const count = Math.min(most, next(wide));
  const places: ItemPlace[] = [];
  for (let index = 0; index < count; index++) {
    const item = next(wide);
    const method = version > 0 ? next(2) & 15 : 0;
    next(2);
    const base = next(ofBase);
    const pieces = Math.min(most, next(2));
    for (let piece = 0; piece < pieces; piece++) {
      next(ofIndex);
      const start = base + next(ofOffset);
      const length = next(ofLength);
      if (pieces === 1 && method === 0) places.push({ item, start, length });
    }
  }
  return places;
}

function find(boxes: Iterable<Box>, kind: string): Buffer | undefined {
  for (const box of boxes) if (box.kind === kind) return box.content;
  return undefined;
}

function* boxesIn(view: Buffer): Generator<Box> {
  let at = 0;
  for (let part = 0; part < most && at + 8 <= view.length; part++) {
    const kind = view.toString('latin1', at + 4, at + 8);
    let size = view.readUInt32BE(at);
    let head = 8;
    if (size === 1 && at + 16 <= view.length) {
      size = view.readUIntBE(at + 10, 6);
      head = 16;
    }
    // The last one may go on to the end.
    if (size === 0) size = view.length - at;
    if (size < head) return;
    yield { kind, content: view.subarray(at + head, at + size) };
    at += size;
  }
}
