/** Errors as plain data, because an error cloned into another thread loses its class and its own properties. */
import {
  ActionError,
  ExtractError,
  MissingDependencyError,
  PagewrightError,
  ValidationError,
} from '../runtime/errors.ts';

/** An error of this library in parts, or any other error as is. */
export type SerializedError =
  | {
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
      readonly cause: unknown;
      /** `code`, `url`, `issues` and all that the class adds. */
      readonly own: object;
    }
  | { readonly other: unknown };

/** Makes an error sendable. */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof PagewrightError)) return { other: error };
  const { name, message, stack, cause } = error;
  return { name, message, stack, cause, own: { ...error } };
}

/** The error as thrown. */
export function deserializeError(sent: SerializedError): unknown {
  if ('other' in sent) return sent.other;
  const { name, message, stack, cause, own } = sent;
  const error = new Error(message, cause === undefined ? undefined : { cause });
  const { prototype } = errorClasses.find((one) => one.name === name) ?? PagewrightError;
  Object.setPrototypeOf(error, prototype);
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, own);
}

const errorClasses = [
  PagewrightError,
  ValidationError,
  MissingDependencyError,
  ExtractError,
  ActionError,
] as const;
