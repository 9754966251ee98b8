/** Segments: copies of the facts of documents and their visits, so that a resumed job reads one value, not hundreds. */
import { DamagedValueError } from '../../storage/storage-failures.ts';
import type { JobStore } from './job-store.ts';
import { packValue, unpackValue } from './stored-value.ts';

/** Documents of one segment: about 1 MB of facts. */
export const segmentLength = 500;

/** Facts of visits in memory below which the next segment is read. */
const fewVisits = segmentLength / 2;

const mostDocuments = 12_000; // in memory: visits are requested up to 10,000 pages ahead of them

/** The facts of a document, and of the visit that it is stored with. */
export interface SegmentEntry<Facts> {
  readonly facts: Facts;
  readonly visit?: { readonly url: string; readonly facts: unknown } | undefined;
}

/**
 * The segments of one job. The single values remain authoritative: a segment is written once all its values are stored,
 * and deleted before any of them changes. A missing or damaged segment costs only time. Facts are requested in the
 * order in which they were stored, so the visits of at most two segments are held.
 */
export class Segments<Facts> {
  readonly #store: JobStore;
  /** Names of segments not read yet. */
  #unread: Promise<string[]> | undefined;
  #reading: Promise<void> = Promise.resolve();
  /** Documents of the segments read so far, by their numbers, until requested. */
  readonly #documents = new Map<number, Facts>();
  /** Visits of the last segment that was read, by their URLs, until requested. */
  #visits = new Map<string, unknown>();
  #olderVisits = new Map<string, unknown>();
  /** The entries of the segment that is about to be written. */
  #entries: SegmentEntry<Facts>[] = [];
  #hasChanged = false;

  /** `isResumed` false: there are none yet. */
  constructor(store: JobStore, isResumed: boolean) {
    this.#store = store;
    if (!isResumed) {
      this.#unread = Promise.resolve([]);
      this.#hasChanged = true;
    }
  }

  /** The facts of a visit, once; undefined when no segment has them. Rejects with `STORAGE`. */
  async visit(url: string): Promise<unknown> {
    const known = this.#takeVisit(url);
    if (known !== undefined) return known;
    await this.#readOn(
      () =>
        this.#visits.size < fewVisits &&
        !this.#visits.has(url) &&
        this.#documents.size < mostDocuments,
    );
    return this.#takeVisit(url);
  }

  /** The facts of a document, once; undefined when no segment has them. Rejects with `STORAGE`. */
  async document(index: number): Promise<Facts | undefined> {
    const name = nameOf(index);
    await this.#readOn(([next]) => next !== undefined && next <= name);
    const facts = this.#documents.get(index);
    this.#documents.delete(index);
    return facts;
  }

  /** Declares that a document is about to be stored: no segment has it any more. */
  async change(index: number): Promise<void> {
    if (this.#hasChanged) return;
    this.#hasChanged = true;
    const name = nameOf(index);
    for (const one of await this.#names()) {
      if (one >= name) await this.#store.delete(one);
    }
  }

  /** Adds a document that is stored as a single value, in the order of documents. */
  async add(index: number, entry: SegmentEntry<Facts>): Promise<void> {
    const place = index % segmentLength;
    // A segment that this process cannot write as a whole is not written.
    if (this.#entries.length !== place) this.#entries = [];
    if (this.#entries.length !== place) return;
    this.#entries.push(entry);
    if (this.#entries.length < segmentLength) return;
    const entries = this.#entries;
    this.#entries = [];
    await this.#store.set(nameOf(index), await packValue(entries));
  }

  #takeVisit(url: string): unknown {
    for (const visits of [this.#visits, this.#olderVisits]) {
      const facts = visits.get(url);
      if (visits.delete(url)) return facts;
    }
    return undefined;
  }

  /** The names of segments. All are dropped if a file has lost its name, as after a power loss. */
  async #names(): Promise<string[]> {
    try {
      return await this.#store.names(prefix);
    } catch (error) {
      if (!(error instanceof DamagedValueError)) throw error;
      await this.#store.deleteAll(prefix);
      return [];
    }
  }

  /** Reads segments, one call at a time, while `wants` returns true. */
  #readOn(wants: (unread: readonly string[]) => boolean): Promise<void> {
    const read = async (): Promise<void> => {
      const unread = await (this.#unread ??= this.#names());
      while (unread.length > 0 && wants(unread)) await this.#read(unread.shift() ?? '');
    };
    const reading = this.#reading.then(read);
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #read(name: string): Promise<void> {
    const entries = await this.#entriesOf(name);
    this.#olderVisits = this.#visits;
    this.#visits = new Map();
    const first = Number(name.slice(prefix.length)) * segmentLength;
    for (const [at, { facts, visit }] of entries.entries()) {
      this.#documents.set(first + at, facts);
      if (visit !== undefined) this.#visits.set(visit.url, visit.facts);
    }
  }

  async #entriesOf(name: string): Promise<readonly SegmentEntry<Facts>[]> {
    try {
      const value = await this.#store.get(name);
      if (value === undefined) return [];
      return (await unpackValue<readonly SegmentEntry<Facts>[]>(value, name)).facts;
    } catch (error) {
      if (error instanceof DamagedValueError) return [];
      throw error;
    }
  }
}

const prefix = 'segments/';

/** The name of the segment of a document. */
function nameOf(index: number): string {
  return prefix + String(Math.floor(index / segmentLength)).padStart(8, '0');
}
