/** Our request queue storage, spoken to as Crawlee 3 speaks to a storage client. */
import type {
  Dictionary,
  RequestQueueClient,
  RequestQueueHeadItem,
  RequestSchema,
  StorageClient,
} from '@crawlee/types';
import type { QueuedRequest, RequestQueueStorage } from '../storage/request-queue-storage.ts';

/** A type alias, not an interface: Crawlee wants it to have an index signature. */
type CrawleeRequest = RequestQueueHeadItem & { userData: Dictionary };

/** A storage client that has request queues only; request ids are the unique keys. */
export function crawleeStorageClient(storage: RequestQueueStorage): StorageClient {
  const none = (): never => {
    throw new Error('This storage client keeps request queues only.');
  };
  return {
    datasets: none,
    dataset: none,
    keyValueStores: none,
    keyValueStore: none,
    requestQueues: none,
    requestQueue: () => requestQueueClient(storage),
    purge: () => Promise.resolve(),
    teardown: () => Promise.resolve(),
  };
}

function requestQueueClient(storage: RequestQueueStorage): RequestQueueClient {
  /** Requests that were handed to Crawlee's head and are not handled yet. */
  const taken = new Map<string, QueuedRequest>();

  const addBatch: RequestQueueClient['batchAddRequests'] = async (requests) => {
    const added = await storage.addBatchOfRequests(requests.map(fromCrawlee));
    return {
      processedRequests: added.map((one) => ({ ...one, requestId: one.uniqueKey })),
      unprocessedRequests: [],
    };
  };

  return {
    async listHead({ limit = 100 } = {}) {
      const items: QueuedRequest[] = [];
      while (items.length < limit) {
        const request = await storage.fetchNextRequest();
        if (request === undefined) break;
        taken.set(request.uniqueKey, request);
        items.push(request);
      }
      return {
        limit,
        queueModifiedAt: new Date(0),
        hadMultipleClients: false,
        items: items.map(toCrawlee),
      };
    },
    async getRequest(id) {
      const request = taken.get(id) ?? (await storage.getRequest(id));
      return request === undefined ? undefined : { ...toCrawlee(request) };
    },
    batchAddRequests: addBatch,
    async addRequest(request) {
      const { processedRequests } = await addBatch([request]);
      const [added] = processedRequests;
      return {
        requestId: request.uniqueKey,
        wasAlreadyPresent: added?.wasAlreadyPresent ?? false,
        wasAlreadyHandled: added?.wasAlreadyHandled ?? false,
      };
    },
    async updateRequest(request, options = {}) {
      taken.delete(request.id);
      if (request.handledAt === undefined) {
        await storage.reclaimRequest(fromCrawlee(request), {
          forefront: options.forefront ?? false,
        });
      } else {
        await storage.markRequestAsHandled(request.uniqueKey);
      }
      return { requestId: request.id, wasAlreadyPresent: true, wasAlreadyHandled: false };
    },
    delete: () => storage.drop(),
    get: () => Promise.resolve(undefined),
    update: () => Promise.resolve(undefined),
    deleteRequest: unused,
    listAndLockHead: unused,
    prolongRequestLock: unused,
    deleteRequestLock: unused,
  };
}

/** Called by Crawlee's second queue class only. */
function unused(): never {
  throw new Error('This request queue has no locks: use RequestQueueV1.');
}

function fromCrawlee(request: RequestSchema): QueuedRequest {
  return {
    url: request.url,
    uniqueKey: request.uniqueKey,
    userData: plainData(request.userData ?? {}),
    retryCount: request.retryCount ?? 0,
  };
}

function toCrawlee({ url, uniqueKey, userData, retryCount }: QueuedRequest): CrawleeRequest {
  return { id: uniqueKey, url, uniqueKey, userData: { ...userData }, retryCount, method: 'GET' };
}

/** Crawlee keeps notes of its own in `userData.__crawlee`. */
function plainData(userData: Dictionary): Dictionary {
  const { __crawlee: _, ...own } = userData;
  return own;
}
