/** What a caller may say about the history of a page. */
import { z } from 'zod';
import { check } from '../text/check.ts';

/** Options of `changes()`. */
export interface ChangesOptions {
  /** The tag that the scrapes had. @default the history of those without one */
  readonly tag?: string | undefined;
}

const changesSchema = z.strictObject({
  tag: z.string().min(1).max(200).optional(),
} satisfies Record<keyof ChangesOptions, z.ZodType>);

/** Checks them; throws `ValidationError`. */
export function parseChangesOptions(options: unknown): ChangesOptions {
  return check('changes', changesSchema, options ?? {});
}
