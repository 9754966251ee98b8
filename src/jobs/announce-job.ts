/** Tells a webhook what happens in a job. */
import { messageOf, PagewrightError } from '../errors.ts';
import type { PageFailure } from '../model/job.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import type { JobNews } from '../webhooks/webhook-message.ts';
import type { DocumentLog } from './document-log.ts';
import type { JobEmitter } from './job-events.ts';

/**
 * Hands the job's events to the outbox, from its first one on. A document is read from the log when
 * it is its turn, so that none is held for a slow receiver.
 */
export function announceJob<Document>(
  events: JobEmitter<Document>,
  log: Pick<DocumentLog<Document>, 'read' | 'adopted'>,
  outbox: Outbox,
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

/** A job that failed, or was cancelled: whoever was told of its start is told of its end. */
export function failedJob(reason: unknown): JobNews {
  const code = reason instanceof PagewrightError ? reason.code : 'HOOK_FAILED';
  return { event: 'failed', failure: { error: messageOf(reason), code } };
}

function failedPage({ url, parent, code, error, statusCode }: PageFailure): JobNews {
  const metadata = {
    sourceURL: url,
    ...(parent === undefined ? {} : { parentUrl: parent }),
    ...(statusCode === undefined ? {} : { statusCode }),
    error,
  };
  return { event: 'page', url, failure: { error, code }, read: () => [{ metadata }] };
}
