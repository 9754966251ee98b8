/** The error for a file of which nothing was read. */
import { PagewrightError } from '../errors.ts';

/** The engine, which may be the caller's own, failed, and there is no text without it. */
export function ocrFailed(name: string, url: string, failure: string): PagewrightError {
  const message = `The OCR engine ${name} failed for ${url}: ${failure}`;
  return new PagewrightError('HOOK_FAILED', message, { url });
}
