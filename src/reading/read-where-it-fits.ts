/** One reading of a page: on a thread where it is heavy and can be sent, else where the caller is. */
import { isBuiltIn } from '../formats/index.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { wouldParse } from '../parsers/index.ts';
import { detectMediaType } from '../parsers/media-type.ts';
import type { Parser } from '../parsers/parser.ts';
import { isHeavy } from './is-heavy.ts';
import { type PageReading, readPage, type ReadingPlan } from './read-page.ts';
import type { ThreadsOnDemand } from './threads-on-demand.ts';

/**
 * Bytes up to which the way to a thread takes longer than the reading: crawls of 500 pages of 1 KB came to
 * their end in 0.35 s here, in 1 s there, where the thread has to be started for each of them.
 */
const small = 8 * 1024;

/** Who reads. */
export interface ReadersOfPages {
  /** The caller's; the built-in ones come after them. */
  readonly parsers: readonly Parser[];
  readonly threads: ThreadsOnDemand;
}

/** The first step of all formats; see `readSnapshot`. */
export async function readWhereItFits(
  { parsers, threads }: ReadersOfPages,
  snapshot: Snapshot,
  plan: ReadingPlan,
  signal: AbortSignal,
): Promise<PageReading> {
  const { extractor } = plan.clean;
  const canBeSent =
    typeof extractor !== 'function' &&
    plan.beforeFormats === undefined &&
    plan.formats.every(({ format }) => isBuiltIn(format)) &&
    !wouldParse(parsers, snapshot, plan);
  const read = (): Promise<PageReading> => {
    signal.throwIfAborted();
    return readPage(snapshot, plan, parsers, signal);
  };
  // What the caller brings may wait for anything, and holds nobody else up.
  if (!canBeSent) return read();
  // A page of 12 KB can keep the extractors of other hands busy for seconds.
  const isLight = typeof extractor !== 'string' && !isHeavy(snapshot.body, mediaTypeOf(snapshot));
  if (isLight) {
    if (snapshot.body.length < small) return threads.here.run(read);
    threads.count();
    const reading = await threads.here.run(async () => (threads.help() ? undefined : read()));
    if (reading !== undefined) return reading;
  }
  const reading = await threads.read(snapshot, plan, signal, { isLight });
  return reading ?? threads.here.run(read);
}

function mediaTypeOf({ headers, body, url }: Snapshot): string {
  return detectMediaType(headers['content-type'], body, url).mediaType;
}
