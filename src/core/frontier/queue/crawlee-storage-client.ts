/** A Crawlee storage client with our request queues. */
import { randomUUID } from 'node:crypto';
import type {
  Dictionary,
  RequestQueueClient,
  RequestQueueHeadItem,
  RequestQueueInfo,
  RequestSchema,
  StorageClient,
  UpdateRequestSchema,
} from '@crawlee/types';
import type { QueuedRequest, RequestQueueStorage } from '../../storage/request-queue-storage.ts';
import type { CrawleeQueueBackend, CrawleeStorageBackend } from './crawlee-4.ts';

/** Makes the request queue for a name. */
export type RequestQueueByName = (
  name: string,
) => RequestQueueStorage | Promise<RequestQueueStorage>;

/** Storage that ours leaves to another. */
export interface ToCrawleeOptions<Others extends StorageClient | CrawleeStorageBackend> {
  /**
   * Keeps datasets and key-value stores: Crawlee's crawlers write their statistics there. Its version is that of
   * the result.
   */
  readonly others?: Others | undefined;
}

/**
 * Gives our request queues to Crawlee. With a storage client of Crawlee 3 as `others`, or none, the result is one:
 * `new Configuration({ storageClient: toCrawlee(…) })`. With a storage backend of Crawlee 4 it is a storage backend.
 * Requests come back unchanged, payload and headers included. A queue belongs to one process: a
 * taken request goes to no other consumer until it is handled or given back.
 */
export function toCrawlee<Others extends StorageClient | CrawleeStorageBackend = StorageClient>(
  requestQueue: RequestQueueByName,
  options: ToCrawleeOptions<Others> = {},
): Others {
  const others: StorageClient | CrawleeStorageBackend | undefined = options.others;
  const made =
    others !== undefined && 'createRequestQueueBackend' in others
      ? storageBackend(requestQueue, others)
      : storageClient(requestQueue, others);
  // The result has the interface of `others`, which the compiler cannot follow.
  return made as Others;
}

function storageClient(
  requestQueue: RequestQueueByName,
  others: StorageClient | undefined,
): StorageClient {
  const queues = new Map<string, QueueClient>();
  const queueClient = (id: string): QueueClient => {
    const client =
      queues.get(id) ?? storageQueue({ id, open: () => requestQueue(id), form: whole });
    queues.set(id, client);
    return client;
  };
  const left = (): StorageClient => {
    if (others !== undefined) return others;
    throw new Error('This storage client only keeps request queues: pass `others` for the rest.');
  };
  return {
    datasets: () => left().datasets(),
    dataset: (id) => left().dataset(id),
    keyValueStores: () => left().keyValueStores(),
    keyValueStore: (id) => left().keyValueStore(id),
    requestQueues: () => ({
      list: async () => {
        const items = await Promise.all([...queues.values()].map((queue) => queue.get()));
        return { items, total: items.length, offset: 0, count: items.length, limit: items.length };
      },
      getOrCreate: (name) => queueClient(name).get(),
    }),
    requestQueue: queueClient,
    // There are no leftovers of another run to purge.
    purge: () => Promise.resolve(others?.purge?.()),
    teardown: () => Promise.resolve(others?.teardown?.()),
  };

  /** A deleted queue is recreated at its next use. */
  function storageQueue(settings: QueueClientSettings): QueueClient {
    const client = crawleeQueueClient(settings);
    return {
      ...client,
      delete: async () => {
        queues.delete(settings.id);
        await client.delete();
      },
    };
  }
}

/** The client of one queue, for Crawlee's class over it: only URL, key and data are stored. */
export function bareStorageClient(id: string, storage: RequestQueueStorage): StorageClient {
  const none = (): never => {
    throw new Error('This storage client has one request queue only.');
  };
  const client = crawleeQueueClient({ id, open: () => storage, form: bare });
  return {
    datasets: none,
    dataset: none,
    keyValueStores: none,
    keyValueStore: none,
    requestQueues: none,
    requestQueue: () => client,
  };
}

const bare: RequestForm = {
  toQueue: ({ url, uniqueKey, userData = {}, retryCount = 0 }) => ({
    url,
    uniqueKey,
    userData: withoutNotes(userData),
    retryCount,
  }),
  fromQueue: ({ url, uniqueKey, userData, retryCount }) => ({
    id: uniqueKey,
    url,
    uniqueKey,
    userData: { ...userData },
    retryCount,
    method: 'GET',
  }),
};

/** Crawlee stores internal notes in `userData.__crawlee`. */
function withoutNotes(userData: Dictionary): Dictionary {
  const { __crawlee: _, ...own } = userData;
  return own;
}

/** The key in a request's data for all other fields of Crawlee: payload, headers, errors. */
const restKey = '__request';

