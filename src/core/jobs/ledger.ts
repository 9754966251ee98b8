/** The accounts of one job: every URL it met is in exactly one state, and its usage is added up. */
import type {
  JobCounts,
  JobUsage,
  PageFailure,
  SkippedUrl,
  SkipReason,
  UrlOutcome,
} from '../model/job.ts';
import { inParts, SkipArchive, type SkipPacks } from './skip-archive.ts';

/** A part of a ledger, as it is stored. */
export interface LedgerPart {
  readonly outcomes?: readonly UrlOutcome[];
  /** Skips beyond the first ones. */
  readonly archive?: SkipPacks;
  readonly repeats?: readonly SkippedUrl[];
  /** The tallies of all skips, in the last part, if there is an archive. */
  readonly tallies?: readonly (readonly [SkipReason, SkipTally])[];
}

/** The number of URLs that a reason left out, with the first one and the rule of the last one. */
export interface SkipTally {
  readonly count: number;
  readonly firstUrl: string;
  readonly lastRule: string;
}

const mostUnpacked = 10_000; // skips held unpacked; sitemaps may have millions, which are packed

/** Records each URL once; a second skip of the same URL changes nothing. */
export class Ledger {
  readonly #outcomes = new Map<string, UrlOutcome>();
  readonly #counts = { completed: 0, failed: 0, skipped: 0, pending: 0 };
  /** Requests repeated with the very URL that has an outcome. */
  readonly #repeats: SkippedUrl[] = [];
  readonly #archive = new SkipArchive();
  readonly #tallies = new Map<SkipReason, SkipTally>();

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

