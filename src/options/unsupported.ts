/** What this version cannot do: refused by name, never ignored. */
import { PagewrightError } from '../errors.ts';

/** The error for something that this version cannot do. */
export function unsupported(what: string, instead: string): PagewrightError {
  return new PagewrightError(
    'UNSUPPORTED_OPTION',
    `${what} is not supported by this version of pagewright. ${instead}`,
  );
}
