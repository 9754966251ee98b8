/** Options of the contract that this version does not have: refused by name, never ignored. */
import { PagewrightError } from '../errors.ts';

/** Throws `UNSUPPORTED_OPTION` when one of `names` is given. */
export function refuseUnsupported(
  subject: string,
  options: unknown,
  names: readonly string[],
): void {
  if (typeof options !== 'object' || options === null) return;
  const record = options as Record<string, unknown>;
  const named = names.find((name) => record[name] !== undefined);
  if (named !== undefined) throw unsupported(`${subject}: ${named}`, 'Leave it out.');
}

/** The error for something that this version cannot do. */
export function unsupported(what: string, instead: string): PagewrightError {
  return new PagewrightError(
    'UNSUPPORTED_OPTION',
    `${what} is not supported by this version of pagewright. ${instead}`,
  );
}
