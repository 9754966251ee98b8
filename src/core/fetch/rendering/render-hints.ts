/**
 * Render hints of a running job: the hosts that need a browser, and the signals that are
 * unreliable.
 *
 * A page reads the observations of pages some positions before it in the job, and waits for those
 * still in flight. The hints therefore do not depend on time, and a job decides the same at any
 * speed. Most pages do not wait: the pages right before that distance are enough.
 */
import type { Engine } from '../../model/engine.ts';
import type { RenderHints, RenderObservation, SentRenderHints } from '../../model/pace.ts';
import type { ScrapeRequest } from '../../model/request.ts';
import { withSignal } from '../../runtime/deadline.ts';

const limits = {
  leastDistance: 20, // between a page and the pages whose observations it reads
  distancePerPage: 2, // the same for each page that a job has in flight at a time
  inARow: 3, // pages in a row that needed the browser before the static attempt is skipped
  falseAlarms: 2, // of one signal before it counts as unreliable
  probeEvery: 51, // one page in this many has a static attempt: the host may have changed
  hosts: 1000, // in memory; the least recently updated one is dropped first
};

/** The distance for a job that has so many pages in flight at a time. */
export function learningDistance(concurrency: number): number {
  return Math.max(limits.leastDistance, limits.distancePerPage * concurrency);
}

/** Maximum pages whose observations a page reads. */
const historyLength = 4 * limits.probeEvery;

/** The data that decides on the static attempt. */
type RenderChoice = Pick<ScrapeRequest<unknown>, 'mayRender' | 'requires'>;

/** The render hints of one visit. Disposal records `none` where nothing was recorded. */
export interface VisitHints extends RenderHints, Disposable {
  /** The observation of this page. */
  readonly observation: RenderObservation | undefined;
  /**
   * Decides about the static attempt. Undefined if there is no decision: the options of the page
   * name the engine, or no engine renders. Rejects with the signal's reason when it aborts.
   */
  hintsFor(
    request: RenderChoice,
    engines: readonly Engine[],
    signal: AbortSignal,
  ): Promise<RenderHints | undefined>;
  /** The same as plain data, for a visit in another process. */
  toSend(
    request: RenderChoice,
    engines: readonly Engine[],
    signal: AbortSignal,
  ): Promise<SentRenderHints | undefined>;
}

/** The render hints of one job. */
export class JobRenderHints {
  readonly #distance: number;
  readonly #hosts = new Map<string, HostObservations>();

  /**
   * `concurrency` is the number of pages that the job has in flight at a time. A resumed job passes its original
   * `distance`.
   */
  constructor(concurrency: number, distance: number = learningDistance(concurrency)) {
    this.#distance = distance;
  }

  /** Assigns a page its position. Call it in page order; each result must be disposed of. */
  begin(url: string): PageRenderHints {
    const { host: key } = new URL(url);
    const host = this.#hosts.get(key) ?? new HostObservations();
    this.#hosts.delete(key);
    this.#hosts.set(key, host);
    if (this.#hosts.size > limits.hosts) {
      for (const oldest of this.#hosts.keys()) {
        this.#hosts.delete(oldest);
        break;
      }
    }
    return new PageRenderHints(host, this.#distance);
  }
}

/** Observations of a host's pages, by position. */
class HostObservations {
  /** Undefined for a page in flight. */
  readonly observations: (RenderObservation | undefined)[] = [];
  readonly #waiting = new Map<number, (() => void)[]>();

  /** Resolves when the page at that position has an observation. */
  recorded(position: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(position);
      if (waiting === undefined) this.#waiting.set(position, [resolve]);
      else waiting.push(resolve);
    });
  }

  record(position: number, observation: RenderObservation): void {
    this.observations[position] = observation;
    for (const resolve of this.#waiting.get(position) ?? []) resolve();
    this.#waiting.delete(position);
  }
}

/** An answer, or the position of the page in flight it depends on. */
type PendingAnswer = boolean | { readonly after: number };

/**
 * One page's position among those of its host. Disposal ends the wait of others for its
 * observation.
 */
export class PageRenderHints implements VisitHints {
  readonly #host: HostObservations;
  readonly #position: number;
  /** Position of the last page whose observation this one reads. */
  readonly #last: number;
  #reasonToRender: string | undefined;

  constructor(host: HostObservations, distance: number) {
    this.#host = host;
    this.#position = host.observations.push(undefined) - 1;
    this.#last = this.#position - distance;
  }

  get reasonToRender(): string | undefined {
    return this.#reasonToRender;
  }

