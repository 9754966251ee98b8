/** The events of a job: its listeners, and the forwarding of events to a webhook. An error of a listener goes to the logger. */
import { messageOf, PagewrightError } from '../errors.ts';
import type { PageFailure, SkippedUrl } from '../model/job.ts';
import type { JobEventPayload } from '../webhooks/webhook-message.ts';
import type { WebhookOutbox } from '../webhooks/webhook-outbox.ts';
import type { DocumentLog } from './document-log.ts';

/** The arguments of each event's listeners. */
export interface JobEvents<Document> {
  /** The job began. */
  readonly started: { readonly id: string };
  /** A document was kept. */
  readonly page: Document;
  /** A page could not be scraped; the job goes on. */
  readonly pageFailed: PageFailure;
  /** A URL will not be scraped. */
  readonly skipped: SkippedUrl;
  /** The job was cancelled; finished documents stay. */
  readonly cancelled: { readonly id: string };
  /** The job ended well. */
  readonly completed: { readonly id: string };
  /** The job could not go on. */
  readonly failed: { readonly id: string; readonly error: unknown };
}

type JobListener<Payload> = (payload: Payload) => unknown;

/** Listeners by event, called in the order in which they were added. */
export class JobEmitter<Document> {
  readonly #listeners = new Map<keyof JobEvents<Document>, Set<JobListener<never>>>();
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Adds a listener; the returned function removes it. */
  on<Name extends keyof JobEvents<Document>>(
    name: Name,
    listener: JobListener<JobEvents<Document>[Name]>,
  ): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  emit<Name extends keyof JobEvents<Document>>(
    name: Name,
    payload: JobEvents<Document>[Name],
  ): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      Promise.resolve()
        .then(() => (listener as JobListener<JobEvents<Document>[Name]>)(payload))
        .catch((error: unknown) => {
          this.#warn(`A listener of the job event "${name}" threw: ${String(error)}`);
        })
        // The error of a logger cannot be logged.
        .catch(() => undefined);
    }
  }
}

// Forwards the events of a job to a webhook.

/**
 * Hands the job's events to the outbox, from its first one on. A document is read from the log when
 * it is its turn, so that none is held for a slow receiver.
 */
export function forwardEvents<Document>(
  events: JobEmitter<Document>,
  log: Pick<DocumentLog<Document>, 'read' | 'adopted'>,
  outbox: WebhookOutbox,
): void {
  let position = 0;
  events.on('started', () => outbox.add({ event: 'started' }));
  events.on('page', (document) => {
    const index = log.adopted + position++;
    const url = (document as { metadata?: { sourceURL?: string } }).metadata?.sourceURL;
    const page = url === undefined ? {} : { url };
    outbox.add({ event: 'page', ...page, read: async () => [await log.read(index)] });
  });
  events.on('pageFailed', (failure) => outbox.add(failedPage(failure)));
  events.on('completed', () => outbox.add({ event: 'completed' }));
  events.on('cancelled', ({ id }) => {
    outbox.add(failedJob(new PagewrightError('CANCELLED', `Job ${id} was cancelled.`)));
  });
  events.on('failed', ({ error }) => outbox.add(failedJob(error)));
}

/** The last event of a job that failed or was cancelled: a receiver that got the first one gets it. */
export function failedJob(reason: unknown): JobEventPayload {
  const code = reason instanceof PagewrightError ? reason.code : 'HOOK_FAILED';
  return { event: 'failed', failure: { error: messageOf(reason), code } };
}

function failedPage({ url, parent, code, error, statusCode }: PageFailure): JobEventPayload {
  const metadata = {
    sourceURL: url,
    ...(parent === undefined ? {} : { parentUrl: parent }),
    ...(statusCode === undefined ? {} : { statusCode }),
    error,
  };
  return { event: 'page', url, failure: { error, code }, read: () => [{ metadata }] };
}
