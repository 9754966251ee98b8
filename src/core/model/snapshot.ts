/**
 * A snapshot: the bytes that an engine fetched, its captures while the page was open, and the files
 * made of them.
 */
import type { Branding } from './branding.ts';
import type { FoundEndpoint, NetworkRequest } from './network-request.ts';

/**
 * Elements of a rendered page by place in document order and name: `12 p`. Elements in templates do
 * not count.
 */
export interface UnseenElements {
  /** The number of elements; 0 if there were too many to examine. */
  readonly elements: number;
  /** Entirely invisible; their descendants are not listed. */
  readonly hidden: readonly string[];
  /** Not visible yet: further down, where a page may fade in its content. */
  readonly faded: readonly string[];
  /** Their own text is illegible. */
  readonly illegible: readonly string[];
}

/** One response, or one rendered page. */
export interface Snapshot {
  /** A JPEG of a page with status 400 or more, where one is wanted (`keepsFailures`). */
  readonly picture?: Uint8Array | undefined;
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
  /** Problems of a body that is usable all the same. */
  readonly warnings: readonly string[];
  /** True when the body ended early; a warning says so too. */
  readonly isCut?: boolean | undefined;
  /** Requests sent, redirects and retries included. */
  readonly requests: number;
  /** Bytes received over the wire, before decompression. */
  readonly bytes: number;
  /** Milliseconds that a browser had the page open; absent without a browser. */
  readonly browserMs?: number | undefined;
  /** Elements that readers do not see, according to the browser; absent without one. */
  readonly unseen?: UnseenElements | undefined;
  /** The captures of the page while it was open in a browser. */
  readonly captures?: Captures | undefined;
  /** The time zone reported to the page. */
  readonly timezone?: string | undefined;
}

// Captures of a page besides its HTML: only a browser can make them.

/** The requested captures. */
export interface Captures {
  readonly screenshot?: Picture | undefined;
  readonly branding?: Branding | undefined;
  readonly requests?: readonly NetworkRequest[] | undefined;
  readonly endpoints?: readonly FoundEndpoint[] | undefined;
  readonly actions?: ActionOutcome | undefined;
}

/** A file made of a page. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg' | 'application/pdf';
  /** The boxes of the measured elements. */
  readonly boxes?: readonly PictureBox[] | undefined;
}

/** A part of a picture in its pixels, from the upper left corner. */
export interface PictureBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The results of the steps, each list in their order. */
export interface ActionOutcome {
  readonly screenshots: Picture[];
  readonly scrapes: { readonly url: string; readonly html: string }[];
  /** `type` is the result of `typeof`, except `null` and `array`. */
  readonly javascriptReturns: { readonly type: string; readonly value: unknown }[];
  readonly pdfs: Picture[];
  /** The steps with `repeat`. */
  readonly repeats: ActionRepeat[];
  /** The first 100 dialogs. */
  readonly dialogs: ActionDialog[];
  readonly paginations: ActionPagination[];
  /** Pages that are documents of their own. */
  readonly pages: PaginatedPage[];
  /** The page to read in place of the one that is shown at the end. */
  whole?: PaginatedPage | undefined;
  /** The steps in words. */
  readonly acts: ActReport[];
  /** Sentences about steps that were only partly done. */
  readonly warnings: string[];
  /** Return values of custom actions. */
  readonly returns: { readonly type: string; readonly value: unknown }[];
}

/** The runs of a step with `repeat`. */
export interface ActionRepeat {
  /** The index of the action in `actions`, from 0. */
  readonly actionIndex: number;
  /** The name of the action: `click`. */
  readonly actionType: string;
  /** Times that it ran. */
  readonly runs: number;
  /**
   * The reason to stop: the element or `until.gone` is gone, the last run changed nothing, `max` or the
   * time was used up.
   */
  readonly end: 'gone' | 'noChange' | 'max' | 'time';
}

/** The pages that `paginate` followed. */
export interface ActionPagination {
  /** Pages read, the first included. */
  readonly pages: number;
  /**
   * The reason to stop: there was nothing that leads on, it was disabled, it led to a page that was read
   * before or to another host, it could not be clicked or loaded (a warning says why), or `max`, the time
   * or the size was used up.
   */
  readonly end: 'none' | 'disabled' | 'seen' | 'otherHost' | 'failed' | 'max' | 'time' | 'size';
}

/** One of several pages that follow each other. */
export interface PaginatedPage {
  readonly url: string;
  readonly html: string;
}

/** A dialog of the page, with its answer. */
export interface ActionDialog {
  readonly type: 'alert' | 'beforeunload' | 'confirm' | 'prompt';
  /** The first 2,000 characters. */
  readonly message: string;
  /** True for OK, the text for a prompt, and false for Cancel. */
  readonly answer: boolean | string;
}

/** The report about an act. */
export interface ActReport {
  /** The index of the action in `actions`, from 0. */
  readonly actionIndex: number;
  readonly prompt: string;
  /**
   * `applied`: by a recipe that fitted; `healed`: by a recipe that no longer fitted and was replaced;
   * `learned`: by a new recipe; `nothingToDo`: the page was already as the task wants it, or the task is
   * impossible here and `optional`.
   */
  readonly outcome: 'applied' | 'learned' | 'healed' | 'nothingToDo';
  /** The id of the recipe; undefined without one. */
  readonly id: string | undefined;
  /** Requests to the model. */
  readonly calls: number;
  /** The steps in plain words; those that were not needed say so. */
  readonly steps: readonly string[];
  /** What differs from the recipe that was replaced, in plain words. */
  readonly changes: readonly string[];
  /** Why the model was asked, or why there was nothing to do. */
  readonly reason?: string | undefined;
}

// Files made of pages, and the function that stores them.

/** A file of a page: one that was made of it, one that it refers to, or the page itself as bytes. */
export interface Asset extends Omit<Picture, 'mediaType'> {
  /**
   * `screenshot` for the format and for the action of that name, `image` and `file` for the option `assets`,
   * `raw` for the format rawBase64.
   */
  readonly kind: 'screenshot' | 'pdf' | 'image' | 'file' | 'raw';
  /** Lower-case type and subtype. */
  readonly mediaType: string;
  /** The page that it shows, or the file's own URL. */
  readonly url: string;
  /** The `scrapeId` in the document's metadata. */
  readonly scrapeId: string;
}

/**
 * Stores an asset; the result replaces it in the document. An error fails the page with
 * `HOOK_FAILED`.
 */
export type AssetKeeper = (asset: Asset) => string | Promise<string>;
