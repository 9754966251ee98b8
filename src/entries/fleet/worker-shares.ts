/** Shares the workers of a fleet among the jobs of one client, and warns a job whose pages no worker takes. */
import type { EngineNumbers } from '../../core/model/fleet-status.ts';
import type { SendingJob, VisitorShare } from '../../core/model/page-visitor.ts';
import { packageVersion } from '../../core/runtime/package-version.ts';
import {
  type EngineClass,
  engineClasses,
  type FleetSettings,
  minorOf,
} from './redis-connections.ts';
import { renewal } from './roster.ts';

const shares = {
  pagesPerSlot: 1.25, // active pages per slot: the next page is there when a worker has room
  least: 8, // active pages of one job
  most: 1000,
};

/** The fleet's data about its workers. */
export interface WorkersSetting {
  readonly settings: FleetSettings;
  /** The slots of the workers that take the pages of this process. */
  readonly slots: () => Promise<EngineNumbers & { readonly isPaused: boolean }>;
  /** The engines that pages of a job have been waiting for since that time, by `performance.now()`. */
  readonly waiting: (jobId: string, since: number) => ReadonlySet<EngineClass>;
}

/** Watches the workers while a job runs. */
export class WorkerShares {
  readonly #setting: WorkersSetting;
  /** The jobs that run, each with the warnings it got. */
  readonly #jobs = new Map<SendingJob, Set<string>>();
  /** When there last was a worker for these pages, by `performance.now()`. */
  readonly #seen = new Map<EngineClass, number>();
  #pages = 0;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(setting: WorkersSetting) {
    this.#setting = setting;
  }

  /** Never rejects. */
  async join(job: SendingJob): Promise<VisitorShare> {
    if (this.#jobs.size === 0) {
      for (const engine of engineClasses) this.#seen.set(engine, performance.now());
      this.#timer = setInterval(() => void this.#readSlots(), renewal).unref();
    }
    this.#jobs.set(job, new Set());
    await this.#readSlots();
    const pages = (): number => {
      const share = Math.round((this.#pages * shares.pagesPerSlot) / Math.max(1, this.#jobs.size));
      return Math.min(Math.max(share, shares.least), shares.most);
    };
    return {
      get pages() {
        return pages();
      },
      [Symbol.dispose]: () => this.#leave(job),
    };
  }

  /** Stops watching. */
  close(): void {
    clearInterval(this.#timer);
  }

  #leave(job: SendingJob): void {
    this.#jobs.delete(job);
    if (this.#jobs.size === 0) this.close();
  }

  /** Reads the numbers of slots. Without an answer the last ones stay. */
  #readSlots(): Promise<void> {
    const read = async (): Promise<void> => {
      try {
        const { isPaused, ...slots } = await this.#setting.slots();
        this.#pages = slots.http + slots.browser;
        this.#warn(slots, isPaused);
      } catch {
        // Visits report the error.
      } finally {
        this.#looking = undefined;
      }
    };
    return (this.#looking ??= read());
  }

  #warn(slots: EngineNumbers, isPaused: boolean): void {
    const now = performance.now();
    const since = now - 2 * this.#setting.settings.recovery;
    for (const engine of engineClasses) {
      if (slots[engine] > 0 && !isPaused) this.#seen.set(engine, now);
      if ((this.#seen.get(engine) ?? now) > since) continue;
      for (const [job, warned] of this.#jobs) {
        const kind = isPaused ? 'paused' : engine;
        if (warned.has(kind) || !this.#setting.waiting(job.id, since).has(engine)) continue;
        warned.add(kind);
        job.warn(isPaused ? pausedWarning : missingWarning(engine, this.#setting.settings));
      }
    }
  }
}

const pausedWarning = 'The fleet is paused: pages wait until fleet.resume() is called.';

/** Names the missing worker, and the command to start it. */
function missingWarning(
  engine: EngineClass,
  { place, setup, prefix }: Pick<FleetSettings, 'place' | 'setup' | 'prefix'>,
): string {
  const kind = [`version ${minorOf(packageVersion())}`];
  const words = ['pagewright worker --redis <url>'];
  if (prefix !== 'pagewright:') words.push(`--prefix ${prefix}`);
  if (place !== undefined) {
    kind.push(`place ${place}`);
    words.push(`--place ${place}`);
  }
  if (setup !== undefined) {
    kind.push(`set-up ${setup}`);
    words.push(`--setup ${setup}`);
  }
  if (engine === 'browser') words.push('--browser-slots 4');
  const pages = engine === 'browser' ? 'Pages that need a browser wait' : 'Pages wait';
  return `${pages}: no worker of class ${engine} (${kind.join(', ')}) runs. Start one: ${words.join(' ')}, or startWorker().`;
}