  get observation(): RenderObservation | undefined {
    return this.#host.observations[this.#position];
  }

  async hintsFor(
    { mayRender, requires }: RenderChoice,
    engines: readonly Engine[],
    signal: AbortSignal,
  ): Promise<RenderHints | undefined> {
    const isOpen = mayRender && requires.size === 0 && engines.some(({ can }) => can.has('render'));
    if (!isOpen) {
      this.record('none');
      return undefined;
    }
    if ((this.#position + 1) % limits.probeEvery === 0) return this;
    const needed = this.#settle(() => this.#isNeeded());
    const isNeeded = typeof needed === 'boolean' ? needed : await withSignal(needed, signal);
    if (isNeeded) {
      this.#reasonToRender = `needed by the last ${limits.inARow} pages of this host`;
      // Without a static attempt there is no observation: no page must wait for it.
      this.record('none');
    }
    return this;
  }

  /** Waits for all observations that this page reads. */
  async toSend(
    request: RenderChoice,
    engines: readonly Engine[],
    signal: AbortSignal,
  ): Promise<SentRenderHints | undefined> {
    const hints = await this.hintsFor(request, engines, signal);
    if (hints === undefined) return undefined;
    const { reasonToRender } = this;
    const seen = new Set<string>();
    for (const [position] of this.#observations()) {
      if (this.#host.observations[position] === undefined) {
        await withSignal(this.#host.recorded(position), signal);
      }
      const observation = this.#host.observations[position];
      if (typeof observation === 'object') seen.add(observation.signal);
    }
    const unreliable = [...seen].filter((one) => this.#isRight(one) === false);
    return { unreliable, ...(reasonToRender === undefined ? {} : { reasonToRender }) };
  }

  isReliable(signal: string): boolean | Promise<boolean> {
    return this.#settle(() => this.#isRight(signal));
  }

  record(observation: RenderObservation): void {
    if (this.observation === undefined) this.#host.record(this.#position, observation);
  }

  [Symbol.dispose](): void {
    this.record('none');
  }

  #settle(decide: () => PendingAnswer): boolean | Promise<boolean> {
    const answer = decide();
    if (typeof answer === 'boolean') return answer;
    return this.#host.recorded(answer.after).then(() => this.#settle(decide));
  }

  #isNeeded(): PendingAnswer {
    let pages = 0;
    let after: number | undefined;
    for (const [position, observation] of this.#observations()) {
      if (observation === 'none') continue;
      if (observation === undefined) after ??= position;
      else if (observation === 'static' || observation.outcome !== 'wasRight') return false;
      pages += 1;
      if (pages === limits.inARow) return after === undefined ? true : { after };
    }
    return false;
  }

  #isRight(signal: string): PendingAnswer {
    let falseAlarms = 0;
    let after: number | undefined;
    for (const [position, observation] of this.#observations()) {
      if (observation === undefined) after ??= position;
      else if (typeof observation === 'string' || observation.signal !== signal) continue;
      else if (observation.outcome === 'wasRight') return true;
      else if (observation.outcome === 'ignored') falseAlarms = limits.falseAlarms;
      falseAlarms += 1;
      if (falseAlarms >= limits.falseAlarms) return after === undefined ? false : { after };
    }
    return true;
  }

  /** The observations that this page reads, the last first. */
  *#observations(): Generator<[position: number, observation: RenderObservation | undefined]> {
    const { observations } = this.#host;
    for (
      let position = this.#last;
      position >= 0 && position > this.#last - historyLength;
      position -= 1
    ) {
      yield [position, observations[position]];
    }
  }
}

/** The hints received with a page from the process that runs its job. */
export class ReceivedRenderHints implements VisitHints {
  readonly #hints: SentRenderHints | undefined;
  observation: RenderObservation | undefined;

  constructor(hints: SentRenderHints | undefined) {
    this.#hints = hints;
  }

  get reasonToRender(): string | undefined {
    return this.#hints?.reasonToRender;
  }

  hintsFor(): Promise<RenderHints | undefined> {
    if (this.#hints === undefined || this.reasonToRender !== undefined) this.record('none');
    return Promise.resolve(this.#hints && this);
  }

  toSend(): Promise<SentRenderHints | undefined> {
    return Promise.resolve(this.#hints);
  }

  isReliable(signal: string): boolean {
    return this.#hints?.unreliable.includes(signal) !== true;
  }

  record(observation: RenderObservation): void {
    this.observation ??= observation;
  }

  [Symbol.dispose](): void {
    this.record('none');
  }
}
