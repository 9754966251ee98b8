/** The queue of requests of one crawl, in the shape of Crawlee 4's storage backends. */

/** One request in the queue. */
export interface QueuedRequest {
  readonly url: string;
  /** Two requests with the same key are one. */
  readonly uniqueKey: string;
  /** What the crawl knows about it; JSON. */
  readonly userData: Readonly<Record<string, unknown>>;
  readonly retryCount: number;
}

/** What became of one request of a batch. */
export interface AddedRequest {
  readonly uniqueKey: string;
  readonly wasAlreadyPresent: boolean;
  readonly wasAlreadyHandled: boolean;
}

/** First in, first out; a fetched request belongs to its fetcher until it is handled or given back. */
export interface RequestQueueStorage {
  /** Adds the requests whose key is new, in their order; with `forefront` each before all others. */
  addBatchOfRequests(
    requests: readonly QueuedRequest[],
    options?: { readonly forefront?: boolean },
  ): Promise<readonly AddedRequest[]>;
  getRequest(uniqueKey: string): Promise<QueuedRequest | undefined>;
  /** Takes the first pending request, or undefined when none is pending. */
  fetchNextRequest(): Promise<QueuedRequest | undefined>;
  markRequestAsHandled(uniqueKey: string): Promise<void>;
  /** Gives a request back; with `forefront` it is the next one. */
  reclaimRequest(request: QueuedRequest, options?: { readonly forefront?: boolean }): Promise<void>;
  /** True when no request is pending. */
  isEmpty(): Promise<boolean>;
  /** True when no request is pending or in progress. */
  isFinished(): Promise<boolean>;
  /** Forgets everything. */
  drop(): Promise<void>;
}