  /** Records the skip; false if the URL is already accounted for. */
  skipped(skip: SkippedUrl): boolean {
    const known = this.stateOf(skip.url);
    if (known !== undefined && known !== 'pending') return false;
    if (this.#counts.skipped < mostUnpacked) {
      this.#move(skip.url, { state: 'skipped', ...skip });
      return true;
    }
    if (this.#outcomes.delete(skip.url)) this.#counts.pending -= 1;
    this.#counts.skipped += 1;
    this.#archive.add(skip);
    this.#tally(skip, 1);
    return true;
  }

  /** A URL that repeats in its list: it counts as skipped, whatever the outcome of the first one. */
  repeated(skip: SkippedUrl): void {
    if (!this.has(skip.url)) {
      this.skipped(skip);
      return;
    }
    this.#repeats.push(skip);
    this.#tally(skip, 1);
  }

  has(url: string): boolean {
    return this.#outcomes.has(url) || this.#archive.has(url);
  }

  stateOf(url: string): UrlOutcome['state'] | undefined {
    return this.#outcomes.get(url)?.state ?? (this.#archive.has(url) ? 'skipped' : undefined);
  }

  explain(url: string): UrlOutcome | undefined {
    const known = this.#outcomes.get(url);
    if (known !== undefined) return known;
    const skip = this.#archive.get(url);
    return skip === undefined ? undefined : { state: 'skipped', ...skip };
  }

  get counts(): JobCounts {
    const { completed, failed, skipped, pending } = this.#counts;
    const repeats = this.#repeats.length;
    return {
      discovered: this.#outcomes.size + this.#archive.size + repeats,
      completed,
      failed,
      skipped: skipped + repeats,
      pending,
    };
  }

  /** All URLs in one state, in the order in which they were met. */
  list<State extends UrlOutcome['state']>(state: State): Extract<UrlOutcome, { state: State }>[] {
    return [...this.#outcomes.values()].filter(
      (outcome): outcome is Extract<UrlOutcome, { state: State }> => outcome.state === state,
    );
  }

  /**
   * Skipped URLs from a position on, at most `limit`: the first 10,000 in the order in which they were found, further
   * ones in the order in which they were skipped, repeats of a list last.
   */
  skips(from = 0, limit: number = Infinity): SkippedUrl[] {
    const found: SkippedUrl[] = [];
    for (const skip of this.#allSkips(from)) {
      if (found.length >= limit) break;
      found.push(skip);
    }
    return found;
  }

  /** The skips of one reason. */
  skipsBy(reason: SkipReason): SkippedUrl[] {
    if (this.tallyOf(reason) === undefined) return [];
    const found: SkippedUrl[] = [];
    for (const skip of this.#allSkips(0)) if (skip.reason === reason) found.push(skip);
    return found;
  }

  /** Undefined if the reason left nothing out. */
  tallyOf(reason: SkipReason): SkipTally | undefined {
    const tally = this.#tallies.get(reason);
    return tally?.count === 0 ? undefined : tally;
  }

  /** The number of URLs that each reason left out, the most frequent first. */
  get reasons(): Partial<Record<SkipReason, number>> {
    const counts = [...this.#tallies].map(([reason, { count }]) => [reason, count] as const);
    const found = counts.filter(([, count]) => count > 0);
    return Object.fromEntries(found.sort(([, one], [, other]) => other - one));
  }

  /** The contents, in parts of about 1 MB for a store. */
  *parts(): Generator<LedgerPart, void, undefined> {
    for (const outcomes of inParts(this.#outcomes.values(), bytesOf)) yield { outcomes };
    for (const archive of this.#archive.parts()) yield { archive };
    for (const repeats of inParts(this.#repeats, bytesOf)) yield { repeats };
    if (this.#archive.size > 0) yield { tallies: [...this.#tallies] };
  }

  /** Forgets the recorded documents: a stored ledger, which is loaded next, has them. */
  forgetDocuments(): void {
    this.#outcomes.clear();
    this.#counts.completed = 0;
  }

  /** Loads a part of a stored ledger. All parts are loaded in their order, before anything else is recorded. */
  load({ outcomes = [], archive, repeats = [], tallies = [] }: LedgerPart): void {
    for (const outcome of outcomes) this.#move(outcome.url, outcome);
    if (archive !== undefined) {
      this.#archive.load(archive);
      this.#counts.skipped += archive.size;
    }
    for (const skip of repeats) this.repeated(skip);
    for (const [reason, tally] of tallies) this.#tallies.set(reason, tally);
  }

  *#allSkips(from: number): Generator<SkippedUrl, void, undefined> {
    const unpacked = this.#counts.skipped - this.#archive.size;
    if (from < unpacked) {
      for (const { state: _, ...skip } of this.list('skipped').slice(from)) yield skip;
    }
    yield* this.#archive.list(Math.max(0, from - unpacked));
    yield* this.#repeats.slice(Math.max(0, from - this.#counts.skipped));
  }

  #move(url: string, outcome: UrlOutcome): void {
    const before = this.explain(url);
    if (before !== undefined) this.#counts[before.state] -= 1;
    if (before?.state === 'skipped') {
      this.#tally(before, -1);
      this.#archive.delete(url);
    }
    this.#counts[outcome.state] += 1;
    this.#outcomes.set(url, outcome);
    if (outcome.state === 'skipped') this.#tally(outcome, 1);
  }

  #tally(skip: SkippedUrl, change: 1 | -1): void {
    const { count = 0, firstUrl = skip.url, lastRule } = this.#tallies.get(skip.reason) ?? {};
    this.#tallies.set(skip.reason, {
      count: count + change,
      firstUrl,
      lastRule: change > 0 ? skip.rule : (lastRule ?? skip.rule),
    });
  }
}

/** Approximate; leaves out the documents of failed pages, of which a job stores 10 MB. */
function bytesOf(outcome: UrlOutcome | SkippedUrl): number {
  const { url, parent } = outcome;
  const data = 'data' in outcome ? JSON.stringify(outcome.data).length : 0;
  return 100 + url.length + (parent?.length ?? 0) + data;
}

// The usage of a job, added up.

/** The sum of both; a field that neither has is absent. */
export function addJobUsage(one: JobUsage, more: JobUsage): JobUsage {
  return {
    requests: one.requests + more.requests,
    bytes: one.bytes + more.bytes,
    ...sum('browserMs', one, more),
    ...sum('tokens', one, more),
    ...sum('cost', one, more),
  };
}

function sum(
  name: 'browserMs' | 'tokens' | 'cost',
  { [name]: one }: JobUsage,
  { [name]: more }: JobUsage,
): Partial<JobUsage> {
  return one === undefined && more === undefined ? {} : { [name]: (one ?? 0) + (more ?? 0) };
}
