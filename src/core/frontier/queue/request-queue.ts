/**
 * Crawlee's request queue over our own storage; loaded at the first crawl, and without the rest of Crawlee
 * (`.ci/package-parts.mjs`). Nothing of Crawlee's global state is used.
 */
import type {
  Configuration as CrawleeConfiguration,
  Request as CrawleeRequest,
} from '@crawlee/core';
import { loadModule } from '../../runtime/load-module.ts';
import type { QueuedRequest, RequestQueueStorage } from '../../storage/request-queue-storage.ts';
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
  const { RequestQueueV1 } = await loadModule(() => import('@crawlee/core'));
  const queue = new RequestQueueV1({ id, client: bareStorageClient(id, storage) }, quiet);
  // Crawlee puts the first hundred requests straight to the head, stores facts of every request, and 16 MB for the keys
  // it has seen; the storage alone decides the order and knows every key.
  const nothing = (): undefined => undefined;
  Object.assign(queue, {
    _maybeAddRequestToQueueHead: nothing,
    _cacheRequest: nothing,
    requestSeenCache: { get: nothing, add: nothing, clear: nothing },
  });
  queue.log.setLevel(queue.log.LEVELS.OFF);
  const inProgress = new Map<string, CrawleeRequest>();

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

/** Only the event manager is requested, which Crawlee's own platform would call. */
const quiet = {
  getEventManager: () => ({ on: () => undefined }),
} as unknown as CrawleeConfiguration;
