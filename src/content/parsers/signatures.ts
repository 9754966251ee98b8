/** Detects binary formats by their first bytes. */
import { outlineOf } from './zip-directory.ts';

interface Signature {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly at: number;
}

/**
 * The media type of binary content, or undefined when no signature matches. `declared` decides among
 * the many formats that share one container: ZIP, OLE 2.
 */
export function sniffBinary(body: Uint8Array, declared: string | undefined): string | undefined {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 4096));
  const possible = byFirstByte.get(head[0]) ?? furtherIn;
  const found = possible.find(({ bytes, at }) => {
    const end = at + bytes.length;
    return head.length >= end && head.compare(bytes, 0, bytes.length, at, end) === 0;
  });
  if (found === undefined) return isBitmap(head) ? 'image/bmp' : undefined;
  // "GIF89a is a format …" is a text; a PDF may be all ASCII, and RTF always is.
  const isText = found.mediaType === pdf || found.mediaType === rtf;
  if (!isText && !hasBinaryBytes(head)) return undefined;
  if (found.mediaType === zip) return zipType(body, declared);
  if (found.mediaType === ole) return oleType(body, declared);
  if (found.mediaType === mp4)
    return brandType(head.toString('latin1', 8, 12), head.toString('latin1', 16, 64));
  return found.mediaType;
}

/** Many texts begin with "BM": in a bitmap, a header of one of these lengths follows. */
function isBitmap(head: Buffer): boolean {
  const isMarked = head.length >= 26 && head.toString('latin1', 0, 2) === 'BM';
  return isMarked && [12, 40, 52, 56, 64, 108, 124].includes(head.readUInt32LE(14));
}

/** True when the beginning has control characters that no text has (MIME Sniffing, 3: binary data byte). */
export function hasBinaryBytes(body: Uint8Array): boolean {
  const end = Math.min(body.length, 1445);
  // A loop: a callback per byte takes longer than the rest of the detection.
  for (let at = 0; at < end; at += 1) if (isBinaryByte(body[at] as number)) return true;
  return false;
}

/** True when one byte in twenty is such a control character; random data has one in nine. */
export function isMostlyBinary(body: Uint8Array): boolean {
  const head = body.subarray(0, 1445);
  return head.filter(isBinaryByte).length * 20 >= head.length;
}

function isBinaryByte(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1f && byte !== 0x1b);
}

const pdf = 'application/pdf';
const rtf = 'application/rtf';
const zip = 'application/zip';
const ole = 'application/x-ole-storage';
const mp4 = 'video/mp4';
const openXml = 'application/vnd.openxmlformats-officedocument';

