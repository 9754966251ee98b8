/** The accounts of one job: every URL it met is in exactly one state. */
import type { JobCounts, PageFailure, SkippedUrl, UrlOutcome } from '../model/job.ts';

/** Books each URL once; a second skip of the same URL changes nothing. */
export class Ledger {
  readonly #outcomes = new Map<string, UrlOutcome>();
  readonly #counts = { completed: 0, failed: 0, skipped: 0, pending: 0 };

  /** The URL is going to be scraped. */
  pending(url: string, parent?: string): void {
    this.#move(url, { state: 'pending', url, ...(parent === undefined ? {} : { parent }) });
  }

  completed(url: string): void {
    const parent = this.#outcomes.get(url)?.parent;
    this.#move(url, { state: 'completed', url, ...(parent === undefined ? {} : { parent }) });
  }

  failed(failure: PageFailure): void {
    this.#move(failure.url, { state: 'failed', ...failure });
  }

  /** Books the skip, or tells by false that the URL is accounted for already. */
  skipped(skip: SkippedUrl): boolean {
    const known = this.#outcomes.get(skip.url);
    if (known !== undefined && known.state !== 'pending') return false;
    this.#move(skip.url, { state: 'skipped', ...skip });
    return true;
  }

  has(url: string): boolean {
    return this.#outcomes.has(url);
  }

  explain(url: string): UrlOutcome | undefined {
    return this.#outcomes.get(url);
  }

  get counts(): JobCounts {
    return { discovered: this.#outcomes.size, ...this.#counts };
  }

  /** All URLs in one state, in the order in which they were met. */
  list<State extends UrlOutcome['state']>(state: State): Extract<UrlOutcome, { state: State }>[] {
    return [...this.#outcomes.values()].filter(
      (outcome): outcome is Extract<UrlOutcome, { state: State }> => outcome.state === state,
    );
  }

  #move(url: string, outcome: UrlOutcome): void {
    const before = this.#outcomes.get(url);
    if (before !== undefined) this.#counts[before.state] -= 1;
    this.#counts[outcome.state] += 1;
    this.#outcomes.set(url, outcome);
  }
}
