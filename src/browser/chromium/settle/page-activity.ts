/** The smart wait: decides when a page has settled. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { nextFrame } from '../../actions/in-page/next-frame.ts';
import {
  checkAnswer,
  forgetWorld,
  inTime,
  pageSession,
  pageWorld,
} from '../../actions/isolated-world.ts';
import { PagewrightError } from '../../../core/runtime/errors.ts';
import { withSignal } from '../../../core/runtime/deadline.ts';
import { observePage, type PageState, stateSample } from './in-page/observe-page.ts';
import { type AwaitedRequests, RequestWatch } from './request-watch.ts';

/** Options of one wait. */
export interface SettleOptions {
  readonly signal: AbortSignal;
  /** The longest wait in ms, from the time the page was parsed. @default 5000 */
  readonly cap?: number;
  /** Wait for images and fonts too, for a screenshot. @default false */
  readonly pictures?: boolean;
}

/** The result of a wait. */
export interface Settled {
  /** `static`: nothing on the page can change it. `cap`: it did not become quiet in time. */
  readonly reason: 'static' | 'quiet' | 'cap';
  /**
   * The page may still change: a timer or the network may call its scripts, or it reloads itself.
   */
  readonly mayGoOn: boolean;
  /** Duration of the wait in ms. */
  readonly duration: number;
  readonly warnings: readonly string[];
}

/**
 * Watches one page, over many visits. Begin before the page navigates; `settle` after that and
 * after each action. The page cannot detect it, and no request is held up.
 *
 * The rules, numbers in `waitRules`:
 * - A parsed page without scripts and timers has settled when its frames and style sheets are
 *   loaded (with `pictures`: images and fonts, too).
 * - A page whose few scripts are inline, and have neither started a timer nor sent a request nor
 *   changed it since it was loaded, has settled when it was painted and is idle.
 * - Otherwise all of these must be true: the load event has fired, or a while has passed since the
 *   page was parsed; content has not changed for 150 ms; no request that counts is in flight, or
 *   ended less than 100 ms ago; no timer was started in the last 500 ms, so that nothing is due
 *   soon, but timers alone hold for 1 s at most; the page is not empty, and nothing visible is
 *   busy, for a few seconds at most.
 * - A change counts when text or elements are added or removed. Attributes, styles and the content
 *   of the head do not count; nor does the fourth small change of the same element, nor changes
 *   inside the nodes that it added: clocks, counters, animations. Additions of 200 characters or 20
 *   elements count 20 times.
 * - Documents, scripts, style sheets, `fetch` and XMLHttpRequest count as requests; requests do not
 *   count from other sites' frames, to analytics hosts, to the same URL with the same body the
 *   fourth time, or in flight for over 2 s while the page shows content and nothing is busy:
 *   polling.
 * - A page that goes to another one, by script or `<meta http-equiv=refresh>` of up to 10 s, is
 *   waited for there, three times; one that was to leave and stays is no longer waited for.
 */
export class PageActivity {
  readonly #page: Page;
  readonly #requests: RequestWatch;
  #isCrashed = false;

  constructor(page: Page) {
    this.#page = page;
    this.#requests = new RequestWatch(page);
    page.on('crash', () => {
      this.#isCrashed = true;
    });
  }

  /** Forgets the last visit; to be called before the page navigates for the next one. */
  reset(): void {
    this.#requests.reset();
  }

  /**
   * Rejects with `BROWSER_CRASHED` when the page crashed or was closed, and with `signal.reason`.
   */
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
        // The page is between two documents, or its scripts never pause.
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

  /** Undefined when the page does not respond in time or has no document at the moment. */
  async #observe(milliseconds: number): Promise<PageState | undefined> {
    const asking = async (): Promise<PageState> => {
      const world = await pageWorld(this.#page);
      return checkAnswer(await world.call(observePage), stateSample, 'state') as PageState;
    };
    const state = await inTime(asking(), Math.max(milliseconds, 50));
    if (state === undefined) forgetWorld(this.#page);
    return state;
  }

  /** If nothing is painted in time, the normal wait applies. */
  async #paint(milliseconds: number): Promise<'done' | 'none'> {
    const painting = pageWorld(this.#page).then((world) => world.call(nextFrame));
    return (await inTime(painting, milliseconds)) === true ? 'done' : 'none';
  }

  /** A script that never ends would block every later call to the page. */
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
}

// The rules of the smart wait, as numbers and in one function. `PageActivity` explains them.

/** All in ms, except `documents`. */
const waitRules = {
  /** Renderers work in tasks of under 50 ms and paint within 16; promise chains take less. */
  unchanged: 150,
  /** A response takes some ms to trigger the next request, on a busy machine 50. */
  noRequest: 100,
  /** Debouncing, fade-ins and short delays are 100 to 500 in applications and libraries. */
  noTimer: 500,
  /** The longest wait after the last change of a page that keeps starting timers. */
  timersOnly: 1_000,
  /** The longest wait for a request, or the load event, while the page displays content. */
  patience: 2_000,
  /** The longest wait for the first content of an empty page. */
  empty: 3_000,
  /** The longest wait while a spinner is visible; some stay forever. */
  busy: 2_000,
  /** An action on a page without scripts may follow a link. */
  afterAction: 50,
  /** As in the HTTP engine: a page that stays longer is meant to be read. */
  refresh: 10_000,
  /** The most pages that redirect to another one. */
  documents: 3,
} as const;

/** Facts besides the page's own state. */
interface Surroundings {
  /** Time since the page was parsed. */
  readonly sinceStart: number;
  /** Time since the wait began. */
  readonly sinceCall: number;
  /** Time since the last request that counts ended. */
  readonly sinceRequest: number;
  readonly hasScripts: boolean;
  /** The page has external scripts, or its scripts sent a request. */
  readonly usesNetwork: boolean;
  /** The page was painted since the first observation. */
  readonly isPainted: boolean;
  /** True while a request younger than this is in flight. */
  isAsking(patience: number, awaited: AwaitedRequests): boolean;
  /** No action was performed on this page yet. */
  readonly isFirst: boolean;
  readonly pictures: boolean;
}

/**
 * Milliseconds until the next check, 0 or less when the page has settled; or the event to wait for.
 */
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
    // If no timer ever ran and no request is in flight, no change is expected.
    waits.push((state.noTimerFor === undefined ? waitRules.noTimer : waitRules.empty) - quietFor);
  }
  // Short steps: a new timer is noticed only at the next check.
  return Math.min(Math.max(...waits), 50);
}

/** A few inline scripts, which have run, and nothing that could call them again later. */
function isSimplePage(state: PageState, around: Surroundings): boolean {
  const hasRun = state.noTimerFor === undefined && !state.hasChanged;
  return hasRun && around.isFirst && !around.usesNetwork;
}
