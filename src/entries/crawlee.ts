/**
 * Exported as `pagewright/crawlee`: request queues shared with Crawlee 3 and 4, in both directions. Loads
 * no Crawlee code; types come from `@crawlee/types`.
 */
export type {
  CrawleeQueueBackend,
  CrawleeStorageBackend,
} from '../core/frontier/queue/crawlee-4.ts';
export { fromCrawlee } from '../core/frontier/queue/crawlee-request-queue.ts';
export {
  type RequestQueueByName,
  toCrawlee,
  type ToCrawleeOptions,
} from '../core/frontier/queue/crawlee-storage-client.ts';
export { memoryRequestQueue } from '../core/storage/request-queue-storage.ts';
export type {
  AddedRequest,
  QueuedRequest,
  RequestQueueStorage,
} from '../core/storage/request-queue-storage.ts';
