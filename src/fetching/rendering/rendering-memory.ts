/**
 * What a job learns of hosts while it runs: which of them need a browser, and which signals are wrong.
 *
 * A page learns from those that come some places before it in the job's order, whether they ended long
 * ago or not yet: then it waits. So what is learnt does not depend on time, and a job decides the same
 * at any speed. Most pages need not wait: those right before that distance say enough.
 */
import type { Engine } from '../../engines/engine.ts';
import type { Lesson, Lessons } from '../../model/lessons.ts';
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
export class RenderingMemory {
  readonly #distance: number;
  readonly #hosts = new Map<string, Host>();

  /** For a job that has so many pages under way at a time. */
  constructor(concurrency: number) {
    this.#distance = Math.max(leastDistance, distancePerPage * concurrency);
  }

  /** Gives a page its place. To be called in the order of the pages, and each disposed of. */
  begin(url: string): PageLessons {
    const { host: key } = new URL(url);
    const host = this.#hosts.get(key) ?? new Host();
    this.#hosts.delete(key);
    this.#hosts.set(key, host);
    if (this.#hosts.size > mostHosts) {
      for (const oldest of this.#hosts.keys()) {
        this.#hosts.delete(oldest);
        break;
      }
    }
    return new PageLessons(host, this.#distance);
  }
}

/** The lessons of a host's pages, by place. */
class Host {
  /** Undefined for a page that is under way. */
  readonly lessons: (Lesson | undefined)[] = [];
  readonly #waiting = new Map<number, (() => void)[]>();

  /** Resolves when the page of that place has said something. */
  said(place: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(place);
      if (waiting === undefined) this.#waiting.set(place, [resolve]);
      else waiting.push(resolve);
    });
  }

  say(place: number, lesson: Lesson): void {
    this.lessons[place] = lesson;
    for (const resolve of this.#waiting.get(place) ?? []) resolve();
    this.#waiting.delete(place);
  }
}

/** An answer, or the place of a page under way that it depends on. */
type Answer = boolean | { readonly after: number };

/** One page's place among those of its host. Its disposal ends the wait of others for what it says. */
export class PageLessons implements Lessons, Disposable {
  readonly #host: Host;
  readonly #place: number;
  /** That of the last page that this one learns from. */
  readonly #last: number;
  #reasonToRender: string | undefined;

  constructor(host: Host, distance: number) {
    this.#host = host;
    this.#place = host.lessons.push(undefined) - 1;
    this.#last = this.#place - distance;
  }

  get reasonToRender(): string | undefined {
    return this.#reasonToRender;
  }

  /** What the page has said. */
  get lesson(): Lesson | undefined {
    return this.#host.lessons[this.#place];
  }

  /**
   * Decides about the static try. Undefined where there is nothing to decide: the options of the page say
   * which engine it is, or none renders. Rejects with the signal's reason when it aborts.
   */
  async lessonsFor(
    { mayRender, requires }: Pick<ScrapeRequest<unknown>, 'mayRender' | 'requires'>,
    engines: readonly Engine[],
    signal: AbortSignal,
  ): Promise<Lessons | undefined> {
    const isOpen = mayRender && requires.size === 0 && engines.some(({ can }) => can.has('render'));
    if (!isOpen) {
      this.teach('none');
      return undefined;
    }
    if ((this.#place + 1) % probeEvery === 0) return this;
    const needed = this.#settle(() => this.#isNeeded());
    const isNeeded = typeof needed === 'boolean' ? needed : await withSignal(needed, signal);
    if (isNeeded) {
      this.#reasonToRender = `needed by the last ${inARow} pages of this host`;
      // Without a static try it will say nothing: nobody need wait for it.
      this.teach('none');
    }
    return this;
  }

  trusts(signal: string): boolean | Promise<boolean> {
    return this.#settle(() => this.#isRight(signal));
  }

  teach(lesson: Lesson): void {
    if (this.lesson === undefined) this.#host.say(this.#place, lesson);
  }

  [Symbol.dispose](): void {
    this.teach('none');
  }

  #settle(ask: () => Answer): boolean | Promise<boolean> {
    const answer = ask();
    if (typeof answer === 'boolean') return answer;
    return this.#host.said(answer.after).then(() => this.#settle(ask));
  }

  #isNeeded(): Answer {
    let pages = 0;
    let after: number | undefined;
    for (const [place, lesson] of this.#lessons()) {
      if (lesson === 'none') continue;
      if (lesson === undefined) after ??= place;
      else if (lesson === 'static' || lesson.outcome !== 'wasRight') return false;
      pages += 1;
      if (pages === inARow) return after === undefined ? true : { after };
    }
    return false;
  }

  #isRight(signal: string): Answer {
    let falseAlarms = 0;
    let after: number | undefined;
    for (const [place, lesson] of this.#lessons()) {
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
  *#lessons(): Generator<[place: number, lesson: Lesson | undefined]> {
    const { lessons } = this.#host;
    for (let place = this.#last; place >= 0 && place > this.#last - looksBack; place -= 1) {
      yield [place, lessons[place]];
    }
  }
}
