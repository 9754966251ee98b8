/** Loads Crawlee at the first crawl, and takes back what that does to the process. */
import { createRequire } from 'node:module';

/** Crawlee's exports, as far as types go. */
export type Crawlee = typeof import('@crawlee/core');

/**
 * Crawlee loads a file lock for a storage that is not used here; the lock loads signal-exit, which
 * handles SIGINT, SIGTERM and SIGHUP and replaces `process.emit`. A library has no business there.
 * Where the host had signal-exit before, nothing changes.
 *
 * Required, not imported: the module that Crawlee has for `import` wraps the one for `require`, so both
 * give the same classes, and the way through it takes 0.45 s of CPU instead of 0.26.
 */
export function loadCrawlee(): Promise<Crawlee> {
  const { emit } = process;
  const crawlee = createRequire(import.meta.url)('@crawlee/core') as Crawlee;
  if (process.emit !== emit) unloadSignalExit();
  return Promise.resolve(crawlee);
}

function unloadSignalExit(): void {
  let from = createRequire(import.meta.url);
  for (const name of ['@crawlee/core', '@crawlee/memory-storage', 'proper-lockfile']) {
    from = createRequire(from.resolve(name));
  }
  const { unload } = from('signal-exit') as { unload(): void };
  unload();
}
