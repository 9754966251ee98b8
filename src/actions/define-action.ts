/** How a caller makes an action of their own. */
import type { Action } from './action.ts';

/**
 * Makes an action of your own: hand it over by value, or register it with
 * `createClient({ actions: [countRows] })` and ask for it by name and with options.
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
