/** scrape: keeps the page's current HTML. */
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';

/** Keeps URL and HTML. */
export const scrape: BuiltInAction<'scrape', object> = {
  type: 'scrape',
  options: z.strictObject({}),
  async run(page, _, context, outcome) {
    outcome.scrapes.push({ url: page.url(), html: await context.html() });
  },
};
