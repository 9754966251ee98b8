/** The fetches of one job: time and size of each page, in columns of numbers. */
import type { PageTiming } from '../model/job.ts';
import { inParts } from './skip-archive.ts';

/** The time and size of one fetch. */
export interface FetchTiming {
  /** Milliseconds since 1970: when the fetch ended. */
  readonly at: number;
  readonly durationMs: number;
  /** Bytes received, before decompression. */
  readonly bytes: number;
}

/** A fetch, as it is stored. */
export type StoredTiming = readonly [url: string, at: number, durationMs: number, bytes: number];

/** Takes about 40 bytes a page beside the URL, which the ledger has too. */
export class PageTimings {
  readonly #urls: string[] = [];
  readonly #at: number[] = [];
  readonly #durations: number[] = [];
  readonly #bytes: number[] = [];
  /** The row of each URL, as far as rows were looked up. */
  readonly #rowOf = new Map<string, number>();
  #indexed = 0;

  add(url: string, { at, durationMs, bytes }: FetchTiming): void {
    this.#urls.push(url);
    this.#at.push(at);
    this.#durations.push(durationMs);
    this.#bytes.push(bytes);
  }

  *list(): Generator<PageTiming, void, undefined> {
    for (const [url, at, durationMs, bytes] of this.#rows()) {
      yield { url, fetchedAt: new Date(at).toISOString(), durationMs, bytes };
    }
  }

  /** All of them, in parts of about 1 MB for a store. */
  parts(): Generator<readonly StoredTiming[], void, undefined> {
    return inParts(this.#rows(), ([url]) => 50 + url.length);
  }

  load(stored: readonly StoredTiming[]): void {
    for (const [url, at, durationMs, bytes] of stored) this.add(url, { at, durationMs, bytes });
  }

  clear(): void {
    for (const column of [this.#urls, this.#at, this.#durations, this.#bytes]) column.length = 0;
    this.#rowOf.clear();
    this.#indexed = 0;
  }

  /** Milliseconds since 1970: when the last fetch of a page ended. */
  lastOf(url: string): number | undefined {
    for (; this.#indexed < this.#urls.length; this.#indexed += 1) {
      this.#rowOf.set(this.#urls[this.#indexed] ?? '', this.#indexed);
    }
    return this.#at[this.#rowOf.get(url) ?? -1];
  }

  *#rows(): Generator<StoredTiming, void, undefined> {
    for (const [index, url] of this.#urls.entries()) {
      const [at = 0, durationMs = 0] = [this.#at[index], this.#durations[index]];
      yield [url, at, durationMs, this.#bytes[index] ?? 0];
    }
  }
}
