/** A crawl that has ended, as it lies in the store: read only, for a crawl that begins with it. */
import { ValidationError } from '../../errors.ts';
import type { Store } from '../../storage/store.ts';
import { readEnd } from './durable-job.ts';
import { JobStore } from './job-store.ts';
import { readManifest, refuseExpired } from './manifest.ts';
import type { StoredOptions } from './stored-options.ts';

/** What is known of an earlier crawl as a whole. */
export interface EarlierCrawl {
  readonly options: StoredOptions;
  /** The URLs of its documents, in its order. */
  readonly documents: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Rejects with `JOB_NOT_FOUND` and `JOB_EXPIRED`, with `BAD_REQUEST` for a job that still runs, was left,
 * or is no crawl, and with `STORAGE` when it is damaged.
 */
export async function readEarlierCrawl(
  store: Store,
  id: string,
  now: number,
): Promise<EarlierCrawl> {
  const manifest = await readManifest(store, id);
  refuseExpired(manifest, now);
  if (manifest.verb !== 'crawl') throw wrongJob(`job ${id} is a batch; give the id of a crawl`);
  if (manifest.state === 'scraping') {
    throw wrongJob(`job ${id} has not ended; wait for it, or end it with client.resume()`);
  }
  const { ledger, warnings } = await readEnd(new JobStore(store, id), id);
  const completed = ledger.outcomes.filter(({ state }) => state === 'completed');
  return { options: manifest.options, documents: completed.map(({ url }) => url), warnings };
}

function wrongJob(message: string): ValidationError {
  return new ValidationError('crawl', [{ path: ['since'], message: `since: ${message}` }]);
}
