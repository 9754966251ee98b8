/** A Crawlee storage client whose request queues are ours. */
import type {
  Dictionary,
  RequestQueueHeadItem,
  RequestSchema,
  StorageClient,
} from '@crawlee/types';
import type { QueuedRequest, RequestQueueStorage } from '../storage/request-queue-storage.ts';
import {
  crawleeQueueClient,
  type QueueClientSettings,
  type RequestForm,
} from './crawlee-queue-client.ts';

/** Makes the request queue of a name. */
export type RequestQueueByName = (
  name: string,
) => RequestQueueStorage | Promise<RequestQueueStorage>;

/** What a storage client of ours leaves to another one. */
export interface ToCrawleeOptions {
  /** Keeps datasets and key-value stores: Crawlee's crawlers write their statistics there. */
  readonly others?: StorageClient | undefined;
}

/**
 * Hands request queues of ours to Crawlee 3: `new Configuration({ storageClient: toCrawlee(…) })`.
 * Requests come back as they went in, payload and headers included. A queue belongs to one process:
 * what one takes, no other gets until it is handled or given back.
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
    // Nothing is left over from another run that could be purged.
    purge: () => Promise.resolve(others?.purge?.()),
    teardown: () => Promise.resolve(others?.teardown?.()),
  };

  /** A queue that is deleted is made anew when it is asked for again. */
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

/** The client of one queue, for Crawlee's class over it: nothing but URL, key and data goes through. */
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

/** Crawlee keeps notes of its own in `userData.__crawlee`. */
function withoutNotes(userData: Dictionary): Dictionary {
  const { __crawlee: _, ...own } = userData;
  return own;
}

/** Where in the data of a request all else is that Crawlee knows of it: payload, headers, errors. */
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