const whole: RequestForm = {
  toQueue(request) {
    const {
      id: _,
      url,
      uniqueKey,
      userData = {},
      retryCount = 0,
      ...rest
    } = request as RequestSchema & { id?: string };
    return { url, uniqueKey, userData: { ...userData, [restKey]: rest }, retryCount };
  },
  fromQueue({ url, uniqueKey, userData, retryCount }: QueuedRequest) {
    const { [restKey]: rest, ...own } = userData;
    const known = {
      method: 'GET',
      ...(rest as Partial<RequestQueueHeadItem> | undefined),
    } as const;
    return { ...known, id: uniqueKey, url, uniqueKey, userData: own, retryCount };
  },
};

/** Delegates all but request queues. */
function storageBackend(
  requestQueue: RequestQueueByName,
  others: CrawleeStorageBackend,
): CrawleeStorageBackend {
  const queues = new Map<string, CrawleeQueueBackend>();
  const own: CrawleeStorageBackend = {
    // Crawlee keeps opened storages by this key: two of these may have the same `others`.
    getStorageBackendCacheKey: () => cacheKey,
    createRequestQueueBackend: ({ id, name, alias } = {}) => {
      const key = name ?? id ?? alias ?? 'default';
      const queue = queues.get(key) ?? crawleeQueueBackend(key, () => requestQueue(key));
      queues.set(key, queue);
      return Promise.resolve(queue);
    },
    storageExists: async (id, type) =>
      type === 'RequestQueue' ? queues.has(id) : (await others.storageExists?.(id, type)) === true,
  };
  const cacheKey = `pagewright:${randomUUID()}`;
  return new Proxy(others, {
    get(_, name): unknown {
      const value: unknown = Reflect.get(Object.hasOwn(own, name) ? own : others, name);
      // Private fields are those of `others` itself.
      return typeof value === 'function' ? (value.bind(others) as unknown) : value;
    },
  });
}

/** One of our request queues with the interface of a Crawlee 4 queue backend. */
function crawleeQueueBackend(
  id: string,
  open: () => RequestQueueStorage | Promise<RequestQueueStorage>,
): CrawleeQueueBackend {
  let opened: Promise<RequestQueueStorage> | undefined;
  const storage = (): Promise<RequestQueueStorage> => (opened ??= Promise.resolve(open()));
  const client = crawleeQueueClient({ id, open: storage, form: whole });
  const known = async (uniqueKey: string): Promise<UpdateRequestSchema | undefined> =>
    (await client.getRequest(uniqueKey)) as UpdateRequestSchema | undefined;
  return {
    getMetadata: () => client.get(),
    drop: () => client.delete(),
    purge: () => client.delete(),
    addBatchOfRequests: (requests, options) =>
      client.batchAddRequests(requests.map(plain), options),
    getRequest: known,
    async fetchNextRequest() {
      const { items } = await client.listAndLockHead({ limit: 1, lockSecs: 60 });
      return items[0];
    },
    async markRequestAsHandled(request) {
      if ((await known(request.uniqueKey)) === undefined) return undefined;
      const handledAt = request.handledAt ?? new Date().toISOString();
      return client.updateRequest({ ...plain(request), id: request.uniqueKey, handledAt });
    },
    async reclaimRequest(request, options) {
      if ((await known(request.uniqueKey)) === undefined) return undefined;
      const { handledAt: _, ...pending } = plain(request);
      return client.updateRequest({ ...pending, id: request.uniqueKey }, options);
    },
    isEmpty: async () => (await storage()).isEmpty(),
    isFinished: async () => (await storage()).isFinished(),
  };
}

/** Crawlee 4 hands over instances of its `Request`, which has fields that only its `toJSON` shows. */
function plain(request: RequestSchema): RequestSchema {
  return JSON.parse(JSON.stringify(request)) as RequestSchema;
}

// One of our request queues with the interface of a Crawlee 3 queue client.

/** Converts requests between both forms; request ids are the unique keys. */
interface RequestForm {
  toQueue(request: RequestSchema): QueuedRequest;
  /** Converts a request for Crawlee, which gives it to one consumer only. */
  fromQueue(request: QueuedRequest): RequestQueueHeadItem & RequestSchema;
}

/** The queue, and its factory for the first use. */
interface QueueClientSettings {
  readonly id: string;
  readonly open: () => RequestQueueStorage | Promise<RequestQueueStorage>;
  readonly form: RequestForm;
}

interface QueueClient extends RequestQueueClient {
  get(): Promise<RequestQueueInfo>;
}

/**
 * Serves both of Crawlee's queue classes: listed requests are taken, until they are handled or
 * given back.
 */