const signatures: readonly Signature[] = [
  signature(pdf, '%PDF-'),
  signature(rtf, '{\\rtf'),
  signature(zip, 'PK\x03\x04'),
  signature(zip, 'PK\x05\x06'),
  signature('application/gzip', '\x1f\x8b\x08'),
  signature('image/png', '\x89PNG\r\n\x1a\n'),
  signature('image/jpeg', '\xff\xd8\xff'),
  signature('image/gif', 'GIF87a'),
  signature('image/gif', 'GIF89a'),
  signature('image/webp', 'WEBPVP', 8),
  signature('image/tiff', 'II*\0'),
  signature('image/tiff', 'MM\0*'),
  signature('image/x-icon', '\0\0\x01\0'),
  signature('image/vnd.adobe.photoshop', '8BPS\0'),
  signature('image/jxl', '\0\0\0\x0cJXL \r\n\x87\n'),
  signature(mp4, 'ftyp', 4),
  signature('video/webm', '\x1a\x45\xdf\xa3'),
  signature('video/x-flv', 'FLV\x01'),
  signature('video/x-msvideo', 'AVI LIST', 8),
  signature('audio/wav', 'WAVEfmt ', 8),
  signature('audio/mpeg', 'ID3\x02'),
  signature('audio/mpeg', 'ID3\x03'),
  signature('audio/mpeg', 'ID3\x04'),
  signature('audio/mpeg', '\xff\xfb'),
  signature('audio/aac', '\xff\xf1'),
  signature('audio/aac', '\xff\xf9'),
  signature('video/mpeg', '\0\0\x01\xba'),
  signature('application/ogg', 'OggS\0'),
  signature('audio/flac', 'fLaC\0'),
  signature('audio/midi', 'MThd\0'),
  signature('font/woff', 'wOFF\0\x01\0\0'),
  signature('font/woff', 'wOFFOTTO'),
  signature('font/woff2', 'wOF2\0\x01\0\0'),
  signature('font/woff2', 'wOF2OTTO'),
  signature('font/otf', 'OTTO\0'),
  signature('font/ttf', '\0\x01\0\0\0'),
  signature(ole, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
  signature('application/vnd.rar', 'Rar!\x1a\x07'),
  signature('application/x-7z-compressed', '7z\xbc\xaf\x27\x1c'),
  signature('application/x-xz', '\xfd7zXZ\0'),
  signature('application/zstd', '\x28\xb5\x2f\xfd'),
  signature('application/x-bzip2', 'BZh91AY&SY'),
  signature('application/vnd.ms-cab-compressed', 'MSCF\0\0\0\0'),
  signature('application/x-tar', 'ustar', 257),
  signature('application/wasm', '\0asm'),
  signature('application/vnd.sqlite3', 'SQLite format 3\0'),
  signature('application/x-elf', '\x7fELF'),
  signature('application/vnd.microsoft.portable-executable', 'MZ\x90\0'),
  signature('application/java-vm', '\xca\xfe\xba\xbe'),
];

/** Signatures that do not begin at the first byte. */
const furtherIn = signatures.filter(({ at }) => at > 0);

/** Signatures by the first byte of a body. No page begins with such a byte. */
const byFirstByte: ReadonlyMap<number | undefined, readonly Signature[]> = new Map(
  signatures
    .filter(({ at }) => at === 0)
    .map(({ bytes: [first] }) => [
      first,
      signatures.filter(({ bytes, at }) => at > 0 || bytes[0] === first),
    ]),
);

function signature(mediaType: string, bytes: string, at = 0): Signature {
  return { mediaType, bytes: Buffer.from(bytes, 'latin1'), at };
}

/** Formats that are ZIP files, by the content of their file `mimetype`. */
const mimetypes: readonly string[] = [
  'application/epub+zip',
  ...['text', 'spreadsheet', 'presentation'].map(
    (kind) => `application/vnd.oasis.opendocument.${kind}`,
  ),
];

/** Names of the main parts of files. */
const mainParts: readonly (readonly [name: string, mediaType: string])[] = [
  ['word/document.xml', `${openXml}.wordprocessingml.document`],
  ['ppt/presentation.xml', `${openXml}.presentationml.presentation`],
  ['xl/workbook.xml', `${openXml}.spreadsheetml.sheet`],
  ['xl/workbook.bin', 'application/vnd.ms-excel.sheet.binary.macroenabled.12'],
];

/** Folders of these parts, for programs that name the parts differently. */
const folders: readonly (readonly [folder: string, mediaType: string])[] = [
  ['word/', `${openXml}.wordprocessingml.document`],
  ['ppt/', `${openXml}.presentationml.presentation`],
  ['xl/', `${openXml}.spreadsheetml.sheet`],
];

/**
 * Matches whole names of entries: an archive may contain files of these formats, and then their names and
 * bytes are in it too.
 */
function zipType(body: Uint8Array, declared: string | undefined): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const { names, mimetype } = outlineOf(bytes);
  const declaredType = mimetypes.find((type) => mimetype.startsWith(type));
  if (declaredType !== undefined) return declaredType;
  // Wrongly packed books do not have their type at the start.
  if (names.has('meta-inf/container.xml')) return 'application/epub+zip';
  const isOpenXml = names.has('[content_types].xml') || names.has('_rels/.rels');
  const main = isOpenXml ? mainParts.find(([name]) => names.has(name)) : undefined;
  if (main !== undefined) return main[1];
  if (/officedocument|opendocument|\+zip$|java-archive|vnd\.android/.test(declared ?? '')) {
    return declared ?? zip;
  }
  const all = isOpenXml ? [...names] : [];
  return folders.find(([folder]) => all.some((name) => name.startsWith(folder)))?.[1] ?? zip;
}

/** Streams that distinguish the kinds of compound files. */
const streams: readonly (readonly [name: Buffer, mediaType: string])[] = [
  ['WordDocument', 'application/msword'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
].map(([name = '', mediaType = '']) => [Buffer.from(`${name}\0`, 'utf16le'), mediaType] as const);

const encrypted = Buffer.from('EncryptedPackage\0', 'utf16le');

function oleType(body: Uint8Array, declared: string | undefined): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const found = streams.find(([name]) => bytes.includes(name));
  if (found !== undefined) return found[1];
  const isOffice = /^application\/(?:msword|vnd\.(?:ms-|openxmlformats))/.test(declared ?? '');
  if (isOffice) return declared ?? ole;
  // Encrypted files of all kinds are alike; the DOCX reader reports the reason.
  return bytes.includes(encrypted) ? `${openXml}.wordprocessingml.document` : ole;
}

/** ISO base media files: the type by the brands in the `ftyp` box. */
function brandType(brand: string, others: string): string {
  // A general brand, which AVIF and HEIC share.
  if (/^(?:mif1|msf1)$/.test(brand) && /avi[fs]/.test(others)) return 'image/avif';
  if (/^avi[fs]$/.test(brand)) return 'image/avif';
  if (/^(?:hei[cxms]|hev[cxms]|mif1|msf1)$/.test(brand)) return 'image/heic';
  if (/^M4[AB] $/.test(brand)) return 'audio/mp4';
  return brand === 'qt  ' ? 'video/quicktime' : mp4;
}
