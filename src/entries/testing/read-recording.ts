/** Reads and checks a whole recording: JSON lines, WARC files of this library and of other tools. */
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import type { Capability } from '../../core/model/request.ts';
import { canParseUrl, isUrl } from '../../core/url/normalize-url.ts';
import { ByteQueue, CutFile, DamagedFile, fileBytes } from '../export/warc/byte-queue.ts';
import {
  type HttpMessage,
  readHeaderLines,
  readRecordHead,
  type RecordHead,
  responseIn,
} from '../export/warc/read-record.ts';
import { packBytes, type RecordedExchange, recordedUrl } from './recorded-exchange.ts';
import { checkVersion, engineType, exchangeType, type RecordedEngine } from './recording.ts';

/**
 * The parts in file order. Rejects with `STORAGE` for a file that is missing, damaged, of another
 * version, larger than allowed, or truncated without `acceptCut`. `acceptCut` serves the complete
 * parts of a truncated file. `maxBytes`: after unpacking.
 */
export async function* readRecording(
  path: string,
  acceptCut: boolean,
  maxBytes: number,
): AsyncGenerator<RecordingPart> {
  const bytes = fileBytes(path);
  try {
    const queue = new ByteQueue(bytes, maxBytes);
    const first = await queue.peek();
    if (first === undefined) throw new CutFile('is empty');
    if (first === '{'.charCodeAt(0)) yield* readJsonLines(queue);
    else yield* readWarc(queue);
  } catch (error) {
    if (!(error instanceof CutFile) || !acceptCut) throw unreadable(path, error);
    yield { warning: `The recording ${path} ${error.message}; what is before that is served.` };
  } finally {
    await bytes.return(undefined);
  }
}

function unreadable(path: string, error: unknown): PagewrightError {
  if (error instanceof PagewrightError) return error;
  const what = error instanceof DamagedFile ? `: it ${error.message}` : `: ${messageOf(error)}`;
  const remedy =
    error instanceof CutFile
      ? 'Record it again, or serve what is there with openReplay(path, { acceptCut: true }).'
      : 'Record it again.';
  return new PagewrightError('STORAGE', `The recording ${path} cannot be read${what}. ${remedy}`, {
    cause: error,
  });
}

// The parts of a recording, whatever its format.

/** One response of a web archive; a redirect is a response of its own. */
export interface ArchivedResponse extends HttpMessage {
  readonly url: string;
}

/** One part of a recording. */
type RecordingPart =
  | { readonly engine: RecordedEngine }
  | { readonly exchange: RecordedExchange }
  | { readonly archived: ArchivedResponse }
  | { readonly warning: string };

// A recording in JSON lines.

const longestLine = 256 * 1024 * 1024; // below the longest string
const lineFeed = 10;

/** The parts, line by line. */
async function* readJsonLines(queue: ByteQueue): AsyncGenerator<RecordingPart> {
  for (let number = 1; ; number += 1) {
    const line = await queue.takeTo(lineFeed, longestLine);
    if (line === undefined) return;
    if (line.at(-1) !== lineFeed) throw new CutFile(`breaks off in the middle of line ${number}`);
    const part = partOf(line, number);
    if (part !== undefined) yield part;
  }
}

function partOf(line: Buffer, number: number): RecordingPart | undefined {
  const value = parseLine(line, number);
  const where = `line ${number}`;
  if (number === 1) return checkHeader(value);
  if (typeof value !== 'object' || value === null || !('engine' in value)) {
    return { exchange: checkExchange(value, where) };
  }
  return { engine: checkEngine(value.engine, where) };
}

function checkHeader(value: unknown): undefined {
  const { pagewright, version } = Object(value) as Readonly<Record<string, unknown>>;
  if (pagewright !== 'recording') {
    throw new DamagedFile('does not begin with the line of a recording');
  }
  checkVersion(version);
}

function parseLine(line: Buffer, number: number): unknown {
  try {
    return JSON.parse(line.toString());
  } catch (error) {
    throw new DamagedFile(`has no JSON in line ${number} (${messageOf(error).slice(0, 100)})`);
  }
}

// The parts of a recording in a web archive, of this library or of another tool.

interface WarcRecord extends RecordHead {
  readonly number: number;
  readonly block: Buffer;
}

/** By digest: archives often store a repeated payload once. */
type Payloads = Map<string, HttpMessage>;

/**
 * The parts. A response with a metadata record of this library is an exchange, any other is archived;
 * other records are ignored.
 */
