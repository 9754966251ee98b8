/** PDFs that a test makes: objects by number, with a table that is true unless the test says otherwise. */
import { constants, deflateRawSync, deflateSync } from 'node:zlib';

/** What stands between `obj` and `endobj`. */
export type PdfObject = string | Uint8Array;

/** What is unusual about a file. */
export interface PdfShape {
  /** Before the signature. */
  readonly before?: string;
  /** In place of the table of objects and all that follows; told where the table would be. */
  readonly end?: (offset: number) => string;
  /** Further entries of the trailer. */
  readonly trailer?: string;
}

/** Objects from number 1; the first is the catalog. */
export function pdfOf(objects: readonly PdfObject[], shape: PdfShape = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  const offsets: number[] = [];
  let length = 0;
  const add = (part: PdfObject): void => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    parts.push(bytes);
    length += bytes.length;
  };
  add(`${shape.before ?? ''}%PDF-1.7\n`);
  const start = shape.before?.length ?? 0;
  for (const [at, object] of objects.entries()) {
    offsets.push(length - start);
    add(`${at + 1} 0 obj\n`);
    add(object);
    add('\nendobj\n');
  }
  const table = length - start;
  if (shape.end === undefined) {
    const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
    add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`);
    add(`trailer\n<</Size ${objects.length + 1}/Root 1 0 R${shape.trailer ?? ''}>>\n`);
    add(`startxref\n${table}\n%%EOF\n`);
  } else add(shape.end(table));
  return Buffer.concat(parts);
}

/** A stream; its length is true. */
export function streamOf(content: string | Uint8Array, entries = ''): Uint8Array {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
  return Buffer.concat([
    Buffer.from(`<<${entries}/Length ${bytes.length}>>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

/** A stream that is packed once, or packed in itself several times. */
export function packed(content: Uint8Array, times = 1, entries = ''): Uint8Array {
  let bytes = content;
  for (let at = 0; at < times; at += 1) bytes = deflateSync(bytes, { level: 9 });
  return streamOf(bytes, `/Filter[${'/FlateDecode'.repeat(times)}]${entries}`);
}

/** The objects of a file of one page: 1 catalog, 2 pages, 3 page, 4 content, 5 font; then those given. */
export function onePage(
  content: string | Uint8Array,
  others: readonly PdfObject[] = [],
  { page = '', catalog = '', fonts = '/F 5 0 R', resources = '' }: PageEntries = {},
): PdfObject[] {
  return [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<<${fonts}>>${resources}>>${page}>>`,
    typeof content === 'string' ? streamOf(content) : content,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...others,
  ];
}

/** Further entries of the objects of `onePage`. */
export interface PageEntries {
  readonly page?: string;
  readonly catalog?: string;
  readonly fonts?: string;
  readonly resources?: string;
}

/** Content that shows one line. */
export function shown(text: string): string {
  return `BT /F 12 Tf 20 200 Td (${text}) Tj ET`;
}

/** So many zeros (whole megabytes) as `FlateDecode` has them (RFC 1950): a thousandth of their size. */
export function zeros(count: number): Uint8Array {
  const block = 1024 * 1024;
  const one = deflateRawSync(Buffer.alloc(block), {
    level: 9,
    finishFlush: constants.Z_FULL_FLUSH,
  });
  const check = Buffer.alloc(4);
  check.writeUInt16BE(count % 65_521, 0);
  check.writeUInt16BE(1, 2);
  const blocks = Array.from({ length: count / block }, () => one);
  return Buffer.concat([Buffer.from('78da', 'hex'), ...blocks, Buffer.from('0300', 'hex'), check]);
}
