/** Reads a recording whole, whichever of its formats it has; WARC files of other tools too. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { messageOf, PagewrightError } from '../errors.ts';
import { ByteQueue } from './byte-queue.ts';
import { CutRecording, DamagedRecording } from './damaged-recording.ts';
import { readJsonLines } from './read-json-lines.ts';
import { readWarc } from './read-warc.ts';
import type { RecordingPart } from './recording-part.ts';

/** How much is read. */
export interface ReadingLimits {
  /** Serve what is before the place where the file breaks off. */
  readonly acceptCut: boolean;
  /** Bytes, after unpacking. */
  readonly maxBytes: number;
}

/**
 * The parts in their order. Rejects with `STORAGE` for a file that is missing, damaged, of another
 * version, larger than allowed, or that breaks off where that is not accepted.
 */
export async function* readRecording(
  path: string,
  { acceptCut, maxBytes }: ReadingLimits,
): AsyncGenerator<RecordingPart> {
  const source = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    const queue = new ByteQueue(unpacked(source), maxBytes);
    const [first] = await queue.peek(1);
    if (first === undefined) throw new CutRecording('is empty');
    if (first === '{'.charCodeAt(0)) yield* readJsonLines(queue);
    else yield* readWarc(queue);
  } catch (error) {
    if (!(error instanceof CutRecording) || !acceptCut) throw unreadable(path, error);
    yield { warning: `The recording ${path} ${error.message}; what is before that is served.` };
  } finally {
    source.destroy();
  }
}

/** The bytes of a file that may be gzip, in any number of members. */
async function* unpacked(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const start = await chunks.next();
  if (start.done === true) return;
  const all = (async function* () {
    yield start.value;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      yield next.value;
    }
  })();
  if (start.value[0] !== 0x1f || start.value[1] !== 0x8b) return yield* all;
  yield* gunzip(all);
}

async function* gunzip(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(packed);
  // What breaks off ends without an error here, so that all of it comes out: the parts tell.
  const gunzip = createGunzip({ chunkSize: 1 << 18, finishFlush: constants.Z_SYNC_FLUSH });
  source.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

function unreadable(path: string, error: unknown): PagewrightError {
  if (error instanceof PagewrightError) return error;
  const isOurs = error instanceof CutRecording || error instanceof DamagedRecording;
  const what = isOurs ? `: it ${error.message}` : `: ${messageOf(error)}`;
  const remedy =
    error instanceof CutRecording
      ? 'Record it again, or serve what is there with openReplay(path, { acceptCut: true }).'
      : 'Record it again.';
  return new PagewrightError('STORAGE', `The recording ${path} cannot be read${what}. ${remedy}`, {
    cause: error,
  });
}
