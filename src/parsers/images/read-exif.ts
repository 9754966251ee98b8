/** EXIF and TIFF: the first directory, and the one for photographs below it. */
import { looseText, type PictureNotes } from './picture.ts';

/** What the directories say. */
export interface ExifFacts {
  readonly notes: PictureNotes;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** True when the picture is shown on its side. */
  readonly isTurned: boolean;
}

/** A camera writes 60 entries at most. */
const entryLimit = 300;
const valueLimit = 65_536;

/** `bytes` begin with the header of TIFF; what points out of them, or to nothing, is left out. */
export function readExif(bytes: Uint8Array): ExifFacts | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const mark = view.toString('latin1', 0, 2);
  if (view.length < 8 || (mark !== 'II' && mark !== 'MM')) return undefined;
  const tags = new Map<number, Buffer | number>();
  const isLittle = mark === 'II';
  const first = uint32(view, 4, isLittle);
  readDirectory(view, first, isLittle, tags);
  const photo = tags.get(0x8769);
  // One level: a directory that names itself would never end.
  if (typeof photo === 'number') readDirectory(view, photo, isLittle, tags);
  const text = (tag: number): string | undefined => {
    const value = tags.get(tag);
    return value instanceof Buffer ? looseText(value).trim() || undefined : undefined;
  };
  const wide = (tag: number): string | undefined => {
    const value = tags.get(tag);
    return value instanceof Buffer ? value.toString('utf16le').replace(/\0.*$/s, '') : undefined;
  };
  const number = (tag: number): number | undefined => {
    const value = tags.get(tag);
    return typeof value === 'number' ? value : undefined;
  };
  const [make = '', model = ''] = [text(0x010f), text(0x0110)];
  const taken = text(0x9003)?.replace(/^(\d{4}):(\d\d):(\d\d)/, '$1-$2-$3');
  return {
    notes: {
      title: wide(0x9c9b),
      description: text(0x010e) ?? wide(0x9c9f) ?? wide(0x9c9c),
      author: text(0x013b) ?? wide(0x9c9d),
      copyright: text(0x8298),
      keywords: wide(0x9c9e),
      taken,
      camera: (model.startsWith(make) ? model : `${make} ${model}`).trim() || undefined,
    },
    width: number(0x0100),
    height: number(0x0101),
    isTurned: (number(0x0112) ?? 1) >= 5,
  };
}

/** Numbers of one value, and the bytes of texts. */
function readDirectory(
  view: Buffer,
  at: number,
  isLittle: boolean,
  tags: Map<number, Buffer | number>,
): void {
  if (at < 8 || at + 2 > view.length) return;
  const count = Math.min(uint16(view, at, isLittle), entryLimit);
  for (let index = 0; index < count; index++) {
    const entry = at + 2 + index * 12;
    if (entry + 12 > view.length) return;
    const tag = uint16(view, entry, isLittle);
    const type = uint16(view, entry + 2, isLittle);
    const length = uint32(view, entry + 4, isLittle);
    if (tags.has(tag)) continue;
    if (type === 3 && length === 1) tags.set(tag, uint16(view, entry + 8, isLittle));
    else if (type === 4 && length === 1) tags.set(tag, uint32(view, entry + 8, isLittle));
    else if ((type === 1 || type === 2 || type === 7) && length <= valueLimit) {
      const start = length <= 4 ? entry + 8 : uint32(view, entry + 8, isLittle);
      if (start + length <= view.length) tags.set(tag, view.subarray(start, start + length));
    }
  }
}

function uint16(view: Buffer, at: number, isLittle: boolean): number {
  return isLittle ? view.readUInt16LE(at) : view.readUInt16BE(at);
}

function uint32(view: Buffer, at: number, isLittle: boolean): number {
  return isLittle ? view.readUInt32LE(at) : view.readUInt32BE(at);
}
