/** Names the caller's line in errors that follow the call: from a socket, a worker or a job. */
import { types } from 'node:util';

/** The stacks of errors as thrown, without the frames of a caller. */
const thrownStacks = new WeakMap<Error, string>();

/** A function or class of this library, whose own frames are left out. */
type CallSite = (...given: never[]) => unknown;

/**
 * Captures the frames of the caller of `called`, in a few microseconds; the returned function adds them to the stack of
 * an error. An error that rejects several calls is copied, so that each has its own caller.
 */
export function callSite(called: object): (error: unknown) => unknown {
  const site = { stack: '' };
  Error.captureStackTrace(site, called as CallSite);
  return (error) => (error instanceof Error ? withCaller(error, site) : error);
}

/** Makes the errors of all async methods of a class name their caller. */
export function namesCallers({ prototype }: { readonly prototype: object }): void {
  const methods = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  for (const [name, { value }] of methods as [string, { value?: unknown }][]) {
    if (!isAsync(value)) continue;
    const method = function (this: unknown, ...given: unknown[]): Promise<unknown> {
      const named = callSite(method);
      return value.apply(this, given).catch((error: unknown) => {
        throw named(error);
      });
    };
    Object.defineProperty(prototype, name, {
      value: Object.defineProperty(method, 'name', { value: name }),
    });
  }
}

function isAsync(value: unknown): value is (...given: unknown[]) => Promise<unknown> {
  return types.isAsyncFunction(value);
}

function withCaller(error: Error, site: { readonly stack: string }): Error {
  const frames = site.stack.slice(site.stack.indexOf('\n'));
  const known = thrownStacks.get(error);
  if (error.stack?.endsWith(frames) === true) return error;
  const thrown = known ?? error.stack ?? '';
  // An error of the call itself, as of wrong options, has these frames, or the first of them.
  const [, first = frames] = frames.split('\n', 2);
  const [own = thrown] = thrown.split(`\n${first}`, 1);
  const named = known === undefined ? error : copyOf(error);
  thrownStacks.set(named, own);
  Reflect.set(named, 'stack', own + frames);
  return named;
}

function copyOf(error: Error): Error {
  const cause = 'cause' in error ? { cause: error.cause } : undefined;
  const copy = Object.assign(new Error(error.message, cause), error);
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object) as Error;
}
