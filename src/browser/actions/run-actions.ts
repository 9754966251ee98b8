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
 * Rejects with an `ActionError` when a step fails, with `BROWSER_CRASHED` when the page breaks, with
 * `MODEL_FAILED` or `STORAGE` of an act, and with the reason of the signal as soon as it aborts: a
 * step in the page may then run on until the page is closed.
 */
export async function runActions(
  page: Page,
  steps: readonly ActionStep[],
  context: ActionContext,
): Promise<ActionOutcome> {
  const outcome = emptyOutcome();
  const mask = (text: string): string =>
    steps.reduce((masked, step) => step.mask?.(masked) ?? masked, text);
  const maskedUrl = (): string => mask(page.url());
  const stop = watchForStop(page, maskedUrl, context.signal);
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
      await stop.before(async () => {
        await context.settle();
        context.signal.throwIfAborted();
        await step.perform(page, context, outcome);
      });
    }
    await stop.before(() => context.settle());
    if (windows > 0) {
      outcome.warnings.push(`The actions opened ${windows} new window(s), which were closed.`);
    }
    return outcome;
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    if (error instanceof PagewrightError && notOfSteps.has(error.code)) throw error;
    throw new ActionError(mask(messageOf(error)), current, { url: maskedUrl(), cause: error });
  } finally {
    stop.close();
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

interface StepStop {
  /** The work's result, or a rejection as soon as the step has to stop. */
  before<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

/** Watches for events that stop a step anywhere: the signal, a crash, a closed page. */
function watchForStop(page: Page, maskedUrl: () => string, signal: AbortSignal): StepStop {
  let reject: (reason: unknown) => void = () => undefined;
  const stopped = new Promise<never>((_, rejectStopped) => {
    reject = rejectStopped;
  });
  // `stopped` may reject while it is not awaited.
  stopped.catch(() => undefined);
  const crash = (what: string) => (): void => {
    const url = maskedUrl();
    const message = `The page ${what} while its actions ran: ${url}. Try again.`;
    reject(new PagewrightError('BROWSER_CRASHED', message, { url }));
  };
  const [onCrash, onClose] = [crash('crashed'), crash('was closed')];
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  page.on('crash', onCrash).on('close', onClose);
  return {
    before: (work) => Promise.race([stopped, signal.aborted ? stopped : work()]),
    close() {
      signal.removeEventListener('abort', onAbort);
      page.off('crash', onCrash).off('close', onClose);
    },
  };
}
