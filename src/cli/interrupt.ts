/** Ctrl-C: once to stop the work, twice to end at once. */
import { ExitCode } from './exit-code.ts';

/** Calls `stop` at the first SIGINT; the second ends the process. Disposing gives the signal back. */
export function onInterrupt(stop: () => void): Disposable {
  let interrupted = false;
  const listener = (): void => {
    if (interrupted) process.exit(ExitCode.interrupted);
    interrupted = true;
    stop();
  };
  process.on('SIGINT', listener);
  return {
    [Symbol.dispose]: () => {
      process.off('SIGINT', listener);
    },
  };
}
