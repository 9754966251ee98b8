/** The page that a failed visit saw, beside its error: messages and stores do not have it. */

/** The page as it was when it failed. */
export interface FailedPage {
  readonly html?: Uint8Array | undefined;
  /** JPEG, from a browser. */
  readonly picture?: Uint8Array | undefined;
}

const pages = new WeakMap<object, FailedPage>();

/** The error, with the page that `failedPageOf` gives. */
export function withFailedPage<Failure extends Error>(error: Failure, page: FailedPage): Failure {
  pages.set(error, page);
  return error;
}

export function failedPageOf(error: unknown): FailedPage | undefined {
  return error instanceof Error ? pages.get(error) : undefined;
}
