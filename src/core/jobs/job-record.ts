/** The record of a job: its state, its numbers and its documents. */
import { PagewrightError, ValidationError } from '../runtime/errors.ts';
import type { PlainDocument } from '../model/document.ts';
import type {
  CrawlChanges,
  CrawlStop,
  JobCounts,
  JobState,
  JobUsage,
  PageFailure,
  SkippedUrl,
} from '../model/job.ts';
import { DocumentLog } from './document-log.ts';
import type { EndPart, JobOpening, StoredEnd } from './durable/durable-job.ts';
import { errorFrom, errorToStore, type StoredDocument } from './durable/journal.ts';
import { documentBytes } from './durable/stored-value.ts';
import type { JobProgress, JobSetting, JobStatus } from './job-status.ts';
import { addJobUsage, Ledger } from './ledger.ts';
import { PageTimings } from './page-timings.ts';
import { inParts } from './skip-archive.ts';
import { isoTime } from '../runtime/clock.ts';

const limits = {
  pageBytes: 10_000_000, // of the documents of one page of results
  evidenceBytes: 10_000_000, // of the documents of failed pages, stored for `errors()`
  numberBytes: 8, // of a stored number, approximately
  skipped: 100_000, // URLs of one call without a limit: about 30 MB
};

/** The record of one job. */
export class JobRecord<Document> {
  readonly ledger: Ledger = new Ledger();
  readonly log: DocumentLog<Document>;
  readonly timings: PageTimings = new PageTimings();
  readonly warnings: Set<string> = new Set();
  /** The most documents of the job. */
  limit: number = Infinity;
  readonly #setting: JobSetting;
  #createdAt: number;
  #completedAt: number | undefined;
  #state: JobState = 'scraping';
  #error: unknown;
  /** Names the line that started the job in its error. */
  readonly #named: (error: unknown) => unknown;
  #credits = 0;
  #redactions: JobProgress['redactions'];
  #usage: JobUsage = { requests: 0, bytes: 0 };
  #isDropped = false;
  /** Bytes of the documents of failed pages. */
  #evidence = 0;
  #changes: CrawlChanges | undefined;
  #stop: CrawlStop | undefined;
  #order: (() => readonly number[]) | undefined;
  /** The numbers stored by another process that runs the job. */
  #elsewhere: JobProgress | undefined;

  constructor(setting: JobSetting, named: (error: unknown) => unknown) {
    this.#setting = setting;
    this.#named = named;
    this.#createdAt = setting.now();
    this.log = new DocumentLog(setting.store, setting.id, {
      durable: (setting.durable ?? setting.followed)?.documents,
    });
  }

  get createdAt(): number {
    return this.#createdAt;
  }

  /**
   * Loads the stored record of the job, which includes documents adopted before. Rejects with `STORAGE` when a part of
   * it cannot be read.
   */
  async open({ createdAt, ended }: Pick<JobOpening, 'createdAt' | 'ended'>): Promise<void> {
    this.#createdAt = createdAt;
    if (ended === undefined) return;
    // All parts are read before the first is loaded: a reader never sees half a record.
    const parts: EndPart[] = [];
    for await (const part of ended.parts()) parts.push(part);
    this.log.open(parts.flatMap(({ sizes = [] }) => sizes));
    this.ledger.forgetDocuments();
    this.timings.clear();
    for (const part of parts) {
      this.ledger.load(part);
      this.timings.load(part.timings ?? []);
    }
    const order = parts.flatMap(({ order = [] }) => order);
    if (order.length > 0) this.#order = () => order;
    const { end } = ended;
    this.#credits = end.credits;
    this.#redactions = end.redactions;
    this.#usage = end.usage;
    this.#changes = end.changes;
    this.#stop = end.stop;
    this.limit = end.limit ?? Infinity;
    for (const warning of end.warnings) this.warnings.add(warning);
    this.#state = end.state;
    this.#completedAt = end.completedAt;
    this.#error = end.error === undefined ? undefined : this.#named(errorFrom(end.error));
  }

