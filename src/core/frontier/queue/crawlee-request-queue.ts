/** A request queue stored in a storage client of Crawlee 3 or a storage backend of Crawlee 4. */
import { createHash } from 'node:crypto';
import type {
  BatchAddRequestsResult,
  RequestQueueClient,
  RequestSchema,
  StorageClient,
  UpdateRequestSchema,
} from '@crawlee/types';
import { PagewrightError, ValidationError } from '../../runtime/errors.ts';
import {
  memoryRequestQueue,
  type QueuedRequest,
  type RequestQueueStorage,
} from '../../storage/request-queue-storage.ts';
import { preview } from '../../checks/option-errors.ts';
import type { CrawleeStorageBackend } from './crawlee-4.ts';

const readAhead = 100; // requests listed at a time, besides those in progress

/**
 * Lets the crawls of a client keep their queues in a storage client of Crawlee 3, such as
 * `@crawlee/memory-storage`, or in a storage backend of Crawlee 4:
 * `createClient({ requestQueue: fromCrawlee(storageClient) })`.
 *
 * Crawlee's clients do not keep the order of requests added in the same millisecond: requests added
 * by this process keep their order, first in, first out, and go to the storage client at once.
 * Older requests come after them, in the client's order. One process at a time: the head of the
 * queue is not locked. Throws `BAD_REQUEST` for another object. The queue rejects with `STORAGE` when
 * the client does not accept a request.
 */
export function fromCrawlee(
  storage: StorageClient | CrawleeStorageBackend,
): (name: string) => RequestQueueStorage {
  const { createRequestQueueBackend, requestQueues } = Object(storage) as Readonly<
    Record<string, unknown>
  >;
  const isBackend = typeof createRequestQueueBackend === 'function';
  if (!isBackend && typeof requestQueues !== 'function') {
    const message = `expected a storage client of Crawlee 3, such as new MemoryStorage(), or a storage backend of Crawlee 4, got ${preview(storage)}`;
    throw new ValidationError('fromCrawlee()', [{ path: [], message }]);
  }
  const open = isBackend ? openBackend : openClient;
  return (name) => new CrawleeRequestQueue(name, () => open(storage as never, name));
}

/** The queue operations common to both versions of Crawlee. */
interface StoredQueue {
  add(
    requests: RequestSchema[],
    options: { readonly forefront?: boolean },
  ): Promise<BatchAddRequestsResult>;
  get(uniqueKey: string): Promise<unknown>;
  /** At most `limit` requests that are not handled; `isKnown` is true for requests that the caller has. */
  head(limit: number, isKnown: (uniqueKey: string) => Promise<boolean>): Promise<unknown[]>;
  update(request: UpdateRequestSchema, options: { readonly forefront?: boolean }): Promise<unknown>;
  delete(): Promise<void>;
}

async function openClient(storage: StorageClient, name: string): Promise<StoredQueue> {
  const { id: queueId } = await storage.requestQueues().getOrCreate(name);
  const client: RequestQueueClient = storage.requestQueue(queueId);
  return {
    add: (requests, options) => client.batchAddRequests(requests, options),
    get: (uniqueKey) => client.getRequest(requestId(uniqueKey)),
    async head(limit, isKnown) {
      const { items } = await client.listHead({ limit });
      const requests = items.map(async ({ id, uniqueKey }) =>
        (await isKnown(uniqueKey)) ? undefined : client.getRequest(id),
      );
      return Promise.all(requests);
    },
    update: (request, options) => client.updateRequest(request, options),
    delete: () => client.delete(),
  };
}

async function openBackend(storage: CrawleeStorageBackend, name: string): Promise<StoredQueue> {
  const queue = await storage.createRequestQueueBackend({ name });
  return {
    add: (requests, options) => queue.addBatchOfRequests(requests, options),
    get: (uniqueKey) => queue.getRequest(uniqueKey),
    async head(limit, isKnown) {
      const requests: unknown[] = [];
      // A backend returns each request once, also requests that this process holds.
      while (requests.length < limit) {
        const request = await queue.fetchNextRequest();
        if (request === undefined || request === null) break;
        if (!(await isKnown(request.uniqueKey))) requests.push(request);
      }
      return requests;
    },
    update: (request, options) =>
      request.handledAt === undefined
        ? queue.reclaimRequest(request, options)
        : queue.markRequestAsHandled(request),
    delete: () => queue.drop(),
  };
}

/** Requests are chosen and ordered in memory; every change is written through. */
class CrawleeRequestQueue implements RequestQueueStorage {
  readonly #name: string;
  readonly #openQueue: () => Promise<StoredQueue>;
  readonly #memory = memoryRequestQueue();
  #queue: Promise<StoredQueue> | undefined;
  #inProgress = 0;

  constructor(name: string, openQueue: () => Promise<StoredQueue>) {
    this.#name = name;
    this.#openQueue = openQueue;
  }

