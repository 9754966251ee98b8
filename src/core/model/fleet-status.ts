/** The state of a fleet, as plain data. */

/** A number for each class of engines: pages that need a browser, and all others. */
export interface EngineNumbers {
  readonly http: number;
  readonly browser: number;
}

/** One worker, as it described itself in the last seconds. */
export interface WorkerStatus {
  readonly id: string;
  /** The name of its machine. */
  readonly host: string;
  readonly pid: number;
  /** The version of the package; pages go to workers of the same minor version. */
  readonly version: string;
  readonly place?: string | undefined;
  readonly setup?: string | undefined;
  /** Pages that it visits at a time. */
  readonly slots: EngineNumbers;
  /** Pages that it visits now. */
  readonly busy: EngineNumbers;
  /** True from `drain()` on: it takes no more pages. */
  readonly isDraining: boolean;
  /** Resident memory in bytes. */
  readonly rss: number;
  /** Visits that ended since it was started, in any way. */
  readonly visits: number;
  /** Visits that others were given because it had not answered for `recovery`. */
  readonly lost: number;
}

/** The pages that one kind of workers takes: those for one engine class, version, place and set-up. */
export interface ClassStatus {
  readonly engine: keyof EngineNumbers;
  /** Major and minor, such as `0.1`. */
  readonly version: string;
  readonly place?: string | undefined;
  readonly setup?: string | undefined;
  /** Workers that take such pages. */
  readonly workers: number;
  /** Their slots together. */
  readonly slots: number;
  /** Pages that workers have now. */
  readonly busy: number;
  /** Pages that wait for a worker. */
  readonly waiting: number;
  /** Milliseconds that the first of them has waited, by the clock of the process that sent it; 0 without any. */
  readonly oldest: number;
}

/** The workers of a fleet, and what waits for them. */
export interface FleetStatus {
  /** True from `pause()` to `resume()`. */
  readonly isPaused: boolean;
  readonly workers: readonly WorkerStatus[];
  /** Those of the fleet itself, and all others that have workers or pages. */
  readonly classes: readonly ClassStatus[];
  /** Crawls that were left to workers altogether. */
  readonly crawls: { readonly waiting: number; readonly running: number };
}
