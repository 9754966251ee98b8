/**
 * Crawlee's request queue over our own storage; Crawlee is loaded at the first crawl.
 *
 * Nothing of Crawlee's global state is used: a Configuration per queue, an event manager that does
 * nothing (the default one spawns `ps` every second), no purge, no files.
 */
import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type {
  Configuration as CrawleeConfiguration,
  RequestQueueV1 as CrawleeRequestQueue,
} from '@crawlee/core';
import type { QueuedRequest, RequestQueueStorage } from '../storage/request-queue-storage.ts';
import { bareStorageClient } from './crawlee-storage-client.ts';

/** The pending pages of one crawl: first in, first out, each key once. */
export interface RequestQueue {
  /** Adds requests in their order; remove duplicates first, each call is one batch. */
  add(requests: readonly Omit<QueuedRequest, 'retryCount'>[]): Promise<void>;
  /** The next pending request, or undefined if there is none. */
  next(): Promise<QueuedRequest | undefined>;
  /** The request is done, whatever its outcome. */
  markHandled(request: QueuedRequest): Promise<void>;
  drop(): Promise<void>;
}

/** Opens a queue. Crawlee is loaded here, at the first crawl. */
export async function openRequestQueue(
  id: string,
  storage: RequestQueueStorage,
): Promise<RequestQueue> {
  const crawlee = await loadCrawlee();
  const queue = new crawlee.RequestQueueV1(
    { id, client: bareStorageClient(id, storage) },
    quietConfiguration(crawlee),
  );
  slim(queue);
  queue.log.setLevel(crawlee.log.LEVELS.OFF);
  const inProgress = new Map<string, InstanceType<typeof crawlee.Request>>();

  return {
    async add(requests) {
      if (requests.length > 0) await queue.addRequests(requests.map((request) => ({ ...request })));
    },
    async next() {
      const request = await queue.fetchNextRequest();
      if (request === null) return undefined;
      inProgress.set(request.uniqueKey, request);
      const { url, uniqueKey, userData, retryCount } = request;
      return { url, uniqueKey, userData, retryCount };
    },
    async markHandled({ uniqueKey }) {
      const request = inProgress.get(uniqueKey);
      inProgress.delete(uniqueKey);
      if (request !== undefined) await queue.markRequestHandled(request);
    },
    drop: () => storage.drop(),
  };
}

function quietConfiguration(crawlee: Crawlee): CrawleeConfiguration {
  // The constructor raises this limit for the whole process.
  const { defaultMaxListeners } = EventEmitter;
  const configuration = new crawlee.Configuration({ persistStorage: false, purgeOnStart: false });
  EventEmitter.defaultMaxListeners = defaultMaxListeners;
  class SilentEventManager extends crawlee.EventManager {}
  configuration.useEventManager(new SilentEventManager(configuration));
  return configuration;
}

/**
 * Crawlee remembers seen requests in two arrays of a million slots, 16 MB a queue; the frontier
 * removes duplicates before the queue is used. And it puts the first hundred requests straight to
 * the head, beside the storage; here the storage alone decides the order.
 */
function slim(queue: CrawleeRequestQueue): void {
  const seen = new Map<string, string>();
  Object.assign(queue, {
    requestSeenCache: {
      get: (key: string) => seen.get(key) ?? null,
      add: (key: string, id: string) => seen.set(key, id),
      clear: () => seen.clear(),
    },
    _maybeAddRequestToQueueHead: () => undefined,
  });
}

// Loads Crawlee at the first crawl, and undoes its effects on the process.

/** Crawlee's exports. */
type Crawlee = typeof import('@crawlee/core');

/**
 * Crawlee loads a file lock for a storage that is not used here; the lock loads signal-exit, which
 * handles SIGINT, SIGTERM and SIGHUP and replaces `process.emit`. A library must not do that. If
 * the host loaded signal-exit before, nothing changes.
 *
 * Required, not imported: Crawlee's module for `import` wraps the one for `require`, so both give
 * the same classes, and the import takes 0.45 s of CPU instead of 0.26.
 */
function loadCrawlee(): Promise<Crawlee> {
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
