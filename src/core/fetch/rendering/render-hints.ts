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
const looksBack = 4 * limits.probeEvery;

/** The data that decides on the static attempt. */
type RenderChoice = Pick<ScrapeRequest<unknown>, 'mayRender' | 'requires'>;

/** The render hints of one visit. Disposal records `none` where nothing was recorded. */
export interface VisitHints extends RenderHints, Disposable {
  /** The observation of this page. */
  readonly lesson: RenderObservation | undefined;
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
  recorded(place: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(place);
      if (waiting === undefined) this.#waiting.set(place, [resolve]);
      else waiting.push(resolve);
    });
  }

  record(place: number, lesson: RenderObservation): void {
    this.observations[place] = lesson;
    for (const resolve of this.#waiting.get(place) ?? []) resolve();
    this.#waiting.delete(place);
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
  readonly #place: number;
  /** Position of the last page whose observation this one reads. */
  readonly #last: number;
  #reasonToRender: string | undefined;

  constructor(host: HostObservations, distance: number) {
    this.#host = host;
    this.#place = host.observations.push(undefined) - 1;
    this.#last = this.#place - distance;
  }

  get reasonToRender(): string | undefined {
    return this.#reasonToRender;
  }

  get lesson(): RenderObservation | undefined {
    return this.#host.observations[this.#place];
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
    if ((this.#place + 1) % limits.probeEvery === 0) return this;
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
    for (const [place] of this.#observations()) {
      if (this.#host.observations[place] === undefined) {
        await withSignal(this.#host.recorded(place), signal);
      }
      const lesson = this.#host.observations[place];
      if (typeof lesson === 'object') seen.add(lesson.signal);
    }
    const unreliable = [...seen].filter((one) => this.#isRight(one) === false);
    return { unreliable, ...(reasonToRender === undefined ? {} : { reasonToRender }) };
  }

  isReliable(signal: string): boolean | Promise<boolean> {
    return this.#settle(() => this.#isRight(signal));
  }

  record(lesson: RenderObservation): void {
    if (this.lesson === undefined) this.#host.record(this.#place, lesson);
  }

  [Symbol.dispose](): void {
    this.record('none');
  }

  #settle(ask: () => PendingAnswer): boolean | Promise<boolean> {
    const answer = ask();
    if (typeof answer === 'boolean') return answer;
    return this.#host.recorded(answer.after).then(() => this.#settle(ask));
  }

  #isNeeded(): PendingAnswer {
    let pages = 0;
    let after: number | undefined;
    for (const [place, lesson] of this.#observations()) {
      if (lesson === 'none') continue;
      if (lesson === undefined) after ??= place;
      else if (lesson === 'static' || lesson.outcome !== 'wasRight') return false;
      pages += 1;
      if (pages === limits.inARow) return after === undefined ? true : { after };
    }
    return false;
  }

  #isRight(signal: string): PendingAnswer {
    let falseAlarms = 0;
    let after: number | undefined;
    for (const [place, lesson] of this.#observations()) {
      if (lesson === undefined) after ??= place;
      else if (typeof lesson === 'string' || lesson.signal !== signal) continue;
      else if (lesson.outcome === 'wasRight') return true;
      else if (lesson.outcome === 'ignored') falseAlarms = limits.falseAlarms;
      falseAlarms += 1;
      if (falseAlarms >= limits.falseAlarms) return after === undefined ? false : { after };
    }
    return true;
  }

  /** The observations that this page reads, the last first. */
  *#observations(): Generator<[place: number, lesson: RenderObservation | undefined]> {
    const { observations } = this.#host;
    for (let place = this.#last; place >= 0 && place > this.#last - looksBack; place -= 1) {
      yield [place, observations[place]];
    }
  }
}

/** The hints received with a page from the process that runs its job. */
export class ReceivedRenderHints implements VisitHints {
  readonly #hints: SentRenderHints | undefined;
  lesson: RenderObservation | undefined;

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

  record(lesson: RenderObservation): void {
    this.lesson ??= lesson;
  }

  [Symbol.dispose](): void {
    this.record('none');
  }
}
