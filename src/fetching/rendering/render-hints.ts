/** Render hints of a job while it runs: the hosts that need a browser, and the signals that are unreliable.
 *
 * A page reads the observations of pages that come some places before it in the job's order, and waits for
 * those that are still under way. The hints therefore do not depend on time, and a job decides the same at any
 * speed. Most pages do not wait: the pages right before that distance are enough.
 */
import type { Engine } from '../../engines/engine.ts';
import type { RenderHints, RenderObservation } from '../../model/pace.ts';
import type { ScrapeRequest } from '../../model/request.ts';
import { withSignal } from '../../network/deadline.ts';

/** Places that a page is behind those that it learns from, at least. */
const leastDistance = 20;

/** The same for each page that a job has under way at a time. */
const distancePerPage = 2;

/** Pages in a row that needed the browser before the static try is left out. */
const inARow = 3;

/** False alarms of one signal before it is trusted no more. */
const mostFalseAlarms = 2;

/** One page of so many has a static try all the same: a host may have changed its mind. */
const probeEvery = 51;

/** Pages that a page learns from. */
const looksBack = 4 * probeEvery;

/** Hosts that are remembered; the one that was heard of longest ago is forgotten first. */
const mostHosts = 1000;

/** The memory of one job. */
export class JobRenderHints {
  readonly #distance: number;
  readonly #hosts = new Map<string, HostObservations>();

  /** For a job that has so many pages under way at a time. */
  constructor(concurrency: number) {
    this.#distance = Math.max(leastDistance, distancePerPage * concurrency);
  }

  /** Gives a page its place. To be called in the order of the pages, and each disposed of. */
  begin(url: string): PageRenderHints {
    const { host: key } = new URL(url);
    const host = this.#hosts.get(key) ?? new HostObservations();
    this.#hosts.delete(key);
    this.#hosts.set(key, host);
    if (this.#hosts.size > mostHosts) {
      for (const oldest of this.#hosts.keys()) {
        this.#hosts.delete(oldest);
        break;
      }
    }
    return new PageRenderHints(host, this.#distance);
  }
}

/** The observations of a host's pages, by place. */
class HostObservations {
  /** Undefined for a page that is under way. */
  readonly observations: (RenderObservation | undefined)[] = [];
  readonly #waiting = new Map<number, (() => void)[]>();

  /** Resolves when the page of that place has said something. */
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

/** An answer, or the place of a page under way that it depends on. */
type PendingAnswer = boolean | { readonly after: number };

/** One page's place among those of its host. Its disposal ends the wait of others for what it says. */
export class PageRenderHints implements RenderHints, Disposable {
  readonly #host: HostObservations;
  readonly #place: number;
  /** That of the last page that this one learns from. */
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

  /** What the page has said. */
  get lesson(): RenderObservation | undefined {
    return this.#host.observations[this.#place];
  }

  /**
   * Decides about the static try. Undefined where there is nothing to decide: the options of the page say
   * which engine it is, or none renders. Rejects with the signal's reason when it aborts.
   */
  async hintsFor(
    { mayRender, requires }: Pick<ScrapeRequest<unknown>, 'mayRender' | 'requires'>,
    engines: readonly Engine[],
    signal: AbortSignal,
  ): Promise<RenderHints | undefined> {
    const isOpen = mayRender && requires.size === 0 && engines.some(({ can }) => can.has('render'));
    if (!isOpen) {
      this.record('none');
      return undefined;
    }
    if ((this.#place + 1) % probeEvery === 0) return this;
    const needed = this.#settle(() => this.#isNeeded());
    const isNeeded = typeof needed === 'boolean' ? needed : await withSignal(needed, signal);
    if (isNeeded) {
      this.#reasonToRender = `needed by the last ${inARow} pages of this host`;
      // Without a static try it will say nothing: nobody need wait for it.
      this.record('none');
    }
    return this;
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
      if (pages === inARow) return after === undefined ? true : { after };
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
      else if (lesson.outcome === 'ignored') falseAlarms = mostFalseAlarms;
      falseAlarms += 1;
      if (falseAlarms >= mostFalseAlarms) return after === undefined ? false : { after };
    }
    return true;
  }

  /** What those said that this page learns from, the last first. */
  *#observations(): Generator<[place: number, lesson: RenderObservation | undefined]> {
    const { observations } = this.#host;
    for (let place = this.#last; place >= 0 && place > this.#last - looksBack; place -= 1) {
      yield [place, observations[place]];
    }
  }
}
