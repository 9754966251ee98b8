/** Loads the modules of a caller that a format, a parser or a hook names by its `worker`. */
import { messageOf, PagewrightError } from '../runtime/errors.ts';
import { isOutOfDescriptors } from '../runtime/file-descriptors.ts';
import { loadModule } from '../runtime/load-module.ts';

/**
 * The exports of a module; Node loads each module only once. Throws `HOOK_FAILED`. `what` names the caller's code in
 * it, as the beginning of a sentence.
 */
export async function importOwn(
  module: string,
  what: string,
  url: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await loadModule(() => import(module), module)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    throw ownModuleFailed(what, url, module, `cannot be loaded: ${messageOf(error)}`, error);
  }
}

/** The error for a module without the caller's code. */
export function ownModuleFailed(
  what: string,
  url: string,
  module: string,
  problem: string,
  cause?: unknown,
): PagewrightError {
  const message = `${what} did not run for ${url}: its module ${module} ${problem}`;
  return new PagewrightError('HOOK_FAILED', message, { url, cause });
}
