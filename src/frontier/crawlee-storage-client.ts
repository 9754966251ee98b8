/** A Crawlee storage client with our request queues. */
import type {
  Dictionary,
  RequestQueueClient,
  RequestQueueHeadItem,
  RequestQueueInfo,
  RequestSchema,
  StorageClient,
} from '@crawlee/types';
import type { QueuedRequest, RequestQueueStorage } from '../storage/request-queue-storage.ts';

/** Makes the request queue for a name. */
export type RequestQueueByName = (
  name: string,
) => RequestQueueStorage | Promise<RequestQueueStorage>;

/** Storage that our client delegates. */
export interface ToCrawleeOptions {
  /** Keeps datasets and key-value stores: Crawlee's crawlers write their statistics there. */
  readonly others?: StorageClient | undefined;
}

/**
 * Gives our request queues to Crawlee 3: `new Configuration({ storageClient: toCrawlee(…) })`.
 * Requests come back unchanged, payload and headers included. A queue belongs to one process: a
 * taken request goes to no other consumer until it is handled or given back.
 */
export function toCrawlee(
  requestQueue: RequestQueueByName,
  { others }: ToCrawleeOptions = {},
): StorageClient {
  const queues = new Map<string, ReturnType<typeof crawleeQueueClient>>();
  const queueClient = (id: string): ReturnType<typeof crawleeQueueClient> => {
    const client =
      queues.get(id) ?? storageQueue({ id, open: () => requestQueue(id), form: whole });
    queues.set(id, client);
    return client;
  };
  const left = (): StorageClient => {
    if (others !== undefined) return others;
    throw new Error('This storage client keeps request queues only: give `others` for the rest.');
  };
  return {
    datasets: () => left().datasets(),
    dataset: (id) => left().dataset(id),
    keyValueStores: () => left().keyValueStores(),
    keyValueStore: (id) => left().keyValueStore(id),
    requestQueues: () => ({
      list: async () => {
        const infos = await Promise.all([...queues.values()].map((queue) => queue.get()));
        const items = infos.filter((info) => info !== undefined);
        return { items, total: items.length, offset: 0, count: items.length, limit: items.length };
      },
      getOrCreate: async (name) => {
        const info = await queueClient(name).get();
        if (info === undefined) throw new Error(`The request queue ${name} could not be made.`);
        return info;
      },
    }),
    requestQueue: queueClient,
    // There are no leftovers of another run to purge.
    purge: () => Promise.resolve(others?.purge?.()),
    teardown: () => Promise.resolve(others?.teardown?.()),
  };

  /** A deleted queue is made anew at its next use. */
  function storageQueue(settings: QueueClientSettings): ReturnType<typeof crawleeQueueClient> {
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

/** Crawlee keeps internal notes in `userData.__crawlee`. */
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

/**
 * Serves both of Crawlee's queue classes: listed requests are taken, until they are handled or
 * given back.
 */
function crawleeQueueClient({ id, open, form }: QueueClientSettings): RequestQueueClient {
  let opened: Promise<RequestQueueStorage> | undefined;
  const storage = (): Promise<RequestQueueStorage> => (opened ??= Promise.resolve(open()));
  /** Requests given to Crawlee's head and not handled yet. */
  const taken = new Map<string, QueuedRequest>();
  /**
   * Taken requests that Crawlee did not ask for: it leaves out requests that it still considers in
   * progress.
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
    delete: async () => (await storage()).drop(),
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
