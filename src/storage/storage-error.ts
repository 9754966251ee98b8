/** The error of a store that could not do what it was asked to. */
import { messageOf, PagewrightError } from '../errors.ts';

/** What was asked: `The file store could not write /a/b`. */
export interface StorageAction {
  /** `file store`. */
  readonly store: string;
  /** `write`. */
  readonly verb: string;
  /** The file or key. */
  readonly place: string;
}

/** Makes it: what failed, where, why, and what to do. What is an error of ours stays as it is. */
export function storageError(
  { store, verb, place }: StorageAction,
  cause: unknown,
  advice: string,
): PagewrightError {
  if (cause instanceof PagewrightError) return cause;
  const message = `The ${store} could not ${verb} ${place}: ${messageOf(cause)}. ${advice}`;
  return new PagewrightError('STORAGE', message, { cause });
}

/** A key in a message: short, and nothing in it can be mistaken for the rest. */
export function quoted(key: string): string {
  return JSON.stringify(key.length > 200 ? `${key.slice(0, 200)}…` : key);
}

/** A value that is there and cannot be read, whoever tries, and however often. */
export class DamagedValueError extends PagewrightError {
  constructor(message: string) {
    super('STORAGE', message);
  }
}
