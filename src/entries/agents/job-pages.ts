/** The pages of a job as text: a part of them at a time, from a cursor on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ValidationError } from '../../core/runtime/errors.ts';
import type { Client, CrawlJob, Document, FormatInput } from '../../index.ts';
import { cancellation } from '../../core/runtime/deadline.ts';
import { partOf } from './tool-result.ts';

/** A crawl whose documents have any formats. */
export type AnyCrawl = CrawlJob<Document<readonly FormatInput[]>>;

/** A crawl or batch by its id. Throws `JOB_NOT_FOUND` and `JOB_EXPIRED`, and `BAD_REQUEST` for an extraction. */
export function crawlOf(client: Client, id: string): AnyCrawl {
  const job = client.jobs.get(id);
  if ('explain' in job) return job;
  throw new ValidationError('tool call', [
    { path: ['jobId'], message: 'jobId: is not the id of a crawl' },
  ]);
}

/** A page of a crawl: its number from 1, and its text. */
export function pageTextOf(document: Document<readonly FormatInput[]>, number: number): string {
  const { metadata, warning } = document;
  return [
    `Page ${number}: ${metadata.url}`,
    metadata.title,
    warning === undefined ? undefined : `Warning: ${warning}`,
    // A job of the store may have been started elsewhere.
    `\n${document.modelText ?? document.markdown ?? '(This page was stored without its text.)'}`,
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}

/** Pages from a cursor on. */
export interface PagesPart {
  readonly text: string;
  /** The cursor of the next part; absent when the job has ended and this is its end. */
  readonly next?: string;
}

/**
 * As many pages as fit, from `cursor` on: the number of a page, from 1, and where it begins in its text, as in
 * `12.0`. Throws `BAD_REQUEST` for a cursor beyond the pages of a job that has ended.
 */
export async function readPages(job: AnyCrawl, cursor: string, length: number): Promise<PagesPart> {
  const [first = 1, offset = 0] = cursor.split('.').map(Number);
  const { data, status, completed } = await job.status({ skip: first - 1 });
  const isRunning = status === 'scraping';
  if (data.length === 0 && !isRunning && first > completed + 1) {
    const message = `cursor: ${cursor} is beyond the ${completed} pages of the crawl`;
    throw new ValidationError('tool call', [{ path: ['cursor'], message }]);
  }
  const texts: string[] = [];
  let left = length;
  for (const [index, document] of data.entries()) {
    const number = first + index;
    const start = index === 0 ? offset : 0;
    const part = partOf(pageTextOf(document, number), start, left);
    // A page that would be cut is left to the next part, unless it is too long for any.
    if (part.next !== undefined && texts.length > 0) {
      return { text: texts.join('\n\n'), next: `${number}.0` };
    }
    texts.push(part.text);
    left -= part.text.length;
    if (part.next !== undefined)
      return { text: texts.join('\n\n'), next: `${number}.${part.next}` };
  }
  const text = texts.join('\n\n');
  const number = first + data.length;
  return isRunning || number <= completed ? { text, next: `${number}.0` } : { text };
}

/** Waits until the job has ended, has `pages` pages, or the time is over. Rejects when the signal aborts. */
export async function waitForPages(
  job: AnyCrawl,
  { pages = Infinity, seconds, signal }: WaitOptions,
): Promise<void> {
  const over = new AbortController();
  const enough = new Promise<void>((resolve) => {
    const check = (): void => {
      if (job.progress.completed >= pages) resolve();
    };
    over.signal.addEventListener('abort', job.on('progress', check), { once: true });
    check();
  });
  const time = sleep(seconds * 1000, undefined, {
    signal: AbortSignal.any([signal, over.signal]),
  });
  try {
    await Promise.race([job.settled(), enough, time]);
  } catch (error) {
    throw signal.aborted ? cancellation(signal, 'The call') : error;
  } finally {
    over.abort();
    await time.catch(() => undefined);
  }
}

/** The limits of a wait. */
interface WaitOptions {
  readonly pages?: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}
