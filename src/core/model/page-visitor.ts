/** Visits by other processes: they visit the pages of a job, or run it as a whole. */
import type { SentRenderHints } from './pace.ts';

/** A page that another process visits, as plain data: it is sent as JSON. */
export interface VisitTask {
  /** The id of a crawl, batch or extraction in the store that both processes use. */
  readonly jobId: string;
  readonly url: string;
  /** An entry of the crawl's frontier, a target of the batch, or `{ isWhole }` of an extraction. */
  readonly page: Readonly<Record<string, unknown>>;
  /** The least gap between two requests to the host, in milliseconds. */
  readonly delay?: number | undefined;
  /** True for a page that cannot be fetched without a browser, and for one whose host needs one. */
  readonly needsBrowser: boolean;
  /** True for a page about which a model is asked: a worker without one cannot visit it. */
  readonly needsModel: boolean;
  /** The round in which failed pages of the job are retried. @default 0: the first one */
  readonly round?: number | undefined;
  /** Absent where the page's options decide how it is rendered. */
  readonly renderHints?: SentRenderHints | undefined;
}

/** A job whose pages are visited by other processes. */
export interface SendingJob {
  readonly id: string;
  /** Called once for what keeps its pages waiting. */
  warn(sentence: string): void;
}

/** What a job may use of the other processes, until it is disposed of. */
export interface VisitorShare extends Disposable {
  /** Pages that the job should have under way now; it changes with the processes and with their jobs. */
  readonly pages: number;
}

/** Has the pages of one job visited by other processes. */
export interface PageVisitor {
  /**
   * Resolves when the visit is stored with its job, with its facts where they came along; or when it was lost:
   * the caller looks, and asks again. Rejects with `STORAGE` when the page cannot be sent, and with the signal's
   * reason.
   */
  visit(task: VisitTask, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Begins a job. Resolves in bounded time, and never rejects: `visit` tells what is wrong. */
  join(job: SendingJob): Promise<VisitorShare>;
}

/** Other processes that visit pages of jobs. */
export interface VisitorPool extends Pick<PageVisitor, 'join'> {
  /** `messageKey` is the one in the job's manifest: it signs messages about its pages. */
  forJob(messageKey: string): PageVisitor;
}

/** Hands whole jobs of the store over to other processes. */
export interface JobQueue {
  /** The processes that take jobs from here have a queue of the same name. */
  readonly name: string;
  /** Adds a job, unless it is there. Rejects with `STORAGE` when the queue does not take it. */
  add(jobId: string): Promise<void>;
  /** Takes back a job that no process runs yet. */
  remove(jobId: string): Promise<void>;
}