async function* readWarc(queue: ByteQueue): AsyncGenerator<RecordingPart> {
  const payloads: Payloads = new Map();
  /** A response that may have a metadata record after it. */
  let answer: WarcRecord | undefined;
  let isOurs = false;
  for (let number = 1; ; number += 1) {
    const [record, cut] = await orTruncated(readRecord(queue, number));
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

/** Returns the error of a truncated file, so that the part before it is read first. */
async function orTruncated<T>(reading: Promise<T>): Promise<[T | undefined, CutFile | undefined]> {
  try {
    return [await reading, undefined];
  } catch (error) {
    if (error instanceof CutFile) return [undefined, error];
    throw error;
  }
}

/** True for a recording of this library. */
function checkInformation({ block }: WarcRecord): boolean {
  const version = readHeaderLines(block.toString('utf8').split(/\r?\n/))['pagewright-recording'];
  if (version !== undefined) checkVersion(Number(version));
  return version !== undefined;
}

function engineOf({ block, number }: WarcRecord): RecordingPart {
  return { engine: checkEngine(jsonIn(block, number), `record ${number}`) };
}

async function exchangeOf(
  { block, number, fields }: WarcRecord,
  answer: WarcRecord | undefined,
): Promise<RecordingPart> {
  const where = `record ${number}`;
  const exchange = checkExchange(jsonIn(block, number), where);
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
  const message = httpMessageOf(record, payloads);
  if (message === undefined) {
    yield { warning: `The response of ${url} (record ${number}) cannot be read and is left out.` };
    return;
  }
  const digest = fields['warc-payload-digest'];
  if (digest !== undefined && message.body.length > 0) payloads.set(digest, message);
  yield { archived: { ...message, url } };
}

function httpMessageOf(record: WarcRecord, payloads: Payloads): HttpMessage | undefined {
  const message = responseIn(record, record.block);
  if (record.type !== 'revisit') return message;
  const first = payloads.get(record.fields['warc-payload-digest'] ?? '');
  return first === undefined ? undefined : { ...(message ?? first), body: first.body };
}

function jsonIn(block: Buffer, number: number): unknown {
  try {
    return JSON.parse(block.toString());
  } catch {
    throw new DamagedFile(`has no JSON in record ${number}`);
  }
}

// Checks that the values of a file are parts of a recording: files get damaged, and edited by hand.

type FieldChecks = Readonly<Record<string, unknown>>;

/** Returns an exchange; throws for other values. `where` is for the message. */
function checkExchange(value: unknown, where: string): RecordedExchange {
  const { request, response, failure, started } = fields(value);
  const isWhole =
    isRequest(fields(request)) &&
    (response === undefined ? isFailure(fields(failure)) : isResponse(fields(response))) &&
    isOptionalNumber(started);
  if (!isWhole) throw new DamagedFile(`has no exchange in ${where}`);
  return value as RecordedExchange;
}

/** Returns an engine; throws for other values. */
function checkEngine(value: unknown, where: string): RecordedEngine {
  const { name, can, cost, isForSome } = fields(value);
  const isEngine =
    typeof name === 'string' &&
    isStrings(can) &&
    typeof cost === 'number' &&
    typeof isForSome === 'boolean';
  if (!isEngine) throw new DamagedFile(`has no engine in ${where}`);
  return { name, can: can as Capability[], cost, isForSome };
}

function isRequest({ engine, url, headers, rendering }: FieldChecks): boolean {
  return typeof engine === 'string' && isUrl(url) && isRecord(headers) && isObject(rendering);
}

function isResponse(response: FieldChecks): boolean {
  const { url, statusCode, headers, redirects, warnings, requests, bytes, engine } = response;
  return (
    isUrl(url) &&
    [statusCode, requests, bytes].every((number) => Number.isInteger(number)) &&
    isRecord(headers) &&
    [redirects, warnings].every(isStrings) &&
    typeof engine === 'string' &&
    isBytes(response['body']) &&
    areCaptures(response['captures'])
  );
}

function isBytes(body: unknown): boolean {
  const { base64, deflate } = fields(body);
  return [body, base64, deflate].some((packed) => typeof packed === 'string');
}

function areCaptures(captures: unknown): boolean {
  if (captures === undefined) return true;
  const { screenshot, actions } = fields(captures);
  const isPicture = (picture: unknown): boolean => typeof fields(picture)['base64'] === 'string';
  const { screenshots, pdfs } = fields(actions);
  return (
    (screenshot === undefined || isPicture(screenshot)) &&
    (actions === undefined ||
      [screenshots, pdfs].every((list) => Array.isArray(list) && list.every(isPicture)))
  );
}

function isFailure({ name, message, own }: FieldChecks): boolean {
  const isOwn = own === undefined || typeof fields(own)['code'] === 'string';
  return typeof name === 'string' && typeof message === 'string' && isOwn;
}

function fields(value: unknown): FieldChecks {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is FieldChecks {
  return typeof value === 'object' && value !== null;
}

function isRecord(value: unknown): boolean {
  return isObject(value) && isStrings(Object.values(value));
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isOptionalNumber(value: unknown): boolean {
  return value === undefined || typeof value === 'number';
}
