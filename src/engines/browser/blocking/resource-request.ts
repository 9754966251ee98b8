/** What is known of a request before it is sent. */

/** One request that a page is about to send. */
export interface ResourceRequest {
  readonly url: string;
  /** As the DevTools protocol names it: `Document`, `Image`, `XHR`. */
  readonly type: string;
  /** Where the reader is: the URL of the document in the main frame. */
  readonly pageUrl: string;
  /** False for all that comes from an `<iframe>`. */
  readonly isMainFrame: boolean;
}
