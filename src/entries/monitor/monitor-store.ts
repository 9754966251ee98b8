/** A monitor in the client's storage: its options, its state, its digests, and the position of its reader. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import { askStore, JobStore, listStore } from '../../core/jobs/durable/job-store.ts';
import { isHeldByLiving } from '../../core/jobs/durable/lease.ts';
import type { StoredOptions } from '../../core/jobs/durable/stored-options.ts';
import { DamagedValueError } from '../../core/storage/storage-failures.ts';
import type { Store } from '../../core/storage/store.ts';
import { uuidOf } from '../../core/runtime/identifiers.ts';
import type { MonitorDigest } from './digest.ts';

/** The options as stored, by whichever process gave them last. */
export interface StoredMonitor {
  readonly version: 1;
  readonly id: string;
  readonly options: StoredOptions;
  /** The pages and sites, for lists: options may be sealed. */
  readonly targets: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The state of a page beyond its versions; pages without any are not stored. */
export interface PageState {
  /** Rounds in which its text changed, with at most one unchanged round between two of them. */
  readonly changes?: number;
  /** True after one unchanged round; a second one ends the row. */
  readonly isQuiet?: boolean;
  /** Rounds in a row in which it failed. */
  readonly failures?: number;
  /** Rounds in a row in which it was missing; from 2 on it is removed. */
  readonly misses?: number;
}

/** The state of a target. */
export interface TargetState {
  /** Milliseconds since 1970: the next round that checks it. */
  readonly dueAt: number;
  /** The interval that it was calculated with, in ms. */
  readonly every?: number;
  /** The last crawl that succeeded: the next one begins with its pages. */
  readonly since?: string;
}

/** A round that was begun. */
export interface BegunRound {
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The keys of the targets that it checks. */
  readonly targets: readonly string[];
}

/** The crawl of a target in a round. */
export interface BegunJob {
  readonly round: number;
  readonly id: string;
}

/** The state between rounds, and in one. Only the holder of the lease writes it. */
export interface MonitorState {
  /** Rounds that have ended. */
  readonly rounds: number;
  /** The start of the last of them. */
  readonly lastAt?: number;
  /** Milliseconds that the next round is put off by chance. */
  readonly delay: number;
  readonly targets: Readonly<Record<string, TargetState>>;
  /** By the key of their target, then by URL. */
  readonly pages: Readonly<Record<string, Readonly<Record<string, PageState>>>>;
  readonly begun?: BegunRound;
  /** Digests up to this number were taken by the webhook, or given up. */
  readonly delivered: number;
}

const newState: MonitorState = { rounds: 0, delay: 0, targets: {}, pages: {}, delivered: 0 };

/** Digests stored for a monitor. */
export const storedDigests = 100;

/** The index has a prefix of its own, so that a list of monitors reads nothing else. */
const index = 'monitor-index/';

/** One monitor in the store. Its calls reject with `STORAGE`. */
export class MonitorStore {
  readonly id: string;
  readonly #store: Store;
  /** Values below `monitors/<id>/`, for the lease. */
  readonly values: JobStore;

  /** `confirm` is called before each value is written. */
  constructor(store: Store, id: string, confirm?: () => Promise<void>) {
    this.id = id;
    this.#store = store;
    const owner = `monitor ${id}`;
    const remedy = 'The monitor continues when it does.';
    this.values = new JobStore(store, id, confirm, { folder: 'monitors', owner, remedy });
  }

  async readOptions(): Promise<StoredMonitor | undefined> {
    const read = (): Promise<Uint8Array | undefined> => this.#store.get(index + this.id);
    const stored = parsed<StoredMonitor>(await askStore(`give monitor ${this.id}`, read));
    return stored?.version === 1 && stored.id === this.id ? stored : undefined;
  }

  async writeOptions(stored: StoredMonitor): Promise<void> {
    const write = (): Promise<void> => this.#store.set(index + this.id, bytesOf(stored));
    await askStore(`take monitor ${this.id}`, write, { remedy: 'Open the monitor again.' });
  }

  /** A damaged state begins anew, with the number of the last digest. */
  async readState(): Promise<MonitorState> {
    const state = await this.#read<MonitorState>('state');
    if (state !== undefined) return { ...newState, ...state };
    const last = (await this.values.names(digestName(''))).at(-1) ?? '';
    const rounds = Number(/\d+$/.exec(last)?.[0] ?? 0);
    return { ...newState, rounds, delivered: rounds };
  }

