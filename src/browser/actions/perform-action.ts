/** Performs a built-in action: once or repeatedly; one that is optional does not fail without its element. */
import type { Page } from 'playwright-core';
import type { ActionOutcome } from '../../core/model/snapshot.ts';
import type { ActionContext, ActionRun } from './action.ts';
import type { ScrollOptions } from './action-options.ts';
import { collectRows } from './collect-rows.ts';
import * as registry from './registry.ts';
import { repeatAction, type RepeatedAction } from './repeat-action.ts';
import { MissingElementError } from './target.ts';

/** Checked options that several actions have. */
interface CommonOptions extends Omit<RepeatedAction['options'], 'repeat'> {
  readonly repeat?: RepeatedAction['options']['repeat'] | undefined;
  readonly direction?: ScrollOptions['direction'];
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
  const { repeat, direction, optional = false } = options;
  const run = async (): Promise<void> => {
    const perform = registry[name] as ActionRun<CommonOptions>;
    await perform(page, options, context, outcome);
  };
  if (repeat !== undefined) {
    const action = { index, name, options: { ...options, repeat }, run };
    if (direction === undefined) {
      await repeatAction(page, action, context, outcome);
    } else {
      await collectRows(page, { ...options, direction }, context, outcome, (around) =>
        repeatAction(page, { ...action, run: () => around(run) }, context, outcome),
      );
    }
    return;
  }
  try {
    await run();
  } catch (error) {
    if (!optional || !(error instanceof MissingElementError)) throw error;
  }
}
