/** Reads the records of a WARC file (ISO 28500) and the HTTP messages in them: every length in it may be wrong. */
import { type ByteQueue, CutFile, DamagedFile } from './byte-queue.ts';

const limits = {
  longestLine: 65_536, // bytes of a line of a record's head
  lines: 200, // of the head
};

const lineFeed = 10;

/** The head of a record, before its block. */
export interface RecordHead {
  /** In lower case. */
  readonly type: string;
  /** As written, without angle brackets; empty if there is none. */
  readonly url: string;
  /** Lower-case names. */
  readonly fields: Readonly<Record<string, string>>;
  /** The declared length of the block in bytes. */
  readonly length: number;
}

/**
 * Takes the head of the next record, `number` of the file from 1; the block has to be taken before
 * the next head. Undefined at the end. Rejects with `DamagedFile`, `CutFile`.
 */
export async function readRecordHead(
  queue: ByteQueue,
  number: number,
): Promise<RecordHead | undefined> {
  const where = `the head of record ${number}`;
  let line: string | undefined = '';
  // Two empty lines end a record; some tools write more or fewer.
  for (let empty = 0; line === '' && empty < 10; empty += 1) line = await readLine(queue, where);
  if (line === undefined) return undefined;
  if (!/^WARC\/\d\.\d+$/.test(line)) {
    const why = 'it is no web archive, or the length of the record before is wrong';
    throw new DamagedFile(`has no beginning of record ${number} where it should be: ${why}`);
  }
  const lines: string[] = [];
  for (let bytes = 0; (line = await readLine(queue, where)) !== ''; bytes += line.length) {
    if (line === undefined) throw new CutFile(`breaks off in ${where}`);
    if (lines.push(line) > limits.lines)
      throw new DamagedFile(`has more than ${limits.lines} lines in ${where}`);
    if (bytes > longestHead)
      throw new DamagedFile(`has more than ${longestHead} bytes in ${where}`);
  }
  const fields = readHeaderLines(lines);
  const length = fields['content-length'] ?? '';
  if (!/^\d{1,15}$/.test(length)) {
    throw new DamagedFile(`has no usable Content-Length in record ${number}`);
  }
  const type = (fields['warc-type'] ?? '').toLowerCase();
  // Some tools write the URL in angle brackets, as the grammar of WARC 1.0 had it.
  const url = (fields['warc-target-uri'] ?? '').replace(/^<(.*)>$/, '$1');
  return { type, url, fields, length: Number(length) };
}

/** The response in a `response`, `resource` or `revisit` record; undefined if the block is not HTTP. */
export function responseIn({ type, fields }: RecordHead, block: Buffer): HttpMessage | undefined {
  if (type !== 'resource') return readHttpMessage(block);
  const contentType = fields['content-type'] ?? 'application/octet-stream';
  return { statusCode: 200, headers: { 'content-type': contentType }, body: block };
}

/** A line without its line end; undefined at the end of the file. */
async function readLine(queue: ByteQueue, where: string): Promise<string | undefined> {
  const line = await queue.takeTo(lineFeed, limits.longestLine);
  if (line === undefined) return undefined;
  if (line.at(-1) !== lineFeed) throw new CutFile(`breaks off in ${where}`);
  return line.toString('utf8').replace(/\r?\n$/, '');
}

// Parses an HTTP response.

/** One response. */
export interface HttpMessage {
  readonly statusCode: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** As sent, without the chunked coding. */
  readonly body: Buffer;
}

/** Most bytes of the head of a response, and of a record. */
export const longestHead = 262_144;

/** Reads a response; undefined if the bytes are not an HTTP response. */
export function readHttpMessage(bytes: Buffer): HttpMessage | undefined {
  const start = bytes.subarray(0, longestHead).toString('latin1');
  const end = /\r?\n\r?\n/.exec(start);
  const headLength = end === null ? bytes.length : end.index + end[0].length;
  if (headLength > longestHead) return undefined;
  const [statusLine = '', ...lines] = start.slice(0, end?.index).split(/\r?\n/);
  const [, code] = /^HTTP\/\d(?:\.\d)?[ \t]+(\d{3})\b/i.exec(statusLine) ?? [];
  if (code === undefined) return undefined;
  const headers = readHeaderLines(lines);
  const payload = bytes.subarray(headLength);
  const isChunked = /\bchunked\b/i.test(headers['transfer-encoding'] ?? '');
  // Many tools undo the chunked coding and leave the header.
  const body = (isChunked ? joinChunks(payload) : undefined) ?? payload;
  return { statusCode: Number(code), headers, body };
}

/** Fields by lower-case name; repeated ones are joined with ", ", malformed lines are skipped. */
export function readHeaderLines(lines: readonly string[]): Readonly<Record<string, string>> {
  const fields = new Map<string, string>();
  let last = '';
  for (const line of lines) {
    const isFolded = /^[ \t]/.test(line);
    const colon = line.indexOf(':');
    if (!isFolded && colon > 0) last = line.slice(0, colon).trim().toLowerCase();
    if (last === '' || (!isFolded && colon <= 0)) continue;
    const before = fields.get(last);
    const value = line.slice(isFolded ? 0 : colon + 1).trim();
    fields.set(last, before === undefined ? value : `${before}${isFolded ? ' ' : ', '}${value}`);
  }
  return Object.fromEntries(fields);
}

/**
 * Undoes chunked transfer coding (RFC 9112, 7.1); undefined for bytes that do not begin with a whole
 * chunk. A truncated body is returned as far as it goes.
 */
function joinChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf('\n', at);
    const line = end < 0 ? '' : bytes.toString('latin1', at, Math.min(end, at + 100));
    const [, digits] = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?\r?$/i.exec(line) ?? [];
    const length = digits === undefined ? 0 : parseInt(digits, 16);
    const isWhole = digits !== undefined && end + 1 + length <= bytes.length;
    if (!isWhole && chunks.length === 0) return undefined;
    if (length > 0) chunks.push(bytes.subarray(end + 1, end + 1 + length));
    if (!isWhole || length === 0) return Buffer.concat(chunks);
    at = end + 1 + length;
    if (bytes[at] === 13) at += 1;
    if (bytes[at] === 10) at += 1;
  }
}
