/** The error for a file that cannot be read. */
import { PagewrightError } from '../core/runtime/errors.ts';

/** `file` names it: `The book`. `why` completes a sentence: `it is encrypted`. */
export function unreadable(file: string, why: string, cause?: unknown): PagewrightError {
  return new PagewrightError('UNSUPPORTED_CONTENT', `${file} cannot be read: ${why}.`, { cause });
}
