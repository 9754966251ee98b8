/** The smart wait: when a page has become what its reader is meant to see. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { checkAnswer } from '../../../actions/check-answer.ts';
import { forgetWorld, pageSession, pageWorld } from '../../../actions/page-session.ts';
import { PagewrightError } from '../../../errors.ts';
import { withSignal } from '../../../network/deadline.ts';
import { inTime } from '../in-time.ts';
import { nextFrame } from './in-page/next-frame.ts';
import { observePage } from './in-page/observe-page.ts';
import type { PageState } from './page-state.ts';
import { RequestWatch } from './request-watch.ts';
import { rules, stillToWait } from './still-to-wait.ts';

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
 * - A parsed page without scripts and timers is done at once (with `pictures`: when they are there).
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
        documents < rules.documents &&
        (seen.leavesIn ?? Infinity) <= rules.refresh &&
        !this.#requests.hasStayed;
      const state = { ...seen, leavesIn: mayLeave ? seen.leavesIn : undefined };
      const isNext = state.isNew && hasSeen;
      hasSeen = true;
      isFresh ||= state.isNew;
      if (isNext) [documents, painting] = [documents + 1, 'unknown'];
      if (isNext || (state.isParsed && !isParsed)) {
        isParsed = state.isParsed;
        start = now;
        if (documents <= rules.documents) end = Math.min(now + cap, begun + 2 * cap);
      }
      if (state.leavesIn !== undefined) {
        end = Math.max(end, start + state.leavesIn + cap / 5);
      }
      const usesNetwork = this.#requests.hasScripts || this.#requests.hasCalls;
      const isReloading = (state.reloadsIn ?? Infinity) <= rules.refresh;
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
        painting = await this.#paint(Math.min(rules.unchanged, end - now));
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
  ...{ isNew: false, isParsed: false, isLoaded: false, hasScripts: false, hasChanged: false },
  ...{ unchangedFor: 0, isEmpty: false, isBusy: false },
};
