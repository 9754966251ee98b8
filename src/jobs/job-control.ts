/** What the work of a job may do to it, as calls on the job's parts. */
import type { Opening } from './durable/durable-job.ts';
import type { Journal } from './durable/journal.ts';
import type { JobBell } from './job-bell.ts';
import type { JobEmitter } from './job-events.ts';
import type { JobReaders } from './job-readers.ts';
import type { JobRecord } from './job-record.ts';
import type { JobControl } from './job-status.ts';

/** The parts of a job. */
export interface JobParts<Document> {
  readonly id: string;
  readonly record: JobRecord<Document>;
  readonly events: JobEmitter<Document>;
  readonly readers: JobReaders<Document>;
  readonly bell: JobBell;
  readonly signal: AbortSignal;
  /** What the store had of the job. */
  readonly opening: Opening | undefined;
  readonly journal: Journal | undefined;
  /** Told of each event that an earlier process told. */
  readonly onUntold: () => void;
}

/**
 * The control of a job that is open. What an earlier process told is not told again: everything before
 * the last document that it kept.
 */
export function jobControl<Document>(parts: JobParts<Document>): JobControl<Document> {
  const { id, record, events, readers, bell, signal, opening, journal, onUntold } = parts;
  const { ledger, log } = record;
  const isSilent = (): boolean => log.next !== undefined;
  const moved = (): void => {
    readers.forget();
    bell.ring();
  };
  return {
    ...{ id, ledger, signal, journal, isSilent },
    createdAt: record.createdAt,
    ranBefore: opening?.ranBefore ?? 0,
    keep: async (document, url, credits) => {
      // The site or a hook says something else than before: from here on it counts.
      if (isSilent()) await log.look(true);
      await log.append(document, signal, { url, credits });
      record.kept(url, credits);
      events.emit('page', document);
      moved();
    },
    stored: (url) => (log.next?.url === url ? log.next : undefined),
    adopt: async ({ url, credits }) => {
      await log.adopt();
      record.kept(url, credits);
      onUntold();
      moved();
    },
    fail: (failure) => {
      if (!record.isRunning) return;
      record.failed(failure);
      if (isSilent()) onUntold();
      else events.emit('pageFailed', failure);
    },
    skip: (skip) => {
      if (record.isRunning && ledger.skipped(skip) && !isSilent()) events.emit('skipped', skip);
    },
    repeat: (skip) => {
      if (!record.isRunning) return;
      ledger.repeated(skip);
      if (!isSilent()) events.emit('skipped', skip);
    },
    use: (usage) => record.use(usage),
    tellChanges: (changes) => record.tellChanges(changes),
    warn: (sentence) => record.warnings.add(sentence),
    wanted: async () => {
      while (readers.isPaced && !signal.aborted) await bell.next;
    },
    isAskedForMore: () => readers.askForMore,
    changed: () => bell.next,
  };
}
