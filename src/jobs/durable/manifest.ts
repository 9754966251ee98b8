/** What is stored of a job as a whole: what was asked for, and where it is. */
import { PagewrightError } from '../../errors.ts';
import type { JobState } from '../../model/job.ts';
import type { Store } from '../../storage/store.ts';
import { askStore, listStore } from './job-store.ts';
import type { Fingerprint, StoredOptions } from './stored-options.ts';

/** A job in a store. */
export interface Manifest {
  /** Of the way in which jobs are stored. */
  readonly version: 1;
  readonly id: string;
  readonly verb: 'crawl' | 'batchScrape';
  /** The start URL of a crawl. */
  readonly url?: string;
  readonly options: StoredOptions;
  /** Of its secrets, where it has some. */
  readonly fingerprint?: Fingerprint;
  /** Milliseconds since 1970, as the other times. */
  readonly createdAt: number;
  readonly state: JobState;
  readonly completedAt?: number;
  /** When the results are dropped. */
  readonly expiresAt?: number;
}

/** Keys of manifests have a prefix of their own, so that a list of jobs reads nothing else. */
const prefix = 'job-index/';

/** Milliseconds that it stays known of a job that it has expired. */
const memory = 30 * 24 * 60 * 60 * 1000;

/** Stores a manifest; `remedy` is for the error. */
export async function writeManifest(
  store: Store,
  manifest: Manifest,
  remedy?: string,
): Promise<void> {
  const { id, expiresAt } = manifest;
  const bytes = Buffer.from(JSON.stringify(manifest));
  const options = expiresAt === undefined ? {} : { expiresAt: expiresAt + memory };
  await askStore(`take job ${id}`, () => store.set(prefix + id, bytes, options), {
    ...(remedy === undefined ? {} : { remedy }),
  });
}

/** Reads a manifest; rejects with `JOB_NOT_FOUND`, and with `STORAGE` when it is damaged. */
export async function readManifest(store: Store, id: string): Promise<Manifest> {
  const bytes = await askStore(`give job ${id}`, () => store.get(prefix + id));
  if (bytes === undefined) {
    const message = `There is no job ${JSON.stringify(id)} in the client's storage. client.storedJobs() tells which there are.`;
    throw new PagewrightError('JOB_NOT_FOUND', message);
  }
  try {
    const manifest = JSON.parse(Buffer.from(bytes).toString()) as Manifest;
    const version: number = manifest.version;
    if (version === 1 && manifest.id === id) return manifest;
  } catch {
    // Told below.
  }
  const message = `What is stored of job ${id} is damaged, or of another version of pagewright. Start the job again.`;
  throw new PagewrightError('STORAGE', message);
}

/** Throws `JOB_EXPIRED` for a job whose results are past their time. */
export function refuseExpired({ id, expiresAt = Infinity }: Manifest, now: number): void {
  if (expiresAt > now) return;
  throw new PagewrightError('JOB_EXPIRED', `The results of job ${id} have expired.`);
}

/** The manifests of a store, those that cannot be read left out. */
export async function* manifests(store: Store): AsyncGenerator<Manifest, void, undefined> {
  for await (const key of listStore(store, prefix)) {
    const manifest = await readManifest(store, key.slice(prefix.length)).catch(() => undefined);
    if (manifest !== undefined) yield manifest;
  }
}
