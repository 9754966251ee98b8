/** An action is a step in a browser between loading a page and reading it. */
import type { Page } from 'playwright-core';
import type { ActionContext, ActionStep } from '../model/request.ts';

/** An action. `Options` are its object form without `type`, `Value` is what it brings. */
export interface Action<Type extends string = string, Options = unknown, Value = unknown> {
  /** The name callers ask for: `{ type: 'click', selector: '#more' }`. */
  readonly type: Type;
  /** Checks and completes the object form without `type`; throw an `Error` with a message for the caller. */
  parseOptions?(options: Readonly<Record<string, unknown>>): Options;
  /** Does it; `page` is Playwright's. What it returns is among `document.actions.returns`. */
  run(page: Page, options: Options, context: ActionContext): Promise<Value>;
}

export type { ActionStep };
