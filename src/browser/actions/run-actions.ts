/** Runs the steps of a scrape in order. */
import type { Page } from 'playwright-core';
import {
  ActionError,
  type ErrorCode,
  messageOf,
  PagewrightError,
} from '../../core/runtime/errors.ts';
import type { ActionOutcome } from '../../core/model/snapshot.ts';
import type { ActionStep } from '../../core/model/request.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import type { ActionContext } from './action.ts';
import { answerDialogs } from './dialog.ts';

/** Failures of a step's services, not of the step: passed on unchanged. */
const notOfSteps: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BROWSER_CRASHED',
  'MODEL_FAILED',
  'STORAGE',
]);

/**
 * Runs each step after the page settled, and lets it settle after the last. New windows that a step
 * opens are closed, with a warning.
 *
 * Rejects with an `ActionError` when a step fails, with `MODEL_FAILED` or `STORAGE` of an act, and
 * with the reason of the signal as soon as it aborts, as it does when the page breaks: a step in the
 * page may then run on until the page is closed.
 */
export async function runActions(
  page: Page,
  steps: readonly ActionStep[],
  context: ActionContext,
): Promise<ActionOutcome> {
  const outcome = emptyOutcome();
  const mask = (text: string): string =>
    steps.reduce((masked, step) => step.mask?.(masked) ?? masked, text);
  const { signal } = context;
  /** Begins nothing once the signal has aborted. */
  const unlessAborted = async (work: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted();
    await withSignal(work(), signal);
  };
  let current = { index: 0, type: '' };
  let windows = 0;
  const closeWindow = (window: Page): void => {
    windows++;
    void window.close().catch(() => undefined);
  };
  page.on('popup', closeWindow);
  const stopAnswering = answerDialogs(page, outcome);
  try {
    for (const [index, step] of steps.entries()) {
      current = { index, type: step.type };
      await unlessAborted(async () => {
        await context.settle();
        signal.throwIfAborted();
        await step.perform(page, context, outcome);
      });
    }
    await unlessAborted(() => context.settle());
    if (windows > 0) {
      outcome.warnings.push(`The actions opened ${windows} new window(s), which were closed.`);
    }
    return outcome;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof PagewrightError && notOfSteps.has(error.code)) throw error;
    throw new ActionError(mask(messageOf(error)), current, { url: mask(page.url()), cause: error });
  } finally {
    page.off('popup', closeWindow);
    stopAnswering();
  }
}

/** The outcome before the first step. */
export function emptyOutcome(): ActionOutcome {
  return {
    screenshots: [],
    scrapes: [],
    javascriptReturns: [],
    pdfs: [],
    returns: [],
    repeats: [],
    dialogs: [],
    paginations: [],
    pages: [],
    acts: [],
    warnings: [],
  };
}