  /** The record to store for a job that ends now. */
  ending(state: StoredEnd['state'], error: unknown, completedAt: number): Omit<StoredEnd, 'parts'> {
    const { outbox } = this.#setting;
    return {
      state,
      completedAt,
      ...(error === undefined ? {} : { error: errorToStore(error) }),
      credits: this.#credits,
      ...(this.#redactions === undefined ? {} : { redactions: this.#redactions }),
      usage: this.#usage,
      warnings: [...this.warnings],
      ...(this.limit === Infinity ? {} : { limit: this.limit }),
      ...this.changes,
      ...(this.#stop === undefined ? {} : { stop: this.#stop }),
      ...(outbox === undefined ? {} : { unsent: outbox.unsent }),
    };
  }

  /** The rest of the record, which is stored first. */
  *parts(): Generator<EndPart, void, undefined> {
    for (const sizes of inParts(this.log.sizes, () => limits.numberBytes)) yield { sizes };
    for (const order of inParts(this.#order?.() ?? [], () => limits.numberBytes)) yield { order };
    yield* this.ledger.parts();
    for (const timings of this.timings.parts()) yield { timings };
  }

  /** Why the job failed, or was cancelled by its signal. */
  get error(): unknown {
    return this.#error;
  }

  get isRunning(): boolean {
    return this.#state === 'scraping';
  }

  get progress(): JobProgress {
    const counts = this.#counts;
    const completedAt = this.#completedAt;
    const elsewhere = this.isRunning
      ? [this.#elsewhere?.warning ?? [], this.#setting.followed?.warning ?? []]
      : [];
    const outbox = this.#setting.outbox?.warning ?? [];
    const warnings = [...this.warnings, ...elsewhere, outbox].flat();
    return {
      id: this.#setting.id,
      success: this.#state === 'scraping' || this.#state === 'completed',
      status: this.#state,
      total: this.#totalOf(counts),
      ...counts,
      creditsUsed: this.#credits,
      usage: this.#usage,
      ...(this.#redactions === undefined ? {} : { redactions: this.#redactions }),
      createdAt: isoTime(this.#createdAt),
      ...(completedAt === undefined ? {} : { completedAt: isoTime(completedAt) }),
      expiresAt: isoTime((completedAt ?? this.#setting.now()) + this.#setting.retention),
      ...(warnings.length === 0 ? {} : { warning: warnings.join(' ') }),
      ...(this.#stop === undefined ? {} : { stop: structuredClone(this.#stop) }),
    };
  }

  /** A URL that waits counts while the limit has room for its document. */
  #totalOf({ completed, failed, pending }: JobCounts): number {
    const done = completed + failed;
    if (this.#elsewhere !== undefined && this.isRunning) {
      return Math.max(done, this.#elsewhere.total);
    }
    return done + Math.min(pending, Math.max(0, this.limit - completed));
  }

  /** Counts of another process may be a second old: documents added since are included. */
  get #counts(): JobCounts {
    const counts = this.ledger.counts;
    if (this.#elsewhere === undefined || !this.isRunning) return counts;
    const { completed: known, failed, skipped, pending: waiting } = this.#elsewhere;
    const completed = Math.max(counts.completed, known);
    const pending = Math.max(0, waiting - (completed - known));
    const discovered = completed + failed + skipped + pending;
    return { discovered, completed, failed, skipped, pending };
  }

  /** Sets the numbers of a job that another process runs. */
  tellProgress(progress: JobProgress): void {
    this.#elsewhere = progress;
    this.#usage = progress.usage;
    this.#stop = progress.stop;
    this.#credits = Math.max(this.#credits, progress.creditsUsed);
  }

  /** The differences from an earlier crawl, of a crawl with `since`. */
  get changes(): { readonly changes?: CrawlChanges } {
    return this.#changes === undefined ? {} : { changes: structuredClone(this.#changes) };
  }

  tellChanges(changes: CrawlChanges): void {
    this.#changes = changes;
  }

  /** Why a crawl ended before its last page. */
  get stop(): CrawlStop | undefined {
    return this.#stop;
  }

  stoppedEarly(stop: CrawlStop): void {
    this.#stop = stop;
  }

  /** Sets the order of the documents in the result: retried pages came last. @default as they came */
  arrange(order: () => readonly number[]): void {
    this.#order = order;
  }

  /** All documents, in the order of the job. */
  readAll(): Promise<Document[]> {
    return this.log.readAll(this.#order?.());
  }

  /** A page of results. */
  async status(skip: number): Promise<JobStatus<Document>> {
    checkWhole('status', { skip });
    const { progress, log } = this;
    // A document that arrives while the others are read belongs to the next page.
    const available = log.length;
    const data: Document[] = [];
    let index = Math.max(skip, log.first);
    let bytes = 0;
    while (index < available) {
      bytes += log.size(index);
      // A single document above the limit is returned anyway, or it could never be read.
      if (bytes > limits.pageBytes && data.length > 0) break;
      data.push(await log.read(index));
      index += 1;
    }
    const mayFollow = index < available || progress.status === 'scraping';
    return { ...progress, ...this.changes, data, ...(mayFollow ? { next: index } : {}) };
  }

  /** A page of the skipped URLs. */
  skipped(page: { readonly skip?: number; readonly limit?: number }): SkippedUrl[] {
    const { skip = 0, limit = limits.skipped } = page;
    checkWhole('skipped', { skip, limit });
    return this.ledger.skips(skip, limit);
  }

  /** Counts a document that is in the log. */
  kept({ url, credits, redactions }: Omit<StoredDocument, 'size'>): void {
    this.#credits += credits;
    if (redactions !== undefined) this.#redactions = sumOf(this.#redactions ?? {}, redactions);
    this.ledger.completed(url);
  }

  /** Records a failure, with its document while there is room. */
  failed(failure: PageFailure): void {
    const { document, ...bare } = failure;
    const size = document === undefined ? 0 : this.#sizeOf(document);
    const isKept = this.#setting.keepsDocuments && this.#evidence + size <= limits.evidenceBytes;
    if (isKept) this.#evidence += size;
    this.ledger.failed(isKept ? failure : bare);
  }

  /** Bytes of a document; Infinity for one that cannot be stored. */
  #sizeOf(document: PlainDocument): number {
    try {
      return documentBytes(document).length;
    } catch {
      return Infinity;
    }
  }

  use(more: JobUsage): void {
    this.#usage = addJobUsage(this.#usage, more);
  }

  end(state: Exclude<JobState, 'scraping'>, error: unknown, completedAt: number): void {
    this.#state = state;
    this.#error = this.#named(error);
    this.#completedAt = completedAt;
  }

  /** True when the results have expired. */
  get expired(): boolean {
    const { now, retention } = this.#setting;
    const end = this.#completedAt;
    return this.#isDropped || (end !== undefined && now() > end + retention);
  }

  /** Throws `JOB_EXPIRED` when the results have expired. */
  refuseExpired(): void {
    if (!this.expired) return;
    const { id } = this.#setting;
    throw new PagewrightError('JOB_EXPIRED', `The results of job ${id} have expired.`);
  }

  /** True while further documents may come; throws the job's error, and `JOB_EXPIRED`. */
  mayGrow(): boolean {
    this.refuseExpired();
    if (this.#error !== undefined) throw this.#error;
    return this.isRunning;
  }

  async drop(): Promise<void> {
    this.#isDropped = true;
    await (this.#setting.durable ?? this.log).drop();
  }
}

function checkWhole(call: string, numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (Number.isInteger(value) && value >= 0) continue;
    const message = `${name}: expected a whole number of at least 0, got ${String(value)}`;
    throw new ValidationError(call, [{ path: [name], message }]);
  }
}

function sumOf(
  counts: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const types = new Set([...Object.keys(counts), ...Object.keys(more)]);
  return Object.fromEntries(
    [...types].map((type) => [type, (counts[type] ?? 0) + (more[type] ?? 0)]),
  );
}
