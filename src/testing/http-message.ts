/** An HTTP response as bytes, taken apart. */

/** One response. */
export interface HttpMessage {
  readonly statusCode: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent, but for the chunks. */
  readonly body: Buffer;
}

/** Bytes in which the head has to end. */
const longestHead = 262_144;

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

/** Fields by lower-case name; repeated ones are joined with ", ". */
export function readHeaderLines(lines: readonly string[]): Readonly<Record<string, string>> {
  const fields = new Map<string, string>();
  let last = '';
  for (const line of lines) {
    if (/^[ \t]/.test(line)) {
      fields.set(last, `${fields.get(last) ?? ''} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    last = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = fields.get(last);
    fields.set(last, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(fields);
}

/** Undoes chunked transfer coding (RFC 9112, 7.1); undefined for what is not in chunks. */
function joinChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\n', at);
    const line = end < 0 ? '' : bytes.toString('latin1', at, Math.min(end, at + 100));
    const [, size] = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?\r?$/i.exec(line) ?? [];
    if (size === undefined) return undefined;
    const length = parseInt(size, 16);
    if (length === 0) return Buffer.concat(chunks);
    if (end + 1 + length > bytes.length) return undefined;
    chunks.push(bytes.subarray(end + 1, end + 1 + length));
    at = end + 1 + length;
    if (bytes[at] === 13) at += 1;
    if (bytes[at] === 10) at += 1;
  }
  return undefined;
}
