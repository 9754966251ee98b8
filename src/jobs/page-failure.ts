/** A page's error as data. */
import { messageOf, PagewrightError } from '../errors.ts';
import type { PageFailure } from '../model/job.ts';

/** What a job keeps of a page that could not be read. */
export function failureOf(
  page: { readonly url: string; readonly parent?: string },
  error: unknown,
  now: number,
): PageFailure {
  return {
    ...page,
    code: error instanceof PagewrightError ? error.code : 'HOOK_FAILED',
    error: messageOf(error),
    timestamp: new Date(now).toISOString(),
  };
}
