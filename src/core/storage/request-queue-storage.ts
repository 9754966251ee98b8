/**
 * The interface of a crawl's request queue, shaped like Crawlee 4's storage backends, and the
 * default one in memory.
 */

/** One request in the queue. */
export interface QueuedRequest {
  readonly url: string;
  /** Two requests with the same key are one. */
  readonly uniqueKey: string;
  /** The crawl's data about it; JSON. */
  readonly userData: Readonly<Record<string, unknown>>;
  readonly retryCount: number;
}

/** The result for one request of a batch. */
export interface AddedRequest {
  readonly uniqueKey: string;
  readonly wasAlreadyPresent: boolean;
  readonly wasAlreadyHandled: boolean;
}

/**
 * First in, first out; a fetched request belongs to its consumer until it is handled or given back.
 */
export interface RequestQueueStorage {
  /** Adds the requests whose key is new, in their order; with `forefront` each before all others. */
  addBatchOfRequests(
    requests: readonly QueuedRequest[],
    options?: { readonly forefront?: boolean },
  ): Promise<readonly AddedRequest[]>;
  getRequest(uniqueKey: string): Promise<QueuedRequest | undefined>;
  /** Takes the first pending request, or undefined if none is pending. */
  fetchNextRequest(): Promise<QueuedRequest | undefined>;
  markRequestAsHandled(uniqueKey: string): Promise<void>;
  /** Gives a request back; with `forefront` it is the next one. */
  reclaimRequest(request: QueuedRequest, options?: { readonly forefront?: boolean }): Promise<void>;
  /** True when no request is pending. */
  isEmpty(): Promise<boolean>;
  /** True when no request is pending or in progress. */
  isFinished(): Promise<boolean>;
  /** Deletes the queue. */
  drop(): Promise<void>;
}

// A request queue in memory: the default of a crawl.

/** Makes an empty queue. */
export function memoryRequestQueue(): RequestQueueStorage {
  const pending = new Map<string, QueuedRequest>();
  const inProgress = new Map<string, QueuedRequest>();
  const handled = new Set<string>();
  /** Added or given back with `forefront`: served first, last in first out. */
  const forefront: QueuedRequest[] = [];
  // One shared iterator: a new one would skip all deleted entries each time.
  let oldest = pending.values();

  const takeFirst = (): QueuedRequest | undefined => {
    for (let request = forefront.pop(); request !== undefined; request = forefront.pop()) {
      if (pending.get(request.uniqueKey) === request) return request;
    }
    const next = oldest.next();
    if (next.done !== true) return next.value;
    // A finished iterator does not see later additions.
    oldest = pending.values();
    return oldest.next().value;
  };

  return {
    addBatchOfRequests: (requests, options = {}) =>
      Promise.resolve(
        requests.map((request) => {
          const { uniqueKey } = request;
          const wasAlreadyHandled = handled.has(uniqueKey);
          const wasAlreadyPresent =
            wasAlreadyHandled || pending.has(uniqueKey) || inProgress.has(uniqueKey);
          if (!wasAlreadyPresent) {
            pending.set(uniqueKey, request);
            if (options.forefront === true) forefront.push(request);
          }
          return { uniqueKey, wasAlreadyPresent, wasAlreadyHandled };
        }),
      ),
    getRequest: (uniqueKey) => Promise.resolve(pending.get(uniqueKey) ?? inProgress.get(uniqueKey)),
    fetchNextRequest: () => {
      const request = takeFirst();
      if (request !== undefined) {
        pending.delete(request.uniqueKey);
        inProgress.set(request.uniqueKey, request);
      }
      return Promise.resolve(request);
    },
    markRequestAsHandled: (uniqueKey) => {
      inProgress.delete(uniqueKey);
      pending.delete(uniqueKey);
      handled.add(uniqueKey);
      return Promise.resolve();
    },
    reclaimRequest: (request, options = {}) => {
      // Only a request in progress can be given back: a handled one stays handled.
      if (inProgress.delete(request.uniqueKey)) {
        pending.set(request.uniqueKey, request);
        if (options.forefront === true) forefront.push(request);
      }
      return Promise.resolve();
    },
    isEmpty: () => Promise.resolve(pending.size === 0),
    isFinished: () => Promise.resolve(pending.size === 0 && inProgress.size === 0),
    drop: () => {
      pending.clear();
      inProgress.clear();
      handled.clear();
      forefront.length = 0;
      return Promise.resolve();
    },
  };
}
