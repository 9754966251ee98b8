/** The pipe between Playwright and a browser that it starts. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Readable } from 'node:stream';
import { MessageFilter } from './message-filter.ts';

/** A browser whose messages are filtered. */
interface FilteredLaunch<Browser> {
  readonly browser: Browser;
  /** Undefined if Playwright does not read from a pipe of this process. */
  readonly messages: MessageFilter | undefined;
}

/**
 * Starts a browser, and filters its messages before Playwright reads them, which makes each one a string of
 * any length. Nothing is loaded in the browser before.
 */
export async function launchFiltered<Browser>(
  launch: () => Promise<Browser>,
): Promise<FilteredLaunch<Browser>> {
  // Playwright has no access to the process; Node names each one that is created.
  const scope = new AsyncLocalStorage<true>();
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => {
    const { process } = message as { readonly process: ChildProcess };
    if (scope.getStore() === true) started.push(process);
  };
  subscribe('child_process', note);
  try {
    const browser = await scope.run(true, launch);
    const pipes = started.map(({ stdio }) => stdio[4] as Readable | undefined);
    const pipe = pipes.find((one) => (one?.listenerCount('data') ?? 0) > 0);
    return { browser, messages: pipe && filterMessages(pipe) };
  } finally {
    unsubscribe('child_process', note);
    // While it is enabled, promises of the whole process are slower in Node 20 and 22.
    scope.disable();
  }
}

/** Puts a filter before the listeners of a pipe. */
function filterMessages(pipe: Readable): MessageFilter {
  const readers = pipe.listeners('data');
  const filter = new MessageFilter((message) => {
    for (const read of readers) read.call(pipe, message);
  });
  pipe.removeAllListeners('data').on('data', (chunk: Buffer) => filter.write(chunk));
  return filter;
}
