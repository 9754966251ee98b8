/** A snapshot: the bytes that an engine brought back, what it captured while the page was open, and the files made of that. */
import type { Branding } from './branding.ts';

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

// What an engine brings back of a page beside its HTML: only a browser can make it.

/** What was asked for, while the page was open. */
export interface Captures {
  readonly screenshot?: Picture | undefined;
  readonly branding?: Branding | undefined;
  readonly actions?: ActionOutcome | undefined;
}

/** A file that was made of a page. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg' | 'application/pdf';
  /** Where the elements are that were to be measured. */
  readonly boxes?: readonly PictureBox[] | undefined;
}

/** A part of a picture, in its pixels, from its upper left corner. */
export interface PictureBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What the steps brought, each list in their order. */
export interface ActionOutcome {
  readonly screenshots: Picture[];
  readonly scrapes: { readonly url: string; readonly html: string }[];
  /** `type` is that of `typeof`, but `null` and `array` for these. */
  readonly javascriptReturns: { readonly type: string; readonly value: unknown }[];
  readonly pdfs: Picture[];
  /** What a step could not do in full though it went on; sentences. */
  readonly warnings: string[];
  /** What actions of the caller's own returned. */
  readonly returns: { readonly type: string; readonly value: unknown }[];
}

// Files that are made of pages, and who keeps them.

/** A picture or a PDF of a page. */
export interface Asset extends Picture {
  /** `screenshot` for the format and for the action of that name. */
  readonly kind: 'screenshot' | 'pdf';
  /** The page that it shows. */
  readonly url: string;
  /** That of the document's metadata. */
  readonly scrapeId: string;
}

/** Keeps an asset; what it gives stands in the document. What it throws fails the page with `HOOK_FAILED`. */
export type AssetKeeper = (asset: Asset) => string | Promise<string>;
