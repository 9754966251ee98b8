/** The smart wait: tells when a page has become what its reader is meant to see. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { nextFrame } from '../../../actions/in-page/next-frame.ts';
import {
  checkAnswer,
  forgetWorld,
  inTime,
  pageSession,
  pageWorld,
} from '../../../actions/isolated-world.ts';
import { PagewrightError } from '../../../errors.ts';
import { withSignal } from '../../../network/deadline.ts';
import { observePage, type PageState } from './in-page/observe-page.ts';
import { type AwaitedRequests, RequestWatch } from './request-watch.ts';

/** How one wait is done. */
export interface SettleOptions {
  readonly signal: AbortSignal;
  /** The longest wait in ms, counted from when the page was parsed. @default 5000 */
  readonly cap?: number;
  /** Wait for images and fonts too: a picture is to be taken. @default false */
  readonly pictures?: boolean;
}

/** How a wait ended. */
export interface Settled {
  /** `static`: nothing on the page can change it. `cap`: it did not become quiet in time. */
  readonly reason: 'static' | 'quiet' | 'cap';
  /** The page may become another one: a timer or the network may call its scripts, or it reloads itself. */
  readonly mayGoOn: boolean;
  /** What it took, in ms. */
  readonly duration: number;
  readonly warnings: readonly string[];
}

/**
 * Watches one page, over many visits. Begin before the page navigates; `settle` after that and after
 * each action. Nothing of it can be seen by the page, and no request is held up.
 *
 * The rules, numbers in `rules`:
 * - A parsed page without scripts and timers is done when its frames and style sheets are there (with
 *   `pictures`: when those are there, too).
 * - One whose few scripts stand in the page itself, and have neither started a timer nor asked for
 *   anything nor changed it since it was loaded, is done when it was painted and is idle.
 * - Otherwise all of these must be true: the load event was, or a while has passed since the page
 *   was parsed; content has not changed for 150 ms; no request that counts is under way, or ended
 *   less than 100 ms ago; no timer was started in the last 500 ms, so that nothing is due soon, but
 *   timers alone hold for 1 s at most; the page is not empty, and nothing in sight is busy, for a
 *   few seconds at most.
 * - A change counts when text or elements come or go. Attributes, styles and what stands in the head
 *   do not; the fourth small change of the same element does not, nor what happens inside of what
 *   it added: clocks, counters, animations. Additions of 200 characters or 20 elements count 20 times.
 * - Documents, scripts, style sheets, `fetch` and XMLHttpRequest count as requests; not those of
 *   other sites' frames, to hosts that measure, to the same address with the same body the fourth
 *   time, or under way for over 2 s while the page shows something and nothing is busy: polling.
 * - A page that leaves for another one, by script or `<meta http-equiv=refresh>` of up to 10 s, is
 *   waited for there, three times; one that was to leave and stays is no longer waited for.
 */
export class PageActivity {
  readonly #page: Page;
  readonly #requests: RequestWatch;
  #isCrashed = false;

