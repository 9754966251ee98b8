/** A response as an archive stores it, byte for byte as it came over the wire. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

/** A response that can be read. */
export interface HttpMessage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The body is larger than allowed when it is decompressed. */
export class BodyTooLarge extends Error {}

/** Reads a response; undefined when the bytes are none. */
export async function readHttpMessage(
  block: Buffer,
  maxBodyBytes: number,
): Promise<HttpMessage | undefined> {
  const end = block.indexOf('\r\n\r\n');
  const head = (end < 0 ? block : block.subarray(0, end)).toString('latin1');
  const [first = '', ...lines] = head.split('\r\n');
  const status = /^HTTP\/\S{1,9} (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) return undefined;
  const {
    'transfer-encoding': transfer = '',
    'content-encoding': coding = '',
    'content-length': _,
    ...headers
  } = headersOf(lines);
  const raw = end < 0 ? Buffer.alloc(0) : block.subarray(end + 4);
  const whole = /\bchunked\b/i.test(transfer) ? withoutChunks(raw) : raw;
  return { status: Number(status), headers, body: await decoded(whole, coding, maxBodyBytes) };
}

/** By lower-case name; lines that are no header are passed over. */
export function headersOf(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    if (name !== '') headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/** Many archives leave the header and undo the chunks: then the bytes are as they should be. */
function withoutChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const line = lineEnd < 0 || lineEnd - at > 100 ? '' : bytes.toString('latin1', at, lineEnd);
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(line)?.[1];
    if (size === undefined) return parts.length === 0 ? bytes : Buffer.concat(parts);
    const length = Number.parseInt(size, 16);
    if (length === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
} as const;

/** As with chunks: what cannot be decoded is taken to be decoded already. */
async function decoded(bytes: Buffer, coding: string, maxOutputLength: number): Promise<Buffer> {
  let body = bytes;
  for (const name of coding.toLowerCase().split(',').reverse().slice(0, 5)) {
    const decode = Object.entries(decoders).find(([key]) => key === name.trim())?.[1];
    if (decode === undefined) continue;
    const options = { maxOutputLength };
    try {
      body = await decode(body, options).catch((error: unknown) => {
        if (name.trim() !== 'deflate' || isTooLarge(error)) throw error;
        return promisify(inflateRaw)(body, options);
      });
    } catch (error) {
      if (isTooLarge(error)) throw new BodyTooLarge();
    }
  }
  return body;
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}
