/** What tests of actions need: steps from objects, and a context without an engine. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Action } from '../../../src/browser/actions/action.ts';
import type { ActionInput } from '../../../src/browser/actions/action-types.ts';
import { parseActions } from '../../../src/core/options/rendering-options.ts';
import { runActions } from '../../../src/browser/actions/run-actions.ts';
import type { ActionOutcome } from '../../../src/core/model/snapshot.ts';

/** Runs actions as an engine does; a page settles at once. */
export async function act(
  page: Page,
  actions: readonly ActionInput[],
  { custom = [], signal = new AbortController().signal, timeLeft }: ActOptions = {},
): Promise<ActionOutcome> {
  return runActions(page, parseActions('scrape', actions, custom), {
    signal,
    settle: () => sleep(20),
    html: () => page.content(),
    ...(timeLeft === undefined ? {} : { timeLeft: () => timeLeft }),
  });
}

interface ActOptions {
  readonly custom?: readonly Action[];
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeLeft?: number;
}

/** What it is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('It did not fail.');
}
