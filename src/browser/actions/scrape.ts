/** scrape: captures the page's current HTML. */
import type { ActionRun } from './action.ts';

export const scrape: ActionRun<object> = async (page, _, context, outcome) => {
  outcome.scrapes.push({ url: page.url(), html: await context.html() });
};
