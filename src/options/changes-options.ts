/** What a caller may say about the history of a page. */
import { z } from 'zod';
import { check } from '../text/check.ts';
import type { ScrapeOptions } from './scrape-options.ts';

/** Options of `changes()`. */
export interface ChangesOptions {
  /** The tag that the scrapes had. @default the history of those without one */
  readonly tag?: string | undefined;
  /** The `identity` that the format had. @default that of `scrapeOptions` */
  readonly identity?: string | undefined;
  /**
   * Who asked for the page, as the scrapes had it: histories are kept apart by that.
   * @default a visitor without headers, profile, actions and location
   */
  readonly scrapeOptions?:
    Pick<ScrapeOptions, 'headers' | 'profile' | 'actions' | 'location' | 'mobile'> | undefined;
}

const changesSchema = z.strictObject({
  tag: z.string().min(1).max(200).optional(),
  identity: z.string().min(1).max(200).optional(),
  // Checked as what they are in scrape().
  scrapeOptions: z
    .strictObject({
      headers: z.custom<ScrapeOptions['headers']>().optional(),
      profile: z.custom<ScrapeOptions['profile']>().optional(),
      actions: z.custom<ScrapeOptions['actions']>().optional(),
      location: z.custom<ScrapeOptions['location']>().optional(),
      mobile: z.custom<ScrapeOptions['mobile']>().optional(),
    })
    .optional(),
} satisfies Record<keyof ChangesOptions, z.ZodType>);

/** Checks them; throws `ValidationError`. */
export function parseChangesOptions(options: unknown): ChangesOptions {
  return check('changes', changesSchema, options ?? {});
}
