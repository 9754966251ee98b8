/** Removes personal data from the error of a step in a page. */
import { PagewrightError } from '../runtime/errors.ts';
import type { CleanOptions } from '../model/request.ts';
import { Redactor } from '../../content/text/redactor.ts';

/**
 * The error with its message redacted, and without its cause: a failed step names URLs and elements
 * of the page. Other errors name only the caller's input.
 */
export function redactedFailure(
  error: unknown,
  { url, clean }: { readonly url: string; readonly clean?: CleanOptions | undefined },
): unknown {
  const isOfStep = error instanceof PagewrightError && error.code === 'ACTION_FAILED';
  if (!isOfStep || clean?.redact === undefined) return error;
  const redactor = new Redactor(clean.redact, url);
  const redact = (text: string): string =>
    redactor.text(text.replace(/\bhttps?:[^\s,;"'<>]+/gi, (found) => redactor.url(found)));
  const [message, stack] = [redact(error.message), redact(error.stack ?? '')];
  const redactedUrl = error.url === undefined ? undefined : redactor.url(error.url);
  return Object.assign(error, { message, stack, url: redactedUrl, cause: undefined });
}
