/** Repeats an action until it has no effect: "Load more" buttons, carousels, steppers. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { ActionOutcome, ActionRepeat } from '../../core/model/snapshot.ts';
import type { ActionContext } from './action.ts';
import type { Repeat } from './action-options.ts';
import { frameHtml, liveState } from './in-page/live-state.ts';
import { inFrame } from './frame-world.ts';
import { stepTime } from './step-time.ts';
import { elementsOf, type FrameTarget, MissingElementError, visibleElements } from './target.ts';

const limits = {
  returnTime: 2000, // milliseconds for the element to come back, as after a spinner
  lateEffect: 500, // milliseconds for a late effect, on a settled page
  pollInterval: 100, // milliseconds
  characters: 10_000_000, // of all results of a repeated script, as JSON
};

/** An action with its checked options. */
export interface RepeatedAction {
  readonly index: number;
  readonly name: string;
  readonly options: {
    readonly selector?: string | undefined;
    readonly frame?: FrameTarget['frame'];
    readonly optional?: boolean | undefined;
    readonly repeat: Repeat;
  };
  /** Performs it once. */
  run(): Promise<void>;
}

const tooManyCharacters = `the runs of the script returned more than ${limits.characters} characters in all; return less`;

/**
 * Runs the action until `repeat.until`, until its element is gone or disabled, `max` times at most, and
 * while there is time. Only the first run fails for want of its element, unless it is optional. Adds the
 * number of runs to the outcome.
 */
export async function repeatAction(
  page: Page,
  action: RepeatedAction,
  context: ActionContext,
  outcome: ActionOutcome,
): Promise<void> {
  const repetition = new Repetition(page, action, context);
  const end = await repetition.toEnd(outcome);
  const { runs } = repetition;
  outcome.repeats.push({ actionIndex: action.index, actionType: action.name, runs, end });
  if (end !== 'max' && end !== 'time') return;
  const limit = end === 'max' ? 'repeat.max' : 'its time limit';
  outcome.warnings.push(
    `actions[${action.index}] (${action.name}) stopped at ${limit} after ${runs} run(s); there may be more.`,
  );
}

class Repetition {
  runs: number = 0;
  readonly #page: Page;
  readonly #action: RepeatedAction;
  readonly #context: ActionContext;

  constructor(page: Page, action: RepeatedAction, context: ActionContext) {
    this.#page = page;
    this.#action = action;
    this.#context = context;
  }

  async toEnd(outcome: ActionOutcome): Promise<ActionRepeat['end']> {
    const { signal } = this.#context;
    const { until = 'noChange', max = 20 } = this.#action.options.repeat;
    const deadline = Date.now() + stepTime(this.#context);
    const isOver = until === 'noChange' ? await this.#noChange() : this.#isGone(until.gone);
    let characters = 0;
    for (;;) {
      signal.throwIfAborted();
      const results = outcome.javascriptReturns.length;
      if (!(await this.#run())) return 'gone';
      characters += JSON.stringify(outcome.javascriptReturns.slice(results)).length;
      if (characters > limits.characters) throw new Error(tooManyCharacters);
      await this.#context.settle();
      // Before comparing: a button that is back proves that its effect is complete.
      if (!(await this.#isUsable(limits.returnTime))) return 'gone';
      if (await this.#isSure(isOver)) return until === 'noChange' ? 'noChange' : 'gone';
      if (this.runs >= max) return 'max';
      if (Date.now() > deadline) return 'time';
    }
  }

  /** False if its element is missing, which only fails the first run. */
  async #run(): Promise<boolean> {
    try {
      await this.#action.run();
    } catch (error) {
      this.#context.signal.throwIfAborted();
      const isExcused =
        this.runs === 0
          ? this.#action.options.optional === true && error instanceof MissingElementError
          : !(await this.#isUsable(0));
      if (isExcused) return false;
      throw error;
    }
    this.runs++;
    return true;
  }

  /** True when its element and frame are usable, or get so in time. */
  async #isUsable(time: number): Promise<boolean> {
    const until = Date.now() + time;
    for (;;) {
      if (await this.#isUsableNow()) return true;
      if (Date.now() >= until) return false;
      await sleep(limits.pollInterval, undefined, { signal: this.#context.signal });
    }
  }

  /** True when the element is visible and enabled; without an element, when the frame is there. */
  async #isUsableNow(): Promise<boolean> {
    const { selector, frame } = this.#action.options;
    if (selector !== undefined) {
      const [element] = await visibleElements(this.#page, { selector, frame });
      return (
        (await element?.isEnabled({ timeout: limits.pollInterval }).catch(() => false)) === true
      );
    }
    const frames = [frame ?? []].flat();
    const owner = frames.pop();
    if (owner === undefined) return true;
    return (await elementsOf(this.#page, { selector: owner, frame: frames }).count()) > 0;
  }

  /** Checks twice: an effect may come late, and an element may come back. */
  async #isSure(isOver: () => Promise<boolean>): Promise<boolean> {
    if (!(await isOver())) return false;
    await sleep(limits.lateEffect, undefined, { signal: this.#context.signal });
    await this.#context.settle();
    return isOver();
  }

  #isGone(selector: string): () => Promise<boolean> {
    const { frame } = this.#action.options;
    return async () => (await visibleElements(this.#page, { selector, frame })).length === 0;
  }

  /** Compares the page with its state at the last change. */
  async #noChange(): Promise<() => Promise<boolean>> {
    let last = await this.#state();
    return async () => {
      const state = await this.#state();
      if (state !== undefined && state === last) return true;
      last = state;
      return false;
    };
  }

  /** Equal for a page that displays the same; undefined while it navigates, or if its frame went away. */
  async #state(): Promise<string | undefined> {
    try {
      const { frame } = this.#action.options;
      const live = await inFrame(this.#page, frame, async (world) => [
        await world.call(liveState),
        frame === undefined ? '' : await world.call(frameHtml, limits.characters),
      ]);
      const html = await this.#context.html();
      return createHash('sha256')
        .update(`${this.#page.url()}\n${live.join()}\n${html}`)
        .digest('hex');
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (
        error instanceof MissingElementError ||
        /navigat|frame was detached/i.test(String(error))
      ) {
        return undefined;
      }
      throw error;
    }
  }
}
