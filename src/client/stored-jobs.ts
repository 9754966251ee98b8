/** The jobs of a store: which there are, and the room that expired ones take. */
import { JobStore } from '../jobs/durable/job-store.ts';
import { isLeased } from '../jobs/durable/lease.ts';
import { type Manifest, manifests } from '../jobs/durable/manifest.ts';
import type { JobState } from '../model/job.ts';
import type { Store } from '../storage/store.ts';

/** A job in the client's storage. */
export interface StoredJob {
  readonly id: string;
  readonly verb: 'crawl' | 'batchScrape';
  /** The start URL of a crawl. */
  readonly url?: string;
  /** `scraping` for one that goes on when it is resumed. */
  readonly status: JobState;
  /** ISO 8601, as the other times. */
  readonly createdAt: string;
  readonly completedAt?: string;
  readonly expiresAt?: string;
  /** True while a process seems to be at it. */
  readonly isRunning: boolean;
}

/** All that have not expired, the oldest first; drops what is left of those that have. */
export async function storedJobs(store: Store, now: number): Promise<StoredJob[]> {
  const jobs: Manifest[] = [];
  for await (const manifest of manifests(store)) {
    if ((manifest.expiresAt ?? Infinity) > now) jobs.push(manifest);
    else await new JobStore(store, manifest.id).deleteAll();
  }
  jobs.sort((one, other) => one.createdAt - other.createdAt);
  return Promise.all(jobs.map((manifest) => describe(store, manifest, now)));
}

/** Drops what is left of jobs that have expired, a few at a time. */
export async function dropExpired(store: Store, now: number): Promise<void> {
  let dropped = 0;
  for await (const { id, expiresAt = Infinity } of manifests(store)) {
    if (expiresAt > now) continue;
    const job = new JobStore(store, id);
    if (await job.isEmpty()) continue;
    await job.deleteAll();
    if ((dropped += 1) >= droppedAtOnce) return;
  }
}

const droppedAtOnce = 10;

/** Milliseconds in which a job that was stored takes its lease. */
const beginning = 5_000;

async function describe(
  store: Store,
  { id, verb, url, state, createdAt, completedAt, expiresAt }: Manifest,
  now: number,
): Promise<StoredJob> {
  return {
    ...{ id, verb, status: state, createdAt: isoTime(createdAt) },
    ...(url === undefined ? {} : { url }),
    ...(completedAt === undefined ? {} : { completedAt: isoTime(completedAt) }),
    ...(expiresAt === undefined ? {} : { expiresAt: isoTime(expiresAt) }),
    isRunning:
      state === 'scraping' &&
      (await isLeased(new JobStore(store, id), now - createdAt < beginning).catch(() => false)),
  };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
