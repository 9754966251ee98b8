/** A request queue kept by a storage client of Crawlee 3. */
import { createHash } from 'node:crypto';
import type { RequestQueueClient, StorageClient, UpdateRequestSchema } from '@crawlee/types';
import { PagewrightError } from '../errors.ts';
import {
  memoryRequestQueue,
  type QueuedRequest,
  type RequestQueueStorage,
} from '../storage/request-queue-storage.ts';

/** Requests listed at a time, besides those in progress. */
const readAhead = 100;

/**
 * Lets the crawls of a client keep their queues in a storage client of Crawlee 3, such as
 * `@crawlee/memory-storage`: `createClient({ requestQueue: fromCrawlee(storageClient) })`.
 *
 * Crawlee's clients do not keep the order of requests added in the same millisecond: requests added
 * by this process keep their order, first in, first out, and go to the storage client at once.
 * Older requests come after them, in the client's order. One process at a time: the head of the
 * queue is not locked. Rejects with `STORAGE` when the client does not accept a request.
 */
export function fromCrawlee(storageClient: StorageClient): (name: string) => RequestQueueStorage {
  return (name) => new CrawleeRequestQueue(storageClient, name);
}

/** Requests are chosen and ordered in memory; every change is written through. */
class CrawleeRequestQueue implements RequestQueueStorage {
  readonly #storageClient: StorageClient;
  readonly #name: string;
  readonly #memory = memoryRequestQueue();
  #client: Promise<RequestQueueClient> | undefined;
  #inProgress = 0;

  constructor(storageClient: StorageClient, name: string) {
    this.#storageClient = storageClient;
    this.#name = name;
  }

  async addBatchOfRequests(
    ...[requests, options]: Parameters<RequestQueueStorage['addBatchOfRequests']>
  ): ReturnType<RequestQueueStorage['addBatchOfRequests']> {
    if (requests.length === 0) return [];
    const client = await this.#open();
    const { processedRequests, unprocessedRequests } = await client.batchAddRequests(
      requests.map((request) => ({ ...request, userData: { ...request.userData }, method: 'GET' })),
      options?.forefront === true ? { forefront: true } : {},
    );
    const [refused] = unprocessedRequests;
    if (refused !== undefined) throw notTaken(refused.url, this.#name);
    // If the batch has a key twice, the first result tells whether it existed before.
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
    return readRequest(await this.#open(), requestId(uniqueKey));
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
    await this.#update({ ...written(request), handledAt: new Date().toISOString() });
  }

  async reclaimRequest(
    ...[request, options = {}]: Parameters<RequestQueueStorage['reclaimRequest']>
  ): Promise<void> {
    // Only a request that was taken can be given back.
    if ((await this.#memory.getRequest(request.uniqueKey)) === undefined) return;
    this.#inProgress = Math.max(0, this.#inProgress - 1);
    await this.#memory.reclaimRequest(request, options);
    await this.#update(written(request), options.forefront);
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
    const client = await this.#open();
    this.#client = undefined;
    await client.delete();
  }

  #open(): Promise<RequestQueueClient> {
    this.#client ??= this.#storageClient
      .requestQueues()
      .getOrCreate(this.#name)
      .then(({ id }) => this.#storageClient.requestQueue(id));
    return this.#client;
  }

  /** Reads requests in the storage that this process did not add: an earlier process left them. */
  async #readHead(): Promise<void> {
    const client = await this.#open();
    const { items } = await client.listHead({ limit: this.#inProgress + readAhead });
    const requests = await Promise.all(
      items.map(async ({ id, uniqueKey }) => {
        if ((await this.#memory.getRequest(uniqueKey)) !== undefined) return undefined;
        return readRequest(client, id);
      }),
    );
    const fresh = requests.filter((request) => request !== undefined);
    await this.#memory.addBatchOfRequests(fresh);
  }

  async #update(request: UpdateRequestSchema, forefront = false): Promise<void> {
    await (await this.#open()).updateRequest(request, forefront ? { forefront } : {});
  }
}

function written(request: QueuedRequest): UpdateRequestSchema {
  const { url, uniqueKey, userData, retryCount } = request;
  const data = { ...userData };
  return { id: requestId(uniqueKey), url, uniqueKey, userData: data, retryCount, method: 'GET' };
}

async function readRequest(
  client: RequestQueueClient,
  id: string,
): Promise<QueuedRequest | undefined> {
  // By Crawlee's type a request is its options.
  const found: unknown = await client.getRequest(id);
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
