/** The status that a job gives its caller, and the interfaces between a job, its work and its client. */
import type {
  CrawlChanges,
  CrawlStop,
  JobCounts,
  JobInput,
  JobState,
  JobUsage,
  PageFailure,
  SkippedUrl,
} from '../model/job.ts';
import type { Store } from '../storage/store.ts';
import type { JobMessage } from '../telemetry/channels.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { WebhookOutbox } from './webhooks/webhook-outbox.ts';
import type { DurableJob, EndedJob, JobOpening } from './durable/durable-job.ts';
import type { DocumentAbout } from './document-log.ts';
import type {
  DocumentOfVisit,
  Journal,
  StoredDocument,
  StoredDocuments,
} from './durable/journal.ts';
import type { Ledger } from './ledger.ts';
import type { FetchTiming } from './page-timings.ts';

/** The numbers of a job at one moment. */
export interface JobProgress extends JobCounts {
  readonly id: string;
  /** False when the job failed or was cancelled. */
  readonly success: boolean;
  readonly status: JobState;
  /**
   * URLs that are done or may become documents: discovered without the skipped, and of those that wait no more than
   * the `limit` has room for.
   */
  readonly total: number;
  readonly creditsUsed: number;
  readonly usage: JobUsage;
  /** With `redact`: the sums of the documents' `metadata.redactions`, by type. */
  readonly redactions?: Readonly<Record<string, number>>;
  /** ISO 8601, as the other times. */
  readonly createdAt: string;
  readonly completedAt?: string;
  /**
   * When the stored results are dropped: 24 hours after the end, or what `jobRetention` says. While the job runs:
   * if it ended now.
   */
  readonly expiresAt: string;
  readonly warning?: string;
  /** Of a crawl that ended because its query was answered. */
  readonly stop?: CrawlStop;
}

/** One page of a job's results, at most 10 MB of documents. */
export interface JobStatus<Document> extends JobProgress {
  readonly data: Document[];
  /** So far, of a crawl with `since`. */
  readonly changes?: CrawlChanges;
  /**
   * The `skip` of the following page: there while the job runs, even when no further document is there
   * yet, and absent once all documents of a job that has ended are given.
   */
  readonly next?: number;
}

/** The value of `await job`: the final numbers and all documents in their order. */
export interface JobResult<Document> extends JobProgress {
  readonly data: Document[];
  /** Of a crawl with `since`. */
  readonly changes?: CrawlChanges;
  readonly errors: PageFailure[];
}

