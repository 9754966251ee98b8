/** The queue of one crawl. */
import { openRequestQueue, type RequestQueue } from '../frontier/request-queue.ts';
import type { RequestQueueStorage } from '../storage/request-queue-storage.ts';
import type { JobControl } from './job-status.ts';

/** Opens it empty: what an earlier process of the job left in it comes again by itself. */
export async function openJobQueue(
  { id, journal }: Pick<JobControl<unknown>, 'id' | 'journal'>,
  make: (jobId: string) => RequestQueueStorage | Promise<RequestQueueStorage>,
): Promise<RequestQueue> {
  if (journal?.isResumed === true) await (await make(id)).drop();
  return openRequestQueue('crawl', await make(id));
}
