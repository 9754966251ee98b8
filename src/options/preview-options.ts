/** What a caller may say about a preview of a crawl. */
import { z } from 'zod';
import { check } from '../text/check.ts';

/** Options of `previewCrawl()`. */
export interface PreviewOptions {
  /** Ends it; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const previewSchema = z.strictObject({
  signal: z.instanceof(AbortSignal).optional(),
} satisfies Record<keyof PreviewOptions, z.ZodType>);

/** Checks them; throws `ValidationError`. */
export function parsePreviewOptions(options: unknown): PreviewOptions {
  return check('previewCrawl', previewSchema, options ?? {});
}
