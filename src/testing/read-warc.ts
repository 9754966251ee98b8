/** The parts of a recording in a web archive, one of ours or of another tool. */
import type { ByteQueue } from '../warc/byte-queue.ts';
import { CutFile, DamagedFile } from '../warc/damaged-file.ts';
import { type HttpMessage, readHeaderLines } from '../warc/http-message.ts';
import { readRecordHead, type RecordHead, responseIn } from '../warc/read-record.ts';
import { checkEngine, checkExchange } from './check-recording.ts';
import { packBytes } from './recorded-bytes.ts';
import { recordedUrl } from './recorded-request.ts';
import { checkVersion } from './recording-format.ts';
import type { RecordingPart } from './recording-part.ts';
import { engineType, exchangeType } from './warc-format.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

interface WarcRecord extends RecordHead {
  readonly number: number;
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
    if (record.type === 'warcinfo') isOurs = checkInformation(record);
    else if (contentType === engineType) yield engineOf(record);
    else if (/^(?:response|resource|revisit)$/.test(record.type)) answer = record;
  }
}

async function readRecord(queue: ByteQueue, number: number): Promise<WarcRecord | undefined> {
  const head = await readRecordHead(queue, number);
  if (head === undefined) return undefined;
  const block = await queue.take(head.length);
  if (block.length === head.length) return { ...head, number, block };
  throw new CutFile(`breaks off in record ${number}, or the length of that is wrong`);
}

/** What breaks off waits until what is before it is read. */
async function orCut<T>(reading: Promise<T>): Promise<[T | undefined, CutFile | undefined]> {
  try {
    return [await reading, undefined];
  } catch (error) {
    if (error instanceof CutFile) return [undefined, error];
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
  const body = answer === undefined || !isIts ? undefined : responseIn(answer, answer.block)?.body;
  if (body === undefined) throw new DamagedFile(`has no response to the exchange in ${where}`);
  return {
    exchange: { ...exchange, response: { ...exchange.response, body: await packBytes(body) } },
  };
}

function* archived(record: WarcRecord, payloads: Payloads): Generator<RecordingPart> {
  const { fields, number } = record;
  const url = recordedUrl(record.url);
  if (!/^https?:/i.test(url) || !canParseUrl(url)) return;
  const message = messageOf(record, payloads);
  if (message === undefined) {
    yield { warning: `The response of ${url} (record ${number}) cannot be read and is left out.` };
    return;
  }
  const digest = fields['warc-payload-digest'];
  if (digest !== undefined && message.body.length > 0) payloads.set(digest, message);
  yield { archived: { ...message, url } };
}

function messageOf(record: WarcRecord, payloads: Payloads): HttpMessage | undefined {
  const message = responseIn(record, record.block);
  if (record.type !== 'revisit') return message;
  const first = payloads.get(record.fields['warc-payload-digest'] ?? '');
  return first === undefined ? undefined : { ...(message ?? first), body: first.body };
}

function json(block: Buffer, number: number): unknown {
  try {
    return JSON.parse(block.toString());
  } catch {
    throw new DamagedFile(`has no JSON in record ${number}`);
  }
}