function crawleeQueueClient({ id, open, form }: QueueClientSettings): QueueClient {
  let opened: Promise<RequestQueueStorage> | undefined;
  const storage = (): Promise<RequestQueueStorage> => (opened ??= Promise.resolve(open()));
  /** Requests passed to Crawlee's head and not handled yet. */
  const taken = new Map<string, QueuedRequest>();
  /**
   * Taken requests that Crawlee did not request: it leaves out requests that it still considers in progress.
   */
  const unasked = new Set<string>();
  /** Changes to requests that were never taken: Crawlee puts the first ones to its head itself. */
  const changed = new Map<string, QueuedRequest>();
  const counts = { total: 0, handled: 0 };
  const createdAt = new Date();
  let modifiedAt = createdAt;

  const take = async (limit: number): Promise<RequestQueueHeadItem[]> => {
    const queue = await storage();
    const items: RequestQueueHeadItem[] = [];
    while (items.length < limit) {
      const fetched = await queue.fetchNextRequest();
      if (fetched === undefined) break;
      const request = changed.get(fetched.uniqueKey) ?? fetched;
      changed.delete(request.uniqueKey);
      taken.set(request.uniqueKey, request);
      unasked.add(request.uniqueKey);
      items.push(form.fromQueue(request));
    }
    return items;
  };
  const giveBack = async (
    request: QueuedRequest,
    { forefront = false }: { readonly forefront?: boolean | undefined },
  ): Promise<void> => {
    unasked.delete(request.uniqueKey);
    if (!taken.delete(request.uniqueKey)) {
      changed.set(request.uniqueKey, request);
      return;
    }
    await (await storage()).reclaimRequest(request, { forefront });
  };
  const add: RequestQueueClient['batchAddRequests'] = async (
    requests,
    { forefront = false } = {},
  ) => {
    const added = await (
      await storage()
    ).addBatchOfRequests(requests.map(form.toQueue), { forefront });
    counts.total += added.filter(({ wasAlreadyPresent }) => !wasAlreadyPresent).length;
    // Crawlee copies queues including their handled requests.
    for (const [index, { uniqueKey, wasAlreadyPresent }] of added.entries()) {
      if (wasAlreadyPresent || requests[index]?.handledAt === undefined) continue;
      counts.handled += 1;
      await (await storage()).markRequestAsHandled(uniqueKey);
    }
    modifiedAt = new Date();
    return {
      processedRequests: added.map((one) => ({ ...one, requestId: one.uniqueKey })),
      unprocessedRequests: [],
    };
  };

  return {
    get: () => Promise.resolve(infoOf({ id, createdAt, modifiedAt, ...counts })),
    // It has no name that could change.
    update: () => Promise.resolve(undefined),
    async delete() {
      await (await storage()).drop();
      for (const map of [taken, unasked, changed]) map.clear();
      counts.total = counts.handled = 0;
    },
    async listHead({ limit = 100 } = {}) {
      const before = [...unasked].slice(0, limit).flatMap((key) => taken.get(key) ?? []);
      const items = [...before.map(form.fromQueue), ...(await take(limit - before.length))];
      return { limit, ...consistent, items };
    },
    async listAndLockHead({ limit = 25, lockSecs }) {
      const items = await take(limit);
      return { limit, lockSecs, ...consistent, items, queueHasLockedRequests: taken.size > 0 };
    },
    prolongRequestLock(requestId, { lockSecs }) {
      if (!taken.has(requestId)) {
        return Promise.reject(new Error(`The request ${requestId} is not taken.`));
      }
      return Promise.resolve({ lockExpiresAt: new Date(Date.now() + lockSecs * 1000) });
    },
    async deleteRequestLock(requestId, options = {}) {
      const request = taken.get(requestId);
      if (request !== undefined) await giveBack(request, options);
    },
    async getRequest(requestId) {
      unasked.delete(requestId);
      const request =
        taken.get(requestId) ??
        changed.get(requestId) ??
        (await (await storage()).getRequest(requestId));
      return request === undefined ? undefined : { ...form.fromQueue(request) };
    },
    batchAddRequests: add,
    async addRequest(request, options) {
      const [added] = (await add([request], options)).processedRequests;
      return {
        requestId: request.uniqueKey,
        wasAlreadyPresent: added?.wasAlreadyPresent ?? false,
        wasAlreadyHandled: added?.wasAlreadyHandled ?? false,
      };
    },
    async updateRequest(request, options = {}) {
      if (request.handledAt === undefined) {
        await giveBack(form.toQueue(request), options);
      } else {
        taken.delete(request.id);
        changed.delete(request.id);
        counts.handled += 1;
        await (await storage()).markRequestAsHandled(request.uniqueKey);
      }
      return { requestId: request.id, wasAlreadyPresent: true, wasAlreadyHandled: false };
    },
    async deleteRequest(requestId) {
      taken.delete(requestId);
      unasked.delete(requestId);
      changed.delete(requestId);
      await (await storage()).markRequestAsHandled(requestId);
    },
  };
}

/** The list is complete: Crawlee waits ten seconds if it may not be. */
const consistent = { queueModifiedAt: new Date(0), hadMultipleClients: false };

/** Counts only requests that went through this client. */
function infoOf(queue: {
  readonly id: string;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  readonly total: number;
  readonly handled: number;
}): RequestQueueInfo {
  const { id, createdAt, modifiedAt, total, handled } = queue;
  return {
    id,
    name: id,
    createdAt,
    modifiedAt,
    accessedAt: modifiedAt,
    totalRequestCount: total,
    handledRequestCount: handled,
    pendingRequestCount: total - handled,
  };
}
