/** Records of a WARC file (ISO 28500), ours or of another tool: every length in it may be a lie. */
import type { ByteQueue } from './byte-queue.ts';
import { CutFile, DamagedFile } from './damaged-file.ts';
import { type HttpMessage, longestHead, readHeaderLines, readHttpMessage } from './http-message.ts';

/** Bytes of a line of a record's head, and lines of it. */
const longestLine = 65_536;
const mostLines = 200;
const lineFeed = 10;

/** What stands before the block of a record. */
export interface RecordHead {
  /** In lower case. */
  readonly type: string;
  /** As it is written, but for angle brackets; empty where there is none. */
  readonly url: string;
  /** Lower-case names. */
  readonly fields: Readonly<Record<string, string>>;
  /** Bytes of the block that should follow. */
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
    if (lines.push(line) > mostLines)
      throw new DamagedFile(`has more than ${mostLines} lines in ${where}`);
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

/** The response in a record of the type `response`, `resource` or `revisit`; undefined when it is none. */
export function responseIn({ type, fields }: RecordHead, block: Buffer): HttpMessage | undefined {
  if (type !== 'resource') return readHttpMessage(block);
  const contentType = fields['content-type'] ?? 'application/octet-stream';
  return { statusCode: 200, headers: { 'content-type': contentType }, body: block };
}

/** Without its end; undefined when there is nothing more. */
async function readLine(queue: ByteQueue, where: string): Promise<string | undefined> {
  const line = await queue.takeTo(lineFeed, longestLine);
  if (line === undefined) return undefined;
  if (line.at(-1) !== lineFeed) throw new CutFile(`breaks off in ${where}`);
  return line.toString('utf8').replace(/\r?\n$/, '');
}
