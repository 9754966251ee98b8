/** Reads metadata in image files: EXIF, XMP and IPTC, as one set of notes. */
import { readXml, trimmedXmlText, xmlChildren, type XmlElement } from '../../content/html/xml.ts';

const limits = {
  noteLength: 5_000, // characters
  entries: 300, // a camera writes at most 60
  valueBytes: 65_536,
  packet: 500_000, // characters; most of a large XMP packet is the history of an editing program
  nodes: 50_000,
};

/** Facts of an image. Texts are plain. */
export interface ImageHead {
  /** Pixels, as displayed: swapped for a rotated photograph. */
  readonly width: number;
  readonly height: number;
  /** Frames of an animation; at most 1 for a still picture. */
  readonly frames?: number;
  readonly notes: ImageNotes;
}

/** Notes of people in the file. */
export interface ImageNotes {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly author?: string | undefined;
  readonly copyright?: string | undefined;
  readonly keywords?: string | undefined;
  /** Date taken, as written. */
  readonly taken?: string | undefined;
  readonly camera?: string | undefined;
}

/** Merges field by field: the first value that is not empty counts. */
export function mergeNotes(...all: readonly (ImageNotes | undefined)[]): ImageNotes {
  const merged: Record<string, string> = {};
  for (const notes of all) {
    for (const [name, value] of Object.entries(
      (notes ?? {}) as Record<string, string | undefined>,
    )) {
      const text = value
        ?.replace(/[\0-\x08\x0b-\x1f]/g, ' ')
        .trim()
        .slice(0, limits.noteLength);
      if (text) merged[name] ??= text;
    }
  }
  return merged;
}

/** Decodes UTF-8 if valid, else Latin-1: formats that claim ASCII hold both. */
export function looseText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const text = Buffer.from(end < 0 ? bytes : bytes.subarray(0, end));
  const utf8 = text.toString('utf8');
  return utf8.includes('\ufffd') ? text.toString('latin1') : utf8;
}

// EXIF and TIFF: the first directory, and the EXIF directory below it.

/** Values of the directories. */
export interface ExifFacts {
  readonly notes: ImageNotes;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** True if the picture is displayed rotated by 90 degrees. */
  readonly isTurned: boolean;
}

/** `bytes` begin with the TIFF header; offsets outside of them, or to nothing, are ignored. */
export function readExif(bytes: Uint8Array): ExifFacts | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const mark = view.toString('latin1', 0, 2);
  if (view.length < 8 || (mark !== 'II' && mark !== 'MM')) return undefined;
  const tags = new Map<number, Buffer | number>();
  const isLittle = mark === 'II';
  const first = uint32(view, 4, isLittle);
  readDirectory(view, first, isLittle, tags);
  const photo = tags.get(0x8769);
  // Only one level: a directory that refers to itself would never end.
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

/** Reads tags with a single number, and the bytes of texts. */
function readDirectory(
  view: Buffer,
  at: number,
  isLittle: boolean,
  tags: Map<number, Buffer | number>,
): void {
  if (at < 8 || at + 2 > view.length) return;
  const count = Math.min(uint16(view, at, isLittle), limits.entries);
  for (let index = 0; index < count; index++) {
    const entry = at + 2 + index * 12;
    if (entry + 12 > view.length) return;
    const tag = uint16(view, entry, isLittle);
    const type = uint16(view, entry + 2, isLittle);
    const length = uint32(view, entry + 4, isLittle);
    if (tags.has(tag)) continue;
    if (type === 3 && length === 1) tags.set(tag, uint16(view, entry + 8, isLittle));
    else if (type === 4 && length === 1) tags.set(tag, uint32(view, entry + 8, isLittle));
    else if ((type === 1 || type === 2 || type === 7) && length <= limits.valueBytes) {
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

// XMP packets and IPTC records: the notes of photographers and agencies in pictures.

const prefixes: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
]);

/** The Dublin Core part of an XMP packet. */
export function readXmp(bytes: Uint8Array): ImageNotes | undefined {
  const packet = Buffer.from(bytes.subarray(0, limits.packet)).toString('utf8');
  let root: XmlElement | undefined;
  try {
    ({ root } = readXml(packet.slice(packet.indexOf('<')), {
      nodes: limits.nodes,
      prefixes,
    }));
  } catch {
    // Too many elements: the picture is still valid.
    return undefined;
  }
  if (root === undefined) return undefined;
  const [rdf = root] = xmlChildren(root, 'rdf:RDF');
  const about = xmlChildren(rdf, 'rdf:Description');
  const values = (name: string): string[] =>
    about.flatMap((description) =>
      xmlChildren(description, name).flatMap((element) => listed(element).map(trimmedXmlText)),
    );
  const first = (name: string): string | undefined => values(name).find(Boolean);
  return {
    title: first('dc:title'),
    description: first('dc:description'),
    author: values('dc:creator').join(', '),
    copyright: first('dc:rights'),
    keywords: values('dc:subject').join(', '),
  };
}

/** The items of a list, or the element itself. */
function listed(element: XmlElement): XmlElement[] {
  const items = xmlChildren(element, 'rdf:Alt', 'rdf:Seq', 'rdf:Bag').flatMap((list) =>
    xmlChildren(list, 'rdf:li'),
  );
  return items.length === 0 ? [element] : items;
}

/** The IPTC record in the Photoshop resources of a JPEG's APP13. */
export function readIptc(segment: Uint8Array): ImageNotes | undefined {
  const view = Buffer.from(segment.buffer, segment.byteOffset, segment.length);
  if (view.toString('latin1', 0, 14) !== 'Photoshop 3.0\0') return undefined;
  for (let at = 14; at + 12 <= view.length && view.toString('latin1', at, at + 4) === '8BIM';) {
    const kind = view.readUInt16BE(at + 4);
    const nameLength = view.readUInt8(at + 6) + 1;
    const start = at + 6 + nameLength + (nameLength % 2);
    if (start + 4 > view.length) return undefined;
    const size = view.readUInt32BE(start);
    const content = view.subarray(start + 4, start + 4 + size);
    if (kind === 0x0404) return readRecords(content);
    at = start + 4 + size + (size % 2);
  }
  return undefined;
}

function readRecords(view: Buffer): ImageNotes {
  const values = new Map<number, string[]>();
  for (let at = 0; at + 5 <= view.length && view[at] === 0x1c;) {
    const size = view.readUInt16BE(at + 3);
    // A size with the highest bit set takes more bytes: no wanted value is as long.
    if (size > 0x7fff) break;
    const kind = view[at + 2] ?? 0;
    const value = looseText(view.subarray(at + 5, at + 5 + size));
    if (view[at + 1] === 2) values.set(kind, [...(values.get(kind) ?? []), value].slice(0, 100));
    at += 5 + size;
  }
  const joined = (kind: number): string | undefined => values.get(kind)?.join(', ');
  return {
    title: joined(5) ?? joined(105),
    description: joined(120),
    author: joined(80),
    copyright: joined(116),
    keywords: joined(25),
  };
}
