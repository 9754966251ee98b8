/** The accounts of one job: every URL it met is in exactly one state. */
import type { JobCounts, PageFailure, SkippedUrl, SkipReason, UrlOutcome } from '../model/job.ts';

/** All that a ledger holds. */
export interface LedgerContent {
  readonly outcomes: readonly UrlOutcome[];
  readonly repeats: readonly SkippedUrl[];
}

/** Books each URL once; a second skip of the same URL changes nothing. */
export class Ledger {
  readonly #outcomes = new Map<string, UrlOutcome>();
  readonly #counts = { completed: 0, failed: 0, skipped: 0, pending: 0 };
  /** What was asked for again by the very URL that has an outcome. */
  readonly #repeats: SkippedUrl[] = [];

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

  /** A URL of a list that the list has already: it counts as skipped, whatever became of the first one. */
  repeated(skip: SkippedUrl): void {
    if (this.#outcomes.has(skip.url)) this.#repeats.push(skip);
    else this.skipped(skip);
  }

  has(url: string): boolean {
    return this.#outcomes.has(url);
  }

  explain(url: string): UrlOutcome | undefined {
    return this.#outcomes.get(url);
  }

  get counts(): JobCounts {
    const { completed, failed, skipped, pending } = this.#counts;
    const repeats = this.#repeats.length;
    return {
      discovered: this.#outcomes.size + repeats,
      ...{ completed, failed, skipped: skipped + repeats, pending },
    };
  }

  /** All URLs in one state, in the order in which they were met. */
  list<State extends UrlOutcome['state']>(state: State): Extract<UrlOutcome, { state: State }>[] {
    return [...this.#outcomes.values()].filter(
      (outcome): outcome is Extract<UrlOutcome, { state: State }> => outcome.state === state,
    );
  }

  /** All that were skipped, those of one reason when one is given; repeats of a list come last. */
  skips(reason?: SkipReason): SkippedUrl[] {
    const booked = this.list('skipped').map(({ state: _, ...skip }): SkippedUrl => skip);
    const all = [...booked, ...this.#repeats];
    return reason === undefined ? all : all.filter((skip) => skip.reason === reason);
  }

  get content(): LedgerContent {
    return { outcomes: [...this.#outcomes.values()], repeats: this.#repeats };
  }

  /** Takes over what a ledger held. */
  load({ outcomes, repeats }: LedgerContent): void {
    for (const outcome of outcomes) this.#move(outcome.url, outcome);
    this.#repeats.push(...repeats);
  }

  #move(url: string, outcome: UrlOutcome): void {
    const before = this.#outcomes.get(url);
    if (before !== undefined) this.#counts[before.state] -= 1;
    this.#counts[outcome.state] += 1;
    this.#outcomes.set(url, outcome);
  }
}