  async addBatchOfRequests(
    ...[requests, options]: Parameters<RequestQueueStorage['addBatchOfRequests']>
  ): ReturnType<RequestQueueStorage['addBatchOfRequests']> {
    if (requests.length === 0) return [];
    const queue = await this.#open();
    const { processedRequests, unprocessedRequests } = await queue.add(
      requests.map(written),
      options?.forefront === true ? { forefront: true } : {},
    );
    const [refused] = unprocessedRequests;
    if (refused !== undefined) throw notTaken(refused.url, this.#name);
    // If the batch has a key twice, the first result shows whether it existed before.
    const byKey = new Map(processedRequests.toReversed().map((added) => [added.uniqueKey, added]));
    const handled = requests.filter(({ uniqueKey }) => byKey.get(uniqueKey)?.wasAlreadyHandled);
    await Promise.all(handled.map(({ uniqueKey }) => this.#memory.markRequestAsHandled(uniqueKey)));
    const added = await this.#memory.addBatchOfRequests(requests, options);
    return added.map((one) => {
      const before = byKey.get(one.uniqueKey)?.wasAlreadyPresent === true;
      return before ? { ...one, wasAlreadyPresent: true } : one;
    });
  }

  async getRequest(uniqueKey: string): Promise<QueuedRequest | undefined> {
    const known = await this.#memory.getRequest(uniqueKey);
    if (known !== undefined) return known;
    return readRequest(await (await this.#open()).get(uniqueKey));
  }

  async fetchNextRequest(): Promise<QueuedRequest | undefined> {
    if (await this.#memory.isEmpty()) await this.#readHead();
    const request = await this.#memory.fetchNextRequest();
    if (request !== undefined) this.#inProgress += 1;
    return request;
  }

  async markRequestAsHandled(uniqueKey: string): Promise<void> {
    const request = await this.getRequest(uniqueKey);
    await this.#memory.markRequestAsHandled(uniqueKey);
    this.#inProgress = Math.max(0, this.#inProgress - 1);
    if (request === undefined) return;
    await this.#update(request, { handledAt: new Date().toISOString() });
  }

  async reclaimRequest(
    ...[request, options = {}]: Parameters<RequestQueueStorage['reclaimRequest']>
  ): Promise<void> {
    // Only a request that was taken can be given back.
    if ((await this.#memory.getRequest(request.uniqueKey)) === undefined) return;
    this.#inProgress = Math.max(0, this.#inProgress - 1);
    await this.#memory.reclaimRequest(request, options);
    await this.#update(request, options);
  }

  async isEmpty(): Promise<boolean> {
    if (await this.#memory.isEmpty()) await this.#readHead();
    return this.#memory.isEmpty();
  }

  async isFinished(): Promise<boolean> {
    return (await this.isEmpty()) && this.#memory.isFinished();
  }

  async drop(): Promise<void> {
    await this.#memory.drop();
    this.#inProgress = 0;
    const queue = await this.#open();
    this.#queue = undefined;
    await queue.delete();
  }

  #open(): Promise<StoredQueue> {
    return (this.#queue ??= this.#openQueue());
  }

  /** Reads requests in the storage that this process did not add: an earlier process left them. */
  async #readHead(): Promise<void> {
    const queue = await this.#open();
    const left = await queue.head(
      this.#inProgress + readAhead,
      async (uniqueKey) => (await this.#memory.getRequest(uniqueKey)) !== undefined,
    );
    const requests = left.map(readRequest).filter((request) => request !== undefined);
    await this.#memory.addBatchOfRequests(requests);
  }

  async #update(
    request: QueuedRequest,
    { handledAt, forefront = false }: { readonly handledAt?: string; readonly forefront?: boolean },
  ): Promise<void> {
    const id = requestId(request.uniqueKey);
    const update = { ...written(request), id, ...(handledAt && { handledAt }) };
    await (await this.#open()).update(update, forefront ? { forefront } : {});
  }
}

function written({ url, uniqueKey, userData, retryCount }: QueuedRequest): RequestSchema {
  return { url, uniqueKey, userData: { ...userData }, retryCount, method: 'GET' };
}

/** By Crawlee's type a request is its options. */
function readRequest(found: unknown): QueuedRequest | undefined {
  if (found === undefined || found === null) return undefined;
  const { url, uniqueKey, userData = {}, retryCount = 0 } = found as UpdateRequestSchema;
  return { url, uniqueKey, userData, retryCount };
}

/** The id that Crawlee's storage clients derive from a key. */
function requestId(uniqueKey: string): string {
  const digest = createHash('sha256').update(uniqueKey).digest('base64');
  return digest.replace(/[+/=]/g, '').slice(0, 15);
}

function notTaken(url: string, name: string): PagewrightError {
  return new PagewrightError(
    'STORAGE',
    `The storage client did not take ${url} into the request queue ${name}. Look into its own log for why.`,
    { url },
  );
}
