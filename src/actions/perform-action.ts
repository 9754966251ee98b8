/** Performs a built-in action: once or repeatedly; one that is optional does not fail without its element. */
import type { Page } from 'playwright-core';
import type { ActionOutcome } from '../model/snapshot.ts';
import type { ActionContext, ActionRun } from './action.ts';
import * as registry from './registry.ts';
import { repeatAction, type RepeatedAction } from './repeat-action.ts';
import { MissingElementError } from './target.ts';

/** Checked options that several actions have. */
interface CommonOptions extends Omit<RepeatedAction['options'], 'repeat'> {
  readonly repeat?: RepeatedAction['options']['repeat'] | undefined;
}

/** `options` are those of the action of this name, checked. */
export async function performAction(
  page: Page,
  action: {
    readonly index: number;
    readonly name: keyof typeof registry;
    readonly options: CommonOptions;
  },
  context: ActionContext,
  outcome: ActionOutcome,
): Promise<void> {
  const { index, name, options } = action;
  const { repeat, optional = false } = options;
  const run = async (): Promise<void> => {
    const perform = registry[name] as ActionRun<CommonOptions>;
    await perform(page, options, context, outcome);
  };
  if (repeat !== undefined) {
    await repeatAction(
      page,
      { index, name, options: { ...options, repeat }, run },
      context,
      outcome,
    );
    return;
  }
  try {
    await run();
  } catch (error) {
    if (!optional || !(error instanceof MissingElementError)) throw error;
  }
}
