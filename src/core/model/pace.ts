/** The pace of a job's requests to their hosts, and the hints of its pages about rendering. */

/** A request's permit at its host. It ends once; later calls do nothing. */
export interface HostPermit extends Disposable {
  /** The request is sent now: gaps to other requests count from here. Called again if something held it up. */
  start(): void;
  /** Records a good response of the host. */
  succeeded(): void;
  /** Records that the host was overloaded or silent; `pause` is its Retry-After in ms. */
  failed(pause?: number): void;
}

/** What several processes know together of the hosts that they ask: gaps, pauses, load. */
export interface SharedHosts {
  /** Asks for the next turn at a host and port. Never rejects. */
  take(host: string, request: TurnRequest): Promise<HostTurn>;
}

/** The limits of the requests to a host: those of all jobs, and of all processes. Infinity for none. */
export interface HostLimits {
  /** The least gap between a request and those before and after it, in milliseconds. */
  readonly delay: number;
  /** The most requests in flight. */
  readonly most: number;
  /** The most requests that start within a minute. */
  readonly perMinute: number;
}

/** A request that wants a turn. */
export interface TurnRequest extends HostLimits {
  /** It is a redirect hop of a request in flight: only its gap counts. */
  readonly isHop: boolean;
}

/** The answer: `granted` after `wait` ms, `closed` or `full` for about `wait` ms, or given up. */
export interface HostTurn {
  readonly state: 'granted' | 'closed' | 'full' | 'unavailable';
  /** In milliseconds. */
  readonly wait: number;
  /** Ends a turn that was granted. */
  end(outcome?: TurnOutcome): void;
}

/** What a request says about its host. */
export interface TurnOutcome {
  readonly isGood: boolean;
  /** Milliseconds since the request was sent. */
  readonly sentFor: number;
  /** Retry-After, in milliseconds. */
  readonly pause: number;
}

/** One task's permit in its job: the task waits in the job's queue for it, holds it, and releases it. */
export interface TaskPermit {
  /** The same object for all permits of one job. */
  readonly job: object;
  /** The job's signal. */
  readonly signal: AbortSignal;
  /** The lowest is next; negative when the task held the permit before. */
  readonly priority: number;
  /**
   * True when the task holds the permit now; otherwise `later` is called once when one may be free.
   */
  tryAcquire(later: () => void): boolean;
  /** Releases the permit: at the end, or while the task waits. */
  release(): void;
  /** Calls back when the job's signal aborts; the returned function removes the listener. */
  onAbort(callback: () => void): () => void;
}

/** A job's pace for the requests of one page. */
export interface Pace {
  /** The least gap between two request starts at the host, in milliseconds. @default 0 */
  readonly delay?: number | undefined;
  /** The most requests of the job in flight at the host. @default no limit */
  readonly concurrency?: number | undefined;
  /** Requests with the same object count together for `concurrency`: a job's pages and files. */
  readonly job?: object | undefined;
  /** Robots.txt or a sitemap: its latency says nothing about pages. @default false */
  readonly isFile?: boolean | undefined;
  /** The task permit, which a page does not hold while it waits for its host. */
  readonly permit?: TaskPermit | undefined;
  /** The host permit of the first request, acquired before the page's own time began. */
  readonly hostPermit?: HostPermit | undefined;
  /** Called for each redirect that is followed. */
  readonly onRedirect?: (() => void) | undefined;
}

// Observations of a job's pages about their host: whether it needs a browser.

/**
 * The observation of one page. `none` also stands for a page that failed, came from the cache, or
 * went to a browser at once; for a signal that `wasWrong` the browser added nothing, an `ignored`
 * one had been wrong before.
 */
export type RenderObservation =
  | 'none'
  | 'static'
  | {
      /** The words of `renderingSignal` for the static attempt. */
      readonly signal: string;
      readonly outcome: 'wasRight' | 'wasWrong' | 'ignored';
    };

/** Hints that one page gets from earlier pages, and its observation for later ones. */
export interface RenderHints {
  /** Why this page skips the static attempt, in words for `metadata.engineReason`. */
  readonly reasonToRender: string | undefined;
  /** False for a signal that was wrong on this host before; a promise while that is unknown. */
  isReliable(signal: string): boolean | Promise<boolean>;
  /** Records the observation of the page; the first call counts. */
  record(observation: RenderObservation): void;
}

/** The hints of one page as plain data, for a visit in another process. */
export interface SentRenderHints {
  readonly reasonToRender?: string | undefined;
  /** Signals that were wrong on this host before. */
  readonly unreliable: readonly string[];
}
