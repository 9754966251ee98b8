/** Runs the processing of a page in a worker if the page is heavy and can be cloned, else in the caller's thread. */
import { builtInModule } from '../../content/formats/format.ts';
import { isWorkerHook } from '../hooks/hook-lists.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { wouldParse } from './parsers.ts';
import { detectMediaType, isJsonType, isXmlType } from '../../content/parsers/media-type.ts';
import type { Parser } from '../../content/parsers/parser.ts';
import { sniffBinary } from '../../content/parsers/signatures.ts';
import type { OnDemandWorkers } from './on-demand-workers.ts';
import { type ProcessedPage, type ProcessingPlan, processPage } from './process-page.ts';

const thresholds = {
  smallBody: 8 * 1024, // bytes read faster inline: 500 pages of 1 KB took 0.35 s, in a worker 1 s
  lightBytes: 32 * 1024, // always read inline: an article takes 3 ms, the densest markup 60 ms
  heavyBytes: 256 * 1024, // read in a worker: a page of images alone takes 100 ms at this size
  separators: 5_000, // of sizes between: tags, separators (10 µs each); articles have 1 in 60 bytes
};

/** The parsers and workers that read pages. */
export interface PageProcessors {
  /** The caller's parsers; built-in ones come after them. */
  readonly parsers: readonly Parser[];
  readonly workers: OnDemandWorkers;
}

/** Runs the first step of all formats; see `processSnapshot`. */
export async function runInlineOrInWorker(
  { parsers, workers }: PageProcessors,
  snapshot: Snapshot,
  plan: ProcessingPlan,
  signal: AbortSignal,
): Promise<ProcessedPage> {
  const { extractor, redact = [] } = plan.clean;
  const { hooks } = plan.pageHooks ?? { hooks: [] };
  const sendable = parsers.filter(({ worker }) => worker !== undefined);
  const canBeSent =
    typeof extractor !== 'function' &&
    redact.every((one) => typeof one === 'string') &&
    hooks.every(isWorkerHook) &&
    plan.formats.every(({ format }) => format.worker !== undefined) &&
    !wouldParse(
      parsers.filter((parser) => !sendable.includes(parser)),
      snapshot,
      plan,
    );
  const read = (): Promise<ProcessedPage> => {
    signal.throwIfAborted();
    return processPage(snapshot, plan, parsers, signal);
  };
  // The caller's code may wait for anything, and must not block the queue.
  if (!canBeSent) return read();
  // A page of 12 KB can occupy third-party extractors for seconds, and the caller's code even longer.
  const isLight =
    typeof extractor !== 'string' &&
    hooks.length === 0 &&
    plan.formats.every(({ format }) => format.worker === builtInModule) &&
    !wouldParse(sendable, snapshot, plan) &&
    !isHeavy(snapshot.body, mediaTypeOf(snapshot));
  if (isLight && snapshot.body.length < thresholds.smallBody) return workers.serialQueue.run(read);
  using _ = isLight ? workers.beginLightPage() : undefined;
  if (isLight) {
    const processed = await workers.serialQueue.run(async () =>
      workers.shouldUseWorker() ? undefined : read(),
    );
    if (processed !== undefined) return processed;
  }
  const processed = await workers.process(snapshot, { ...plan, workerParsers: sendable }, signal, {
    isLight,
  });
  return processed ?? (await workers.serialQueue.run(read));
}

function mediaTypeOf({ headers, body, url }: Snapshot): string {
  return detectMediaType(headers['content-type'], body, url).mediaType;
}

// Detects pages that would block the process for too long.

/**
 * True for bodies whose reading may take more than 100 ms, such as any PDF; the check takes 0.5 ms at
 * most. `mediaType` is the type that the body is read as.
 */
export function isHeavy(body: Uint8Array, mediaType?: string): boolean {
  if (sniffBinary(body, undefined) !== undefined) return true;
  // A file with bytes before its signature, or a file by its Content-Type only.
  if (mediaType !== undefined && isDocument(mediaType)) return true;
  if (body.length <= thresholds.lightBytes) return false;
  if (body.length > thresholds.heavyBytes) return true;
  return hasMoreSeparators(body, startsWithTag(body) ? markupParts : textParts);
}

function isDocument(mediaType: string): boolean {
  if (isJsonType(mediaType) || isXmlType(mediaType)) return false;
  return /^(?:application\/(?:pdf|msword|rtf|x-rtf|vnd\.)|text\/(?:rtf|richtext)$)/.test(mediaType);
}

/** In HTML, tabs and semicolons are indents and scripts; in a text they may separate a table. */
const markupParts = Buffer.from('<,');

const textParts = Buffer.from('<,;|\t');

/** True when there are more of these bytes than the limit. */
function hasMoreSeparators(body: Uint8Array, separators: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let parts = 0;
  for (const separator of separators) {
    for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, at + 1)) {
      parts += 1;
      if (parts > thresholds.separators) return true;
    }
  }
  return false;
}

function startsWithTag(body: Uint8Array): boolean {
  const start = Buffer.from(body.subarray(0, 100)).toString('latin1');
  return /^(?:\xef\xbb\xbf)?\s*</.test(start);
}
