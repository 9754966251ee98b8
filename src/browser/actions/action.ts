/** An action is a step in a browser between loading a page and reading it. */
import type { z } from 'zod';
import type { ActionOutcome } from '../../core/model/snapshot.ts';
import type { ActionContext } from '../../core/model/request.ts';
import type { Page } from '../../core/model/browser-page.ts';

/** A custom action. `Options` is its object form without `type`, `Value` is its result. */
export interface Action<Type extends string = string, Options = unknown, Value = unknown> {
  /** The name callers ask for: `{ type: 'countRows', selector: 'tr' }`. */
  readonly type: Type;
  /**
   * Checks and completes the object form, without `type`. Without it the action takes no options.
   * Throw an `Error` with a message for the caller.
   */
  parseOptions?(options: Readonly<Record<string, unknown>>): Options;
  /**
   * Runs the action; `page` is Playwright's. The result is added to `document.actions.returns`, unless it
   * is undefined. An error fails the scrape with `ACTION_FAILED`; `STORAGE` and `MODEL_FAILED` keep their codes.
   */
  run(page: Page, options: Options, context: ActionContext): Value | Promise<Value>;
}

/** The options of a built-in action. */
export interface ActionOptions<Options = unknown> {
  /** The check of its object form, without `type`. */
  readonly options: z.ZodType<Options>;
  /**
   * True for options that recordings compare, by a hash. False for options with texts of the caller: a hash of a short
   * secret can be guessed.
   */
  readonly recordsOptions: boolean;
  /** True for an action that takes a picture or prints: images and fonts are loaded for it. @default false */
  readonly showsPage?: boolean | undefined;
  /** True for options that make it wait for a response: requests are recorded for it. @default false */
  readsResponses?(options: Options): boolean;
  /** Milliseconds that its options make it wait. @default 0 */
  waits?(options: Options): number;
}

/** Runs a built-in action, which adds its result to the outcome itself. */
export type ActionRun<Options> = (
  page: Page,
  options: Options,
  context: ActionContext,
  outcome: ActionOutcome,
) => Promise<void>;

/** Bytes of the files of one upload at most. */
export const mostUploadBytes = 20_000_000;

export type { ActionContext };

// Defines custom actions.

/**
 * Defines a custom action: pass it by value, or register it with
 * `createClient({ actions: [countRows] })` and use it by name and with options.
 *
 * @example
 * const countRows = defineAction({
 *   type: 'countRows',
 *   parseOptions: ({ selector = 'tr' }) => ({ selector: String(selector) }),
 *   run: (page, { selector }) => page.locator(selector).count(),
 * });
 * await scrape(url, { actions: [{ type: 'click', selector: '#more' }, countRows] });
 */
export function defineAction<const Type extends string, Value, Options = undefined>(
  action: Action<Type, Options, Value>,
): Action<Type, Options, Value> {
  return action;
}
