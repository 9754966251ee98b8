/** The pace of a job's requests to their hosts, and the hints of its pages about rendering. */

/** A request's permit at its host. It ends once; what is called after that does nothing. */
export interface HostPermit extends Disposable {
  /** The request is sent now: distances to others count from here. */
  start(): void;
  /** The host answered as it should. */
  succeeded(): void;
  /** The host was overloaded or silent; `pause` is what its Retry-After asks for, in ms. */
  failed(pause?: number): void;
}

/** One task's permit in its job: the task waits in the job's queue for it, holds it, and releases it. */
export interface TaskPermit {
  /** The same for all permits of one job. */
  readonly job: object;
  /** The job's. */
  readonly signal: AbortSignal;
  /** The lowest is next; negative when the task held the permit before. */
  readonly priority: number;
  /** True when the task holds the permit now; otherwise `later` is called once when one may be free. */
  tryAcquire(later: () => void): boolean;
  /** Releases the permit: at the end, or while the task waits for something else. */
  release(): void;
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
  /** While a page waits for its host it holds no permit of its job. */
  readonly permit?: TaskPermit | undefined;
  /** That of the first request, waited for before the page's own time began. */
  readonly hostPermit?: HostPermit | undefined;
  /** Told of each redirect that is followed. */
  readonly onRedirect?: (() => void) | undefined;
}

// What the pages of a job teach of their host: whether it needs a browser.

/**
 * What one page said. `none` is also a page that failed, came from a copy, or was given to a browser at
 * once; a signal that `wasWrong` made a browser bring nothing, one that was `ignored` had done so before.
 */
export type RenderObservation =
  | 'none'
  | 'static'
  | {
      /** The words of `renderingSignal` for the static try. */
      readonly signal: string;
      readonly outcome: 'wasRight' | 'wasWrong' | 'ignored';
    };

/** What one page is taught by those before it, and teaches those after it. */
export interface RenderHints {
  /** Why the static try of this page is left out, in words for `metadata.engineReason`. */
  readonly reasonToRender: string | undefined;
  /** False for a signal that was wrong on this host before; a promise where that is not known yet. */
  isReliable(signal: string): boolean | Promise<boolean>;
  /** Told what the page said; the first time counts. */
  record(lesson: RenderObservation): void;
}