/** The calls by which the work of a job changes the job. */
export interface JobControl<Document> {
  readonly id: string;
  /** Milliseconds since 1970: when the job began, in this process or an earlier one. */
  readonly createdAt: number;
  /** Milliseconds that the job ran in earlier processes. */
  readonly ranBefore: number;
  /** The distance at which pages learn; undefined for a job that is not stored. */
  readonly learningDistance: number | undefined;
  readonly ledger: Ledger;
  /** The pages being visited, from their request on. */
  readonly active: Set<string>;
  readonly journal: Journal;
  /** Aborts when the job is cancelled. */
  readonly signal: AbortSignal;
  /** Rounds that revisit failed pages, after the job's own work. */
  readonly retries: number;
  /** Begins the next of these rounds, once the previous one is settled. */
  beginRetry(): void;
  /** Sets the numbers of the documents in the order of the result, as far as there are documents. */
  arrange(order: () => readonly number[]): void;
  /** Adds a document to iterators, events and the result. */
  keep(document: Document, about: DocumentAbout): Promise<void>;
  /** True while a reader, a listener or a webhook needs documents as they come. */
  isHeard(): boolean;
  /** Adds a document that is stored with the visit of its page; it is read on demand. */
  keepVisit(url: string, document: DocumentOfVisit): Promise<void>;
  /** The next document, if an earlier process stored it for this URL. */
  stored(url: string): StoredDocument | undefined;
  /** Adds a document of an earlier process unchanged; listeners received it when it was made. */
  adopt(document: StoredDocument): Promise<void>;
  /** The pages of an extraction are known. */
  found(urls: readonly string[]): void;
  /** A page of an extraction was read: it becomes no document. */
  answered(url: string, credits: number): void;
  /** True while listeners and hooks received everything in an earlier process. */
  isSilent(): boolean;
  fail(failure: PageFailure): void;
  skip(skip: SkippedUrl): void;
  /** Skips a URL that repeats in its list. */
  repeat(skip: SkippedUrl): void;
  use(usage: JobUsage): void;
  /** Records the fetch of a page. */
  timed(url: string, timing: FetchTiming): void;
  /** Records what the last visit of a page kept for its failure. */
  seen(url: string, kept: PageFailure['kept']): void;
  /** Sets the changes that the job reports; they grow while it runs. */
  tellChanges(changes: CrawlChanges): void;
  /** Sets why the crawl ends before its last page. */
  stoppedEarly(stop: CrawlStop): void;
  /** Sets the most documents that the job may have. */
  limitTo(limit: number): void;
  /** Adds a sentence to the job's warning, once. */
  warn(sentence: string): void;
  /** Resolves when a consumer wants more, or no reader paces the job. */
  wanted(): Promise<void>;
  /** False while every reader still has documents to take, and no caller awaits the job. */
  isAskedForMore(): boolean;
  /** Resolves when a document was added, or a reader moved or left. */
  changed(): Promise<void>;
  /** True while a reader waits for a document, or a caller awaits the job. */
  isWaitedFor(): boolean;
  /** Adopts the documents that another process has stored since the last call. */
  adoptStored(): Promise<void>;
  /** Sets the numbers of a job that another process runs. */
  tellProgress(progress: JobProgress): void;
  /** Ends the job as it ended in another process. Rejects with `STORAGE` when its record cannot be read. */
  adoptEnd(ended: EndedJob): Promise<void>;
}

/** A job in the store that another process runs. */
export interface FollowedSource {
  readonly documents: StoredDocuments;
  /** Set while no process runs the job. */
  readonly warning: string | undefined;
  open(): Promise<Pick<JobOpening, 'createdAt' | 'ended'>>;
  /** Requests cancellation from the process that runs the job. */
  cancel(): void;
  /** Resolves when the request to cancel is stored. */
  release(): Promise<void>;
  /** Reads the store now; resolves once done, or when the job has ended. */
  look(): Promise<void>;
  /** Polls the store until the job has ended, even without a waiting reader. */
  watch(): void;
}

/** The parts of the client that a job needs. */
export interface JobSetting {
  readonly id: string;
  readonly store: Store;
  readonly now: () => number;
  /** Milliseconds that results are stored after the end. */
  readonly retention: number;
  /** False: a document is forgotten once every reader has it. */
  readonly keepsDocuments: boolean;
  readonly logger: { warn(message: string): void };
  readonly telemetry: Telemetry;
  /** The call, as telemetry names it; undefined for a job of the storage. */
  readonly traced?: Partial<Pick<JobMessage, 'verb' | 'url'>>;
  /** The caller's signal: aborting rejects with `CANCELLED`. */
  readonly signal?: AbortSignal | undefined;
  /** The client's signal: closing the client cancels the job. */
  readonly clientSignal: AbortSignal;
  /** The job in the store, if it outlives the process. */
  readonly durable?: DurableJob | undefined;
  /** Set for a job that another process runs: it is only read here. */
  readonly followed?: FollowedSource;
  /** Readers of a resumed job begin with the first document, not where they were. @default false */
  readonly fromStart?: boolean;
  /** Called before a resumed job continues, or when it has ended and has events to send. */
  readonly onResumed?: () => void;
  /** The class whose caller is named in errors. @default Job */
  readonly called?: object;
  /** The call that started the job; undefined until a job of the storage is open. */
  readonly input?: JobInput | undefined;
  /** Where the job's events are sent. */
  readonly outbox?: WebhookOutbox | undefined;
}
