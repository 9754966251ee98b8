/** Rejections that nobody handles: they end the process of a caller. */
import { setImmediate } from 'node:timers/promises';

/** Gives those since then, once the process has had the time to find them. */
export function unhandledRejections(
  atTheEnd: (undo: () => void) => void,
): () => Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const record = (reason: unknown): void => void seen.push(reason);
  // The test runner's own would fail the run whatever the test says.
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', record);
  atTheEnd(() => {
    process.off('unhandledRejection', record);
    for (const other of others) process.on('unhandledRejection', other);
  });
  return async () => {
    await setImmediate();
    await setImmediate();
    return seen;
  };
}
