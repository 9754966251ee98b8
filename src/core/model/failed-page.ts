/** The page that a failed visit saw, beside its error: messages and stores do not have it. */
import type { Snapshot } from './snapshot.ts';

/** The page as it was when it failed. */
export interface FailedPage extends Pick<Snapshot, 'picture'> {
  readonly body?: Uint8Array | undefined;
  readonly headers?: Snapshot['headers'];
}

/** Pages by the errors of their visits. */
export const failedPages = new WeakMap<object, FailedPage>();

/** The error, with its page. */
export function withFailedPage<Failure extends Error>(error: Failure, page: FailedPage): Failure {
  failedPages.set(error, page);
  return error;
}