  async writeState(state: MonitorState): Promise<void> {
    await this.values.set('state', bytesOf(state));
  }

  /** Notes the crawl of a target before it begins, so that another process can resume it. */
  async writeJob(target: string, job: BegunJob): Promise<void> {
    await this.values.set(jobName(target), bytesOf(job));
  }

  async readJob(target: string): Promise<BegunJob | undefined> {
    return this.#read<BegunJob>(jobName(target));
  }

  /** Undefined when it was dropped. */
  async digest(round: number): Promise<MonitorDigest | undefined> {
    return this.#read<MonitorDigest>(digestName(round));
  }

  /** Stores a digest, unless the round has one: that one counts, and is returned. */
  async addDigest(digest: MonitorDigest): Promise<MonitorDigest> {
    const name = digestName(digest.round);
    if (await this.values.add(name, bytesOf(digest))) {
      if (digest.round > storedDigests) {
        await this.values.delete(digestName(digest.round - storedDigests));
      }
      return digest;
    }
    return (await this.digest(digest.round)) ?? digest;
  }

  /** The last digest that a loop has finished. */
  async position(): Promise<number> {
    return (await this.#read<number>('position')) ?? 0;
  }

  async writePosition(round: number): Promise<void> {
    if (round > (await this.position())) await this.values.set('position', bytesOf(round));
  }

  /** Undefined where there is none, or it is damaged. */
  async #read<T>(name: string): Promise<T | undefined> {
    const value = await this.values.get(name).catch((error: unknown) => {
      if (error instanceof DamagedValueError) return undefined;
      throw error;
    });
    return parsed<T>(value);
  }

  /** Removes the monitor; the versions of its pages stay in their histories. */
  async remove(): Promise<void> {
    await askStore(`drop monitor ${this.id}`, () => this.#store.delete(index + this.id));
    await this.values.deleteAll();
  }
}

/** A monitor in a list. */
export interface MonitorSummary {
  readonly id: string;
  /** The URLs of its pages and sites. */
  readonly targets: readonly string[];
  /** ISO 8601, as the other times. */
  readonly createdAt: string;
  /** Rounds that have ended. */
  readonly rounds: number;
  readonly lastAt?: string;
}

/** The monitors of a store, the oldest first. */
export async function listMonitors(store: Store): Promise<MonitorSummary[]> {
  const monitors: MonitorSummary[] = [];
  for await (const key of listStore(store, index)) {
    const values = new MonitorStore(store, key.slice(index.length));
    const monitor = await values.readOptions();
    if (monitor === undefined) continue;
    const { id, targets } = monitor;
    const { rounds, lastAt } = await values.readState();
    const last = lastAt === undefined ? {} : { lastAt: new Date(lastAt).toISOString() };
    const createdAt = new Date(monitor.createdAt).toISOString();
    monitors.push({ id, targets, createdAt, rounds, ...last });
  }
  return monitors.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/**
 * Removes a monitor and its crawls; false for an id that the store does not know. Rejects with `STORAGE` while a
 * process runs a round of it.
 */
export async function removeMonitor(
  store: Store,
  id: string,
  removeJob: (id: string) => Promise<unknown>,
): Promise<boolean> {
  const monitor = new MonitorStore(store, id);
  if ((await monitor.readOptions()) === undefined) return false;
  if (await isHeldByLiving(monitor.values)) {
    const message = `A round of monitor ${id} is in progress: remove it when it has ended, or stop the monitor first.`;
    throw new PagewrightError('STORAGE', message);
  }
  const { targets } = await monitor.readState();
  await monitor.remove();
  for (const { since } of Object.values(targets)) {
    if (since !== undefined) await removeJob(since).catch(() => undefined);
  }
  return true;
}

/** The error for an id that the store does not know. */
export function unknownMonitor(id: string): PagewrightError {
  const message = `There is no monitor ${JSON.stringify(id)} in the client's storage. client.monitors.list() lists them; options with targets make one.`;
  return new PagewrightError('JOB_NOT_FOUND', message);
}

function jobName(target: string): string {
  return `crawls/${uuidOf(target)}`;
}

function digestName(round: number | ''): string {
  return `digests/${round === '' ? round : String(round).padStart(9, '0')}`;
}

function bytesOf(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** A damaged value counts as missing: the next round writes it anew. */
function parsed<Value>(bytes: Uint8Array | undefined): Value | undefined {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString()) as Value;
  } catch {
    return undefined;
  }
}
