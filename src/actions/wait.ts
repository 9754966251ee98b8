/** wait: for some time, or until an element is visible. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';
import { selector as selectorSchema, withElement } from './target.ts';

/** Options of wait: exactly one of the two. */
export type WaitOptions =
  | {
      /** Time to wait, 1 to 60000; all waits of a scrape together at most 60000. */
      readonly milliseconds: number;
      readonly selector?: undefined;
    }
  | {
      /** A CSS selector; it fails when no match is visible within 30 s. */
      readonly selector: string;
      readonly milliseconds?: undefined;
    };

const visibleWithin = 30_000;

/** Waits for the time, or until a match is visible. */
export const wait: BuiltInAction<'wait', WaitOptions> = {
  type: 'wait',
  options: z
    .strictObject({
      milliseconds: z.int().min(1).max(60_000).optional(),
      selector: selectorSchema.optional(),
    })
    .refine(
      ({ milliseconds, selector }) => (milliseconds === undefined) !== (selector === undefined),
      'expected milliseconds or selector, one of the two',
    ) as unknown as z.ZodType<WaitOptions>,
  waits: ({ milliseconds = 0 }) => milliseconds,
  async run(page, { milliseconds, selector }, { signal }) {
    if (milliseconds !== undefined) {
      await sleep(milliseconds, undefined, { signal });
    } else {
      await withElement(
        page,
        selector,
        (element) => element.waitFor({ state: 'visible', timeout: visibleWithin }),
        { timeout: visibleWithin },
      );
    }
  },
};
