/** Counts the visits of one worker, and publishes them to the channels of `node:diagnostics_channel`. */
import { channel } from 'node:diagnostics_channel';
import type { EngineNumbers } from '../../core/model/fleet-status.ts';
import type { VisitTask } from '../../core/model/page-visitor.ts';
import { pageSeconds } from '../../core/telemetry/page-seconds.ts';
import { type EngineClass, engineClasses } from './redis-connections.ts';

/**
 * How a visit ended:
 * - `page`: the page was read
 * - `failed`: it failed, which is its outcome
 * - `poison`: it failed because each worker that had it was lost
 * - `cancelled`: its job ended
 * - `postponed`: its host is closed; the page is visited later
 * - `moved`: it needs a browser, and was left to a worker that has one
 * - `drained`: the worker was drained
 * - `lost`: others were given the page, because the worker had not answered
 * - `retried`: Redis or the storage failed
 * - `refused`: this worker cannot visit it, which ends its job
 */
export const visitOutcomes = [
  'page',
  'failed',
  'poison',
  'cancelled',
  'postponed',
  'moved',
  'drained',
  'lost',
  'retried',
  'refused',
] as const;

export type VisitOutcome = (typeof visitOutcomes)[number];

/** A message of the channels `pagewright:fleet:stalled` and, with its end, `pagewright:fleet:visit` and `pagewright:fleet:lost`. */
export interface FleetPage {
  readonly workerId: string;
  readonly jobId: string;
  readonly url: string;
  readonly engine: EngineClass;
}

/** A message of the channel `pagewright:fleet:visit`, and of `pagewright:fleet:lost` for visits that were lost. */
export interface FleetVisit extends FleetPage {
  readonly outcome: VisitOutcome;
  /** Milliseconds from its message to its end. */
  readonly ms: number;
}

/** The ended visits of one class of engines. */
export class EngineCounts {
  busy = 0;
  stalled = 0;
  seconds = 0;
  readonly outcomes: Record<VisitOutcome, number> = {
    page: 0,
    failed: 0,
    poison: 0,
    cancelled: 0,
    postponed: 0,
    moved: 0,
    drained: 0,
    lost: 0,
    retried: 0,
    refused: 0,
  };
  /** Visits up to each of `pageSeconds`, without visits up to smaller ones; the last number is the rest. */
  readonly buckets: number[] = [...pageSeconds, Infinity].map(() => 0);

  get ended(): number {
    return Object.values(this.outcomes).reduce((sum, count) => sum + count, 0);
  }
}

/** The counts of one worker. */
export class VisitCounters {
  readonly #workerId: string;
  readonly byEngine: Readonly<Record<EngineClass, EngineCounts>> = {
    http: new EngineCounts(),
    browser: new EngineCounts(),
  };
  readonly #visits = channel('pagewright:fleet:visit');
  readonly #losses = channel('pagewright:fleet:lost');
  readonly #stalls = channel('pagewright:fleet:stalled');

  constructor(workerId: string) {
    this.#workerId = workerId;
  }

  /** The same number of each class. */
  numbers(of: (counts: EngineCounts) => number): EngineNumbers {
    return { http: of(this.byEngine.http), browser: of(this.byEngine.browser) };
  }

  /** The sum over the classes. */
  sum(of: (counts: EngineCounts) => number): number {
    return engineClasses.reduce((sum, engine) => sum + of(this.byEngine[engine]), 0);
  }

  /** Counts a visit that begins; the function is called with its end. `isStalled`: another worker was lost with the page. */
  begin(
    { jobId, url }: VisitTask,
    engine: EngineClass,
    isStalled: boolean,
  ): (outcome: VisitOutcome) => void {
    const counts = this.byEngine[engine];
    const began = performance.now();
    const page = (): FleetPage => ({ workerId: this.#workerId, jobId, url, engine });
    counts.busy += 1;
    if (isStalled) {
      counts.stalled += 1;
      if (this.#stalls.hasSubscribers) this.#stalls.publish(page());
    }
    return (outcome) => {
      const ms = performance.now() - began;
      counts.busy -= 1;
      counts.outcomes[outcome] += 1;
      counts.seconds += ms / 1000;
      const at = pageSeconds.findIndex((bound) => ms / 1000 <= bound);
      const bucket = at < 0 ? pageSeconds.length : at;
      counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
      const channels = [this.#visits, ...(outcome === 'lost' ? [this.#losses] : [])];
      for (const one of channels) {
        if (one.hasSubscribers) one.publish({ ...page(), outcome, ms } satisfies FleetVisit);
      }
    };
  }
}
