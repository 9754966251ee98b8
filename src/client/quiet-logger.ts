/** A caller's logger that harms nobody: it is called where nobody is left to tell what it throws. */
import type { Logger } from '../parts.ts';

/** It may be asynchronous, whatever its type says. */
export function quietLogger(logger: Logger): Logger {
  const warn = async (message: string): Promise<void> => {
    try {
      await (logger.warn(message) as unknown);
    } catch {
      // It is the caller's own business.
    }
  };
  return { warn: (message) => void warn(message) };
}
