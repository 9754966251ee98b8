/**
 * Exported as `pagewright/crawlee`: request queues shared with Crawlee 3 and 4, in both directions. Loads
 * no Crawlee code; types come from `@crawlee/types`.
 */
export type { CrawleeQueueBackend, CrawleeStorageBackend } from './frontier/crawlee-4.ts';
export { fromCrawlee } from './frontier/crawlee-request-queue.ts';
export {
  type RequestQueueByName,
  toCrawlee,
  type ToCrawleeOptions,
} from './frontier/crawlee-storage-client.ts';
export { memoryRequestQueue } from './storage/request-queue-storage.ts';
export type {
  AddedRequest,
  QueuedRequest,
  RequestQueueStorage,
} from './storage/request-queue-storage.ts';
