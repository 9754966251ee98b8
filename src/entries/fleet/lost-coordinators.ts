/** Counts the workers that were lost while they ran a crawl, so that no crawl kills one worker after another. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { JobStore } from '../../core/jobs/durable/job-store.ts';
import { lastDocument } from '../../core/jobs/durable/journal.ts';
import { lostHolder } from '../../core/jobs/durable/lease.ts';
import { packValue, unpackValue } from '../../core/jobs/durable/stored-value.ts';

const mostLost = 3; // workers that a crawl may kill without a new document in between
const mostNamed = 5; // active pages that the error names

/** The workers that were lost since the last new document. */
interface Losses {
  readonly count: number;
  /** The mark of the last of them. */
  readonly holder: string;
  /** The documents of the crawl by then. */
  readonly documents: number;
}

const lossesName = 'lost-coordinators';

const activeName = 'active-pages';

/**
 * Counts the last worker of a crawl where it died, unless a known page may have killed it. Rejects with
 * `WORKER_LOST` when it is one too many; true when the crawl may have killed it.
 */
export async function isSuspect(
  store: JobStore,
  jobId: string,
  isPageSuspect: () => Promise<boolean>,
): Promise<boolean> {
  const holder = await lostHolder(store);
  if (holder === undefined || (await isPageSuspect())) return false;
  const before = await read<Losses>(store, lossesName);
  const { count: documents, url } = await lastDocument(store);
  const isKnown = before?.holder === holder;
  const hasMoved = before === undefined || documents > before.documents;
  const count = hasMoved ? 1 : before.count + (isKnown ? 0 : 1);
  if (!isKnown || hasMoved) {
    await store.set(lossesName, await packValue({ count, holder, documents } satisfies Losses));
  }
  if (count < mostLost) return true;
  const { urls = [] } = (await read<{ urls: string[] }>(store, activeName)) ?? {};
  const last = url === undefined ? 'It has no page so far.' : `Its last page is ${url}.`;
  const active = urls.length === 0 ? '' : ` Under way were ${urls.join(', ')}.`;
  const message = `Each of ${count} workers that ran crawl ${jobId} ended while it did. ${last}${active}`;
  throw new PagewrightError('WORKER_LOST', message);
}

/** Stores the active pages, for the error. */
export async function storeActive(store: JobStore, active: readonly string[]): Promise<void> {
  await store.set(activeName, await packValue({ urls: active.slice(0, mostNamed) }));
}

/** Undefined for a value that is damaged, too. Rejects with `STORAGE`. */
async function read<Facts>(store: JobStore, name: string): Promise<Facts | undefined> {
  const value = await store.get(name);
  if (value === undefined) return undefined;
  return unpackValue<Facts>(value, name).then(
    ({ facts }) => facts,
    () => undefined,
  );
}
