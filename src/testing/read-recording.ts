/** Reads a recording whole, whichever of its formats it has; WARC files of other tools too. */
import { messageOf, PagewrightError } from '../errors.ts';
import { ByteQueue } from '../warc/byte-queue.ts';
import { CutFile, DamagedFile } from '../warc/damaged-file.ts';
import { fileBytes } from '../warc/file-bytes.ts';
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
