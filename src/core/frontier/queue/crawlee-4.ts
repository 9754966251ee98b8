/**
 * The storage backends of Crawlee 4, as far as request queues go. Written down here, because Crawlee 4 needs Node 22
 * and its packages cannot be installed beside those of version 3.
 */
import type {
  BatchAddRequestsResult,
  QueueOperationInfo,
  RequestQueueInfo,
  RequestSchema,
  UpdateRequestSchema,
} from '@crawlee/types';

/** A storage backend of Crawlee 4, such as its `MemoryStorageBackend`. */
export interface CrawleeStorageBackend {
  createRequestQueueBackend(identifier?: {
    readonly id?: string;
    readonly name?: string;
    readonly alias?: string;
  }): Promise<CrawleeQueueBackend>;
  storageExists?(id: string, type: 'Dataset' | 'KeyValueStore' | 'RequestQueue'): Promise<boolean>;
  getStorageBackendCacheKey?(): string;
}

/** A request queue of such a backend. No other consumer gets a fetched request until it is handled or reclaimed. */
export interface CrawleeQueueBackend {
  getMetadata(): Promise<RequestQueueInfo>;
  drop(): Promise<void>;
  purge(): Promise<void>;
  addBatchOfRequests(
    requests: RequestSchema[],
    options?: { readonly forefront?: boolean },
  ): Promise<BatchAddRequestsResult>;
  getRequest(uniqueKey: string): Promise<UpdateRequestSchema | undefined>;
  /** The first release candidates returned null if nothing is pending. */
  fetchNextRequest(): Promise<UpdateRequestSchema | undefined | null>;
  /** Returns undefined for a request that the queue does not have. */
  markRequestAsHandled(request: UpdateRequestSchema): Promise<QueueOperationInfo | undefined>;
  /** Returns undefined for a request that the queue does not have, or that is handled. */
  reclaimRequest(
    request: UpdateRequestSchema,
    options?: { readonly forefront?: boolean },
  ): Promise<QueueOperationInfo | undefined>;
  /** True when no request is pending. */
  isEmpty(): Promise<boolean>;
  /** True when no request is pending or in progress. */
  isFinished(): Promise<boolean>;
}
