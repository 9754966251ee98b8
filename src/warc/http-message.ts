/** An HTTP response as bytes, taken apart. */

/** One response. */
export interface HttpMessage {
  readonly statusCode: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent, but for the chunks. */
  readonly body: Buffer;
}

/** Bytes in which the head of a response, and that of a record, has to end. */
export const longestHead = 262_144;

/** Reads a response; undefined when it is none. */
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
  // Many tools undo the chunks and keep the header.
  const body = (isChunked ? joinChunks(payload) : undefined) ?? payload;
  return { statusCode: Number(code), headers, body };
}

/** Fields by lower-case name; repeated ones are joined with ", ", lines that are none passed over. */
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
 * Undoes chunked transfer coding (RFC 9112, 7.1); undefined for what does not begin with a whole
 * chunk. Of a body that was cut there is what came.
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
