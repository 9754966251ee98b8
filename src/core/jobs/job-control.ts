/** The calls by which the work of a job controls the job's parts. */
import type { JobState, PageFailure } from '../model/job.ts';
import { compact } from '../runtime/compact.ts';
import type { JobOpening } from './durable/durable-job.ts';
import type { Journal, StoredDocument } from './durable/journal.ts';
import type { JobEmitter, JobEvents, ProgressEmitter } from './job-emitter.ts';
import type { WebhookForwarder } from './webhooks/webhook-forwarder.ts';
import type { JobNotifier, JobReaders } from './job-readers.ts';
import type { JobRecord } from './job-record.ts';
import type { JobControl } from './job-status.ts';

/** The parts of a job. */
interface JobParts<Document> {
  readonly id: string;
  readonly record: JobRecord<Document>;
  readonly events: JobEmitter<JobEvents<Document>>;
  readonly progress: Pick<ProgressEmitter<unknown>, 'changed' | 'end'>;
  readonly readers: JobReaders<Document>;
  readonly notifier: JobNotifier;
  readonly signal: AbortSignal;
  readonly active: Set<string>;
  /** The stored state of the job. */
  readonly opening: JobOpening | undefined;
  readonly journal: Journal;
  readonly webhook: WebhookForwarder | undefined;
}

/**
 * The control of an open job. Listeners do not receive the events of an earlier process again: all before the last
 * document that it stored. The webhook receives the events that were not sent.
 */
export function jobControl<Document>(parts: JobParts<Document>): JobControl<Document> {
  const { id, record, events, progress, readers, notifier, signal, active, opening } = parts;
  const { journal, webhook } = parts;
  const { ledger, log } = record;
  const retries = opening?.retries ?? [];
  /** Rounds, the first one included, at whose ends the job had ended before. */
  let roundsToReplay = retries.findLastIndex(({ after }) => after !== undefined) + 1;
  let retriesBegun = 0;
  const keptOf = new Map<string, PageFailure['kept']>();
  const isSilent = (): boolean => log.next !== undefined || roundsToReplay > 0;
  const moved = (): void => {
    progress.changed();
    readers.forget();
    notifier.notify();
  };
  /** The site or a hook now differs from before: from here on the new result counts. */
  const differs = async (): Promise<void> => {
    roundsToReplay = 0;
    if (log.next === undefined) return;
    await log.look(true);
    webhook?.differs();
  };
  const adopt = async (document: StoredDocument): Promise<void> => {
    await log.adopt();
    record.kept(document);
    webhook?.page(document.url, true);
    moved();
  };
  return {
    id,
    ledger,
    signal,
    active,
    journal,
    retries: retries.length,
    beginRetry: () => {
      const { number = 0 } = retries[retriesBegun++] ?? {};
      journal.round = number;
      roundsToReplay -= 1;
    },
    arrange: (order) => record.arrange(order),
    isSilent,
    createdAt: record.createdAt,
    ranBefore: opening?.ranBefore ?? 0,
    learningDistance: opening?.learningDistance,
    isHeard: () => webhook !== undefined || events.has('page') || readers.hasReaders,
    keepVisit: async (url, document) => {
      await differs();
      await log.appendVisit(url, document, signal);
      record.kept({ url, ...document });
      moved();
    },
    keep: async (document, about) => {
      await differs();
      await log.append(document, signal, about);
      record.kept(about);
      events.emit('page', document);
      webhook?.page((document as { metadata?: { sourceURL?: string } }).metadata?.sourceURL);
      moved();
    },
    found: (urls) => {
      for (const url of urls) ledger.pending(url);
      progress.changed();
    },
    answered: (url, credits) => {
      if (!record.isRunning) return;
      record.kept({ url, credits });
      moved();
    },
    stored: (url) => (log.next?.url === url ? log.next : undefined),
    adopt,
    fail: (found) => {
      if (!record.isRunning) return;
      const failure: PageFailure = compact({ ...found, kept: keptOf.get(found.url) });
      record.failed(failure);
      webhook?.pageFailed(failure, isSilent());
      if (!isSilent()) events.emit('pageFailed', failure);
      progress.changed();
    },
    skip: (skip) => {
      if (!record.isRunning || !ledger.skipped(skip)) return;
      if (!isSilent()) events.emit('skipped', skip);
      progress.changed();
    },
    repeat: (skip) => {
      if (!record.isRunning) return;
      ledger.repeated(skip);
      if (!isSilent()) events.emit('skipped', skip);
      progress.changed();
    },
    use: (usage) => record.use(usage),
    timed: (url, timing) => record.timings.add(url, timing),
    seen: (url, kept) => void (kept ? keptOf.set(url, kept) : keptOf.delete(url)),
    tellChanges: (changes) => record.tellChanges(changes),
    stoppedEarly: (stop) => record.stoppedEarly(stop),
    limitTo: (limit) => void (record.limit = limit),
    warn: (sentence) => record.warnings.add(sentence),
    wanted: async () => {
      while (readers.isPaced && !signal.aborted) await notifier.next;
    },
    isAskedForMore: () => readers.askForMore,
    changed: () => notifier.next,
    isWaitedFor: () => readers.isWaitedFor,
    adoptStored: async () => {
      await log.look();
      while (log.next !== undefined && !signal.aborted) await adopt(log.next);
    },
    tellProgress: (numbers) => {
      record.tellProgress(numbers);
      progress.changed();
    },
    adoptEnd: async (ended) => {
      await record.open({ createdAt: record.createdAt, ended });
      progress.end();
      emitEnd(events, id, { state: ended.end.state, error: record.error });
      notifier.notify();
    },
  };
}

export function emitEnd<Document>(
  events: JobEmitter<JobEvents<Document>>,
  id: string,
  { state, error }: { readonly state: Exclude<JobState, 'scraping'>; readonly error?: unknown },
): void {
  if (state === 'failed') events.emit('failed', { id, error });
  else events.emit(state, { id });
}
