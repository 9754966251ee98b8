/** A WARC file (ISO 28500), one of ours or of another tool: every length in it may be a lie. */
import type { ByteQueue } from './byte-queue.ts';
import { checkEngine, checkExchange } from './check-recording.ts';
import { CutRecording, DamagedRecording } from './damaged-recording.ts';
import { type HttpMessage, readHeaderLines, readHttpMessage } from './http-message.ts';
import { packBytes } from './recorded-bytes.ts';
import { recordedUrl } from './recorded-request.ts';
import { checkVersion } from './recording-format.ts';
import type { RecordingPart } from './recording-part.ts';
import { engineType, exchangeType } from './warc-format.ts';

/** Bytes of a line of a record's head, and lines of it. */
const longestLine = 65_536;
const mostLines = 200;
const lineFeed = 10;

interface WarcRecord {
  readonly number: number;
  /** Lower-case names. */
  readonly fields: Readonly<Record<string, string>>;
  readonly block: Buffer;
}

/** By digest: what came twice is often in an archive once. */
type Payloads = Map<string, HttpMessage>;

/**
 * The parts. A response that a record of ours completes is an exchange, any other is archived; what
 * else is in an archive is passed over.
 */
export async function* readWarc(queue: ByteQueue): AsyncGenerator<RecordingPart> {
  const payloads: Payloads = new Map();
  /** A response that the next record may complete. */
  let answer: WarcRecord | undefined;
  let isOurs = false;
  for (let number = 1; ; number += 1) {
    const [record, cut] = await orCut(readRecord(queue, number));
    const contentType = record?.fields['content-type'];
    if (record !== undefined && contentType === exchangeType) {
      yield await exchangeOf(record, answer);
      answer = undefined;
      continue;
    }
    if (answer !== undefined && !isOurs) yield* archived(answer, payloads);
    answer = undefined;
    if (cut !== undefined) throw cut;
    if (record === undefined) return;
    const type = record.fields['warc-type']?.toLowerCase();
    if (type === 'warcinfo') isOurs = checkInformation(record);
    else if (contentType === engineType) yield engineOf(record);
    else if (/^(?:response|resource|revisit)$/.test(type ?? '')) answer = record;
  }
}

async function readRecord(queue: ByteQueue, number: number): Promise<WarcRecord | undefined> {
  let line: string | undefined;
  // Two empty lines end a record; some tools write more or fewer.
  for (let empty = 0; empty < 10; empty += 1) {
    line = await readLine(queue, number);
    if (line !== '') break;
  }
  if (line === undefined) return undefined;
  if (!/^WARC\/\d\.\d+$/.test(line)) {
    const why = 'it is no web archive, or the length of the record before is wrong';
    throw new DamagedRecording(`has no beginning of record ${number} where it should be: ${why}`);
  }
  const lines: string[] = [];
  for (;;) {
    const next = await readLine(queue, number);
    if (next === undefined) throw new CutRecording(`breaks off in the head of record ${number}`);
    if (next === '') break;
    if (lines.push(next) > mostLines) {
      throw new DamagedRecording(
        `has more than ${mostLines} lines in the head of record ${number}`,
      );
    }
  }
  const fields = readHeaderLines(lines);
  const length = fields['content-length'] ?? '';
  if (!/^\d{1,15}$/.test(length)) {
    throw new DamagedRecording(`has no usable Content-Length in record ${number}`);
  }
  const block = await queue.take(Number(length));
  if (block.length < Number(length)) {
    throw new CutRecording(`breaks off in record ${number}, or the length of that is wrong`);
  }
  // A copy: the bytes around it are not to be kept with it.
  return { number, fields, block: Buffer.from(block) };
}

/** Without its end; undefined when there is nothing more. */
async function readLine(queue: ByteQueue, number: number): Promise<string | undefined> {
  const line = await queue.takeTo(lineFeed, longestLine);
  if (line === undefined) return undefined;
  if (line.at(-1) !== lineFeed)
    throw new CutRecording(`breaks off in the head of record ${number}`);
  return line.toString('utf8').replace(/\r?\n$/, '');
}

/** What breaks off waits until what is before it is read. */
async function orCut<T>(reading: Promise<T>): Promise<[T | undefined, CutRecording | undefined]> {
  try {
    return [await reading, undefined];
  } catch (error) {
    if (error instanceof CutRecording) return [undefined, error];
    throw error;
  }
}

/** True for a recording. */
function checkInformation({ block }: WarcRecord): boolean {
  const version = readHeaderLines(block.toString('utf8').split(/\r?\n/))['pagewright-recording'];
  if (version !== undefined) checkVersion(Number(version));
  return version !== undefined;
}

function engineOf({ block, number }: WarcRecord): RecordingPart {
  return { engine: checkEngine(json(block, number), `record ${number}`) };
}

async function exchangeOf(
  { block, number, fields }: WarcRecord,
  answer: WarcRecord | undefined,
): Promise<RecordingPart> {
  const where = `record ${number}`;
  const exchange = checkExchange(json(block, number), where);
  if (exchange.response === undefined) return { exchange };
  const isIts = answer?.fields['warc-record-id'] === fields['warc-concurrent-to'];
  const body = answer === undefined || !isIts ? undefined : bodyOf(answer);
  if (body === undefined) throw new DamagedRecording(`has no response to the exchange in ${where}`);
  return {
    exchange: { ...exchange, response: { ...exchange.response, body: await packBytes(body) } },
  };
}

function bodyOf({ fields, block }: WarcRecord): Buffer | undefined {
  return fields['warc-type'] === 'resource' ? block : readHttpMessage(block)?.body;
}

function* archived(record: WarcRecord, payloads: Payloads): Generator<RecordingPart> {
  const { fields, number } = record;
  // Some tools write the URL in angle brackets.
  const url = recordedUrl((fields['warc-target-uri'] ?? '').replace(/^<(.*)>$/, '$1'));
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return;
  const message = messageOf(record, payloads);
  if (message === undefined) {
    yield { warning: `The response of ${url} (record ${number}) cannot be read and is left out.` };
    return;
  }
  const digest = fields['warc-payload-digest'];
  if (digest !== undefined && message.body.length > 0) payloads.set(digest, message);
  yield { archived: { ...message, url } };
}

function messageOf({ fields, block }: WarcRecord, payloads: Payloads): HttpMessage | undefined {
  const type = fields['warc-type']?.toLowerCase();
  if (type === 'resource') {
    const contentType = fields['content-type'] ?? 'application/octet-stream';
    return { statusCode: 200, headers: { 'content-type': contentType }, body: block };
  }
  const message = readHttpMessage(block);
  if (type === 'response') return message;
  const first = payloads.get(fields['warc-payload-digest'] ?? '');
  return first === undefined ? undefined : { ...(message ?? first), body: first.body };
}

function json(block: Buffer, number: number): unknown {
  try {
    return JSON.parse(block.toString());
  } catch {
    throw new DamagedRecording(`has no JSON in record ${number}`);
  }
}
