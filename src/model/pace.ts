/** How the requests of a job keep to their hosts' pace. */

/** A request's turn at its host. It ends once; what is called after that does nothing. */
export interface Turn extends Disposable {
  /** The request is sent now: distances to others count from here. */
  start(): void;
  /** The host answered as it should. */
  succeeded(): void;
  /** The host was overloaded or silent; `pause` is what its Retry-After asks for, in ms. */
  failed(pause?: number): void;
}

/** With it a task waits in its job's queue for one of the job's slots, and gives the slot back. */
export interface Ticket {
  /** The same for all tickets of one job. */
  readonly job: object;
  /** The job's. */
  readonly signal: AbortSignal;
  /** The lowest is next; negative when the task had a slot before. */
  readonly priority: number;
  /** True when the task has a slot now; otherwise `later` is called once when one may be free. */
  takeSlot(later: () => void): boolean;
  /** Gives the slot back: at the end, or while the task waits for something else. */
  leaveSlot(): void;
  /** Calls back when the job's signal aborts; the returned function prevents it. */
  onAbort(callback: () => void): () => void;
}

/** What a job says about the requests for one page. */
export interface Pace {
  /** Milliseconds between two request starts at the host, at least. @default 0 */
  readonly delay?: number | undefined;
  /** Requests of the job that the host has under way at a time. @default no limit */
  readonly concurrency?: number | undefined;
  /** Requests with the same object count together for `concurrency`: a job's pages and files. */
  readonly job?: object | undefined;
  /** Robots.txt, a sitemap: how fast it comes says nothing about pages. @default false */
  readonly isFile?: boolean | undefined;
  /** While a page waits for its host it holds no slot of its job. */
  readonly ticket?: Ticket | undefined;
  /** That of the first request, waited for before the page's own time began. */
  readonly turn?: Turn | undefined;
  /** Told of each redirect that is followed. */
  readonly onRedirect?: (() => void) | undefined;
}