  private constructor(page: Page) {
    this.#page = page;
    this.#requests = new RequestWatch(page);
    page.on('crash', this.#onCrash);
  }

  static watch(page: Page): PageActivity {
    return new PageActivity(page);
  }

  /** Forgets the last visit; to be called before the page navigates for the next one. */
  reset(): void {
    this.#requests.reset();
  }

  /** Stops watching. */
  stop(): void {
    this.#requests.stop();
    this.#page.off('crash', this.#onCrash);
  }

  /** Rejects with `BROWSER_CRASHED` when the page crashed or was closed, and with `signal.reason`. */
  settle(options: SettleOptions): Promise<Settled> {
    return withSignal(this.#settle(options), options.signal);
  }

  async #settle({ signal, cap = 5_000, pictures = false }: SettleOptions): Promise<Settled> {
    const begun = performance.now();
    let start = begun;
    let end = begun + cap;
    let documents = 0;
    let isParsed = false;
    let hasSeen = false;
    let isFresh = false;
    let painting: 'unknown' | 'done' | 'none' = 'unknown';
    let mayGoOn = true;
    const done = (reason: Settled['reason'], ...warnings: string[]): Settled => ({
      reason,
      mayGoOn,
      duration: performance.now() - begun,
      warnings,
    });

    for (;;) {
      signal.throwIfAborted();
      this.#throwIfGone();
      const seen = await this.#observe(end - performance.now());
      const now = performance.now();
      if (seen === undefined) {
        // Between two documents, or its scripts never rest.
        if (now >= end) return done('cap', await this.#interrupt());
        await sleep(10);
        continue;
      }
      const mayLeave =
        documents < waitRules.documents &&
        (seen.leavesIn ?? Infinity) <= waitRules.refresh &&
        !this.#requests.hasStayed;
      const state = { ...seen, leavesIn: mayLeave ? seen.leavesIn : undefined };
      const isNext = state.isNew && hasSeen;
      hasSeen = true;
      isFresh ||= state.isNew;
      if (isNext) [documents, painting] = [documents + 1, 'unknown'];
      if (isNext || (state.isParsed && !isParsed)) {
        isParsed = state.isParsed;
        start = now;
        if (documents <= waitRules.documents) end = Math.min(now + cap, begun + 2 * cap);
      }
      if (state.leavesIn !== undefined) {
        end = Math.max(end, start + state.leavesIn + cap / 5);
      }
      const usesNetwork = this.#requests.hasScripts || this.#requests.hasCalls;
      const isReloading = (state.reloadsIn ?? Infinity) <= waitRules.refresh;
      mayGoOn = usesNetwork || state.noTimerFor !== undefined || isReloading;
      const waiting = stillToWait(state, {
        sinceStart: now - start,
        sinceCall: now - begun,
        sinceRequest: now - this.#requests.lastEnd,
        hasScripts: state.hasScripts || this.#requests.hasScripts,
        usesNetwork: painting === 'none' || usesNetwork,
        isPainted: painting === 'done',
        isAsking: (patience, awaited) => this.#requests.isWaiting(patience, awaited),
        isFirst: isFresh,
        pictures,
      });
      if (waiting === 'static') return done('static');
      if (waiting === 'painting') {
        painting = await this.#paint(Math.min(waitRules.unchanged, end - now));
        continue;
      }
      if (waiting <= 0) return done('quiet');
      if (now >= end) {
        return done(
          'cap',
          `${this.#page.url()} was still changing after ${Math.round(now - begun)} ms.`,
        );
      }
      await sleep(Math.min(waiting, end - now));
    }
  }

  /** Undefined when the page does not answer in time or has no document at the moment. */
  async #observe(milliseconds: number): Promise<PageState | undefined> {
    const asking = async (): Promise<PageState> => {
      const world = await pageWorld(this.#page);
      return checkAnswer(await world.call(observePage), stateSample, 'state') as PageState;
    };
    const state = await inTime(asking(), Math.max(milliseconds, 50));
    if (state === undefined) forgetWorld(this.#page);
    return state;
  }

  /** Where nothing is painted in that time, it is waited for in the usual way. */
  async #paint(milliseconds: number): Promise<'done' | 'none'> {
    const painting = pageWorld(this.#page).then((world) => world.call(nextFrame));
    return (await inTime(painting, milliseconds)) === true ? 'done' : 'none';
  }

  /** A script that never ends would keep everything after this from the page. */
  async #interrupt(): Promise<string> {
    const { session } = await pageSession(this.#page);
    await inTime(session.send('Runtime.terminateExecution'), 500);
    return `${this.#page.url()} did not answer while it loaded; scripts that kept it busy were stopped.`;
  }

  #throwIfGone(): void {
    if (!this.#isCrashed && !this.#page.isClosed()) return;
    const url = this.#page.url();
    const what = this.#isCrashed ? 'crashed' : 'was closed';
    throw new PagewrightError('BROWSER_CRASHED', `The page ${url} ${what} while it loaded.`, {
      url,
    });
  }

  readonly #onCrash = (): void => {
    this.#isCrashed = true;
  };
}

const stateSample: Omit<PageState, 'noTimerFor' | 'leavesIn' | 'reloadsIn'> = {
  isNew: false,
  isParsed: false,
  isLoaded: false,
  hasScripts: false,
  hasChanged: false,
  unchangedFor: 0,
  isEmpty: false,
  isBusy: false,
};

// The rules of the smart wait, as numbers and in one function. `PageActivity` says them in words.

/** All in ms, but `documents`. */
const waitRules = {
  /** Renderers work in tasks of under 50 ms and paint within 16; chains of promises take less. */
  unchanged: 150,
  /** From an answer to the request that follows from it takes some ms, on a busy machine 50. */
  noRequest: 100,
  /** Debouncing, fading in and "after a moment" are 100 to 500 in what applications and libraries do. */
  noTimer: 500,
  /** A page that starts timers for ever is not waited for longer than this after its last change. */
  timersOnly: 1_000,
  /** How long a request, or the load event, is waited for while the page shows something. */
  patience: 2_000,
  /** Wait for the first content of a page that shows nothing. */
  empty: 3_000,
  /** Wait while a spinner is in sight; some stay for ever. */
  busy: 2_000,
  /** An action on a page without scripts may follow a link. */
  afterAction: 50,
  /** As the HTTP engine: who stays longer is meant to be read. */
  refresh: 10_000,
  /** Pages that pass on to another one. */
  documents: 3,
} as const;

/** What is known beside the page's own state. */
interface Surroundings {
  /** Since the page was parsed. */
  readonly sinceStart: number;
  /** Since the wait began. */
  readonly sinceCall: number;
  /** Since the last request that counts ended. */
  readonly sinceRequest: number;
  readonly hasScripts: boolean;
  /** Scripts came in files of their own, or asked for something. */
  readonly usesNetwork: boolean;
  /** The page was painted since it was first looked at. */
  readonly isPainted: boolean;
  /** A request is under way that is younger than this. */
  isAsking(patience: number, awaited: AwaitedRequests): boolean;
  /** Nothing was done on this page yet. */
  readonly isFirst: boolean;
  readonly pictures: boolean;
}

/** Ms until it is worth to look again, 0 or less when the page has settled; or what to wait for. */
function stillToWait(state: PageState, around: Surroundings): number | 'static' | 'painting' {
  if (!state.isParsed) return around.sinceCall < 200 ? 15 : 60;
  if (state.leavesIn !== undefined) return 50;
  const isBare = state.isEmpty || state.isBusy;
  const patience = isBare && around.hasScripts ? Infinity : waitRules.patience;
  const content = around.pictures ? 'picture' : 'content';
  if (around.isAsking(patience, around.hasScripts || around.pictures ? content : 'shown'))
    return 25;
  if (!around.hasScripts) {
    const rest = around.isFirst ? 0 : waitRules.afterAction - around.sinceCall;
    return rest > 0 ? rest : 'static';
  }
  if (!state.isLoaded && around.sinceStart < waitRules.patience) return 25;
  if (!isBare && isSimplePage(state, around)) return around.isPainted ? 0 : 'painting';

  const unchangedFor = Math.min(state.unchangedFor, around.sinceStart);
  const quietFor = Math.min(unchangedFor, around.sinceRequest, around.sinceCall);
  const waits = [
    waitRules.unchanged - unchangedFor,
    waitRules.noRequest - Math.min(around.sinceRequest, around.sinceCall),
  ];
  if (state.noTimerFor !== undefined && quietFor < waitRules.timersOnly) {
    waits.push(Math.min(waitRules.noTimer - state.noTimerFor, waitRules.timersOnly - quietFor));
  }
  if (state.isBusy && quietFor < waitRules.busy) waits.push(waitRules.busy - quietFor);
  if (state.isEmpty && around.isFirst) {
    // Where no timer ever ran and nothing is asked for, nothing is to come.
    waits.push((state.noTimerFor === undefined ? waitRules.noTimer : waitRules.empty) - quietFor);
  }
  // Not to sleep through what happens meanwhile: a timer that is started is noticed at the next look.
  return Math.min(Math.max(...waits), 50);
}

/** A few scripts in the page itself, which have run, and nothing that could call them again later. */
function isSimplePage(state: PageState, around: Surroundings): boolean {
  const hasRun = state.noTimerFor === undefined && !state.hasChanged;
  return hasRun && around.isFirst && !around.usesNetwork;
}
