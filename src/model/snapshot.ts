/** What an engine brought back, byte for byte. */
import type { Captures } from './captures.ts';

/** Elements of a rendered page by place in document order and name: `12 p`. Those in templates do not count. */
export interface UnseenElements {
  /** All elements; 0 where there were too many to look at. */
  readonly elements: number;
  /** Nothing of them is seen; what is in them is not listed. */
  readonly hidden: readonly string[];
  /** Nothing is seen yet: further down, where a page may fade in its content. */
  readonly faded: readonly string[];
  /** Their own text cannot be read. */
  readonly illegible: readonly string[];
}

/** One response, or one rendered page. */
export interface Snapshot {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly statusCode: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed. */
  readonly body: Uint8Array;
  /** The engine's name. */
  readonly engine: string;
  /** URLs that redirected, in order, the final one not included. */
  readonly redirects: readonly string[];
  /** What is wrong with the body though it is usable. */
  readonly warnings: readonly string[];
  /** True when the body ended before its end; a warning says so too. */
  readonly isCut?: boolean | undefined;
  /** Requests sent, redirects and retries included. */
  readonly requests: number;
  /** Bytes received over the wire, before decompression. */
  readonly bytes: number;
  /** Milliseconds that a browser had the page open; absent where none did. */
  readonly browserMs?: number | undefined;
  /** What the browser says that readers do not see; absent where none was asked. */
  readonly unseen?: UnseenElements | undefined;
  /** What was made of the page while it was open in a browser. */
  readonly captures?: Captures | undefined;
  /** The time zone that the page was told. */
  readonly timezone?: string | undefined;
}
