/** The request that engines and the pipeline get: plain, checked, complete. */
import type { PagePlace } from './hooks.ts';
import type { Pace, RenderHints } from './pace.ts';
import type { ExtractorName, MainContentExtractor } from './page.ts';
import type { ActionOutcome, Snapshot } from './snapshot.ts';

/** How much of a response is read. What is beyond is an error, or left out with a warning: each limit says which. */
export interface Limits {
  /** Bytes of a body after decompression. @default 52428800 (50 MiB) */
  readonly bodyBytes: number;
  /**
   * How many times larger than what came over the wire a body of over 10 MB may get. Pages reach
   * about 150, gzip 1032 at most, generated rows of equal cells in brotli or zstd far more.
   * @default 1000
   */
  readonly compressionRatio: number;
  /** Redirects followed. @default 10 */
  readonly redirects: number;
  /** Bytes of response headers. @default 65536 */
  readonly headerBytes: number;
  /** Characters of a page after decoding, markup included; the rest is cut off with a warning. @default 20000000 */
  readonly text: number;
  /** Links taken from one page; further ones are left out with a warning. @default 100000 */
  readonly links: number;
  /** Elements, texts and comments of one page; more are `PARSE_LIMIT`. @default 1000000 */
  readonly nodes: number;
  /**
   * Levels of nested elements, at most 1000; what is nested deeper stands side by side, with a
   * warning. @default 512, as in browsers
   */
  readonly depth: number;
  /**
   * Attributes of all elements of one page; further ones are left out with a warning, as are those
   * of one element beyond its first 1,000. @default 1000000
   */
  readonly attributes: number;
}

/** How a PDF is read. */
export interface PdfReading {
  /** `fast`: by its text only; `ocr`: by its pictures only; `auto`: text, and pictures of pages without any. */
  readonly mode: 'auto' | 'fast' | 'ocr';
  /** Pages from the first; undefined: all. */
  readonly maxPages: number | undefined;
  /** Tell in the text where each page begins. */
  readonly pageMarkers: boolean;
}

/** How an archive is read. */
export interface ArchiveReading {
  /** Files that are read, archives in it not counted. */
  readonly maxFiles: number;
}

/** As without options. */
export const defaultPdfReading: PdfReading = {
  mode: 'auto',
  maxPages: undefined,
  pageMarkers: false,
};

/** What an engine may be able to do beyond a plain GET. */
export type Capability =
  | 'render'
  | 'wait'
  | 'actions'
  | 'screenshot'
  | 'branding'
  | 'mobile'
  | 'emulation'
  | 'geolocation'
  | 'stealth'
  | 'profile';

/** What the options ask of an engine that can do more than a plain GET; only what was asked for is set. */
export interface Rendering {
  /** Extra wait in ms after the page settled. */
  readonly waitFor?: number;
  /** Emulate a mobile device. */
  readonly mobile?: true;
  /** Hide that a program is asking. */
  readonly stealth?: true;
  /** Steps to take, in order. */
  readonly actions?: readonly ActionStep[];
  /** A picture of the page, taken last. */
  readonly screenshot?: ScreenshotSettings;
  /** Look at colours, fonts and buttons. */
  readonly branding?: true;
  /** Browser state to use, and to keep when `saveChanges` is not false. */
  readonly profile?: { readonly name: string; readonly saveChanges?: boolean | undefined };
  /** CSS pixels of the window. */
  readonly viewport?: Viewport;
  readonly colorScheme?: 'light' | 'dark';
  /** Where the reader seems to be: locale, time zone, geolocation. */
  readonly location?: ReaderLocation;
  /** Ads, trackers and consent pop-ups are kept out. */
  readonly blockAds?: true;
}

/** Width and height of a window in CSS pixels. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** How a picture is taken. */
export interface ScreenshotSettings {
  /** The whole page in place of what the window shows. */
  readonly fullPage: boolean;
  /** 1 to 100: JPEG of that quality; undefined: PNG. */
  readonly quality?: number | undefined;
  readonly viewport?: Viewport | undefined;
  /** Only the first element that matches. */
  readonly selector?: string | undefined;
  /** CSS selectors: tell where these elements are in the picture. */
  readonly measured?: readonly string[] | undefined;
}

/** Where a reader seems to be. */
export interface ReaderLocation {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  /** Language tags, the preferred one first; empty for those of the country. */
  readonly languages: readonly string[];
}

/** A checked step in a browser. */
export interface ActionStep {
  /** The action's name, told when it fails. */
  readonly type: string;
  /** Milliseconds that it waits by its options alone. */
  readonly waits: number;
  /** A hash of its type and options: the same steps have the same. */
  readonly key?: string | undefined;
  /**
   * Does it on the page of the engine's browser (a Playwright `Page`) and puts what it brings into
   * `outcome`. Rejects when it cannot.
   */
  perform(page: object, context: ActionContext, outcome: ActionOutcome): Promise<void>;
}

/** What a step may use beside the page. */
export interface ActionContext {
  readonly signal: AbortSignal;
  /** Waits until the page changes no more, as after loading; always ends. */
  settle(): Promise<void>;
  /** The page as it is, shadow roots and frames in place. */
  html(): Promise<string>;
  /** Milliseconds until the page has to be read, where that is known: long steps end before. */
  timeLeft?(): number;
}

/** Where a redirect takes the caller's headers along: to the same scheme, host and port, or to the same registrable domain. */
export type RedirectCredentials = 'same-origin' | 'same-site';

/** The way to a host through a proxy. */
export interface ProxyRoute {
  /** `http://user:password@host:port`; also https: and socks5:. */
  readonly url: string;
  /**
   * Who resolves host names: `here`, so that the addresses are checked and the proxy connects to
   * the checked one; or the `proxy`, where only names and literal addresses can be checked.
   * @default 'here'
   */
  readonly dns?: 'here' | 'proxy' | undefined;
}

/** One fetch. Redirects are part of it. */
export interface PageRequest {
  /** Absolute http or https URL without credentials or fragment. */
  readonly url: string;
  /** Lower-case names. On a redirect they stay with the origin, see `redirectCredentials`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where a redirect takes headers along that are for one server only. @default 'same-origin' */
  readonly redirectCredentials?: RedirectCredentials | undefined;
  /** Accept certificates that do not verify. */
  readonly skipTlsVerification: boolean;
  readonly limits: Limits;
  /**
   * A body larger than `limits.bodyBytes` is read up to there and the connection is closed; else it is
   * `BODY_TOO_LARGE`. @default false
   */
  readonly truncatesBody?: boolean | undefined;
  /** Empty for a plain GET. An engine gets only what its `can` says. */
  readonly rendering: Rendering;
  /** The proxy to go through; without one the engine connects directly. */
  readonly route?: ProxyRoute | undefined;
  /** Requests with the same object come from one visitor: one identity, kept for a job. */
  readonly visitor?: object | undefined;
  /** Sent on a connection that no request was sent on before. @default false */
  readonly freshConnection?: boolean | undefined;
  /** Resolves when a redirect to this URL may be followed: its host has a pace of its own. */
  readonly beforeRedirect?: ((url: string) => Promise<void>) | undefined;
  /**
   * Stops the clock of the request until the returned function is called: for an engine where requests wait
   * for others to end.
   */
  readonly pause?: (() => () => void) | undefined;
  /** Aborted with a `PagewrightError` as its reason: `TIMEOUT` or `CANCELLED`. */
  readonly signal: AbortSignal;
  /** Milliseconds until the signal aborts, for an engine that can give what it has before. */
  readonly time?: number | undefined;
}

/** What is done to the page between parsing and formats. */
export interface CleanOptions {
  readonly onlyMainContent: boolean;
  /** What finds the main content in place of our own extractor, where main content is to be found. */
  readonly extractor?: ExtractorName | MainContentExtractor | undefined;
  readonly includeTags: readonly string[];
  readonly excludeTags: readonly string[];
  readonly removeBase64Images: boolean;
  readonly blockAds: boolean;
  /** Fingerprints of what repeats on the pages of the site, to be removed. */
  readonly repeated?: ReadonlySet<number> | undefined;
}

/** What a caller says about stored copies of a page. */
export interface CacheUse {
  /** Milliseconds: younger copies are an answer; 0: no copy is. */
  readonly maxAge: number;
  /** Milliseconds: older copies are an answer. */
  readonly minAge: number | undefined;
  /** Nothing is fetched. */
  readonly isOnly: boolean;
  /** What is fetched is kept. */
  readonly store: boolean;
}

/** A version of a page that the caller has. */
export interface KnownVersion {
  /** Headers that ask for the page only when it is another version. */
  readonly conditions: Readonly<Record<string, string>>;
  /** True for a 304 that is about this version. */
  isConfirmedBy(snapshot: Snapshot): boolean;
}

/** One pass through the pipeline. `F` is a format with its options. */
export interface ScrapeRequest<F> {
  /** As the caller gave it; becomes `metadata.sourceURL`. */
  readonly sourceUrl: string;
  /** Absolute and normalised. */
  readonly url: string;
  /** Content the caller already holds: nothing is fetched. */
  readonly content?: { readonly body: Uint8Array; readonly contentType: string };
  readonly formats: readonly F[];
  readonly clean: CleanOptions;
  readonly headers: Readonly<Record<string, string>>;
  /** As of a `PageRequest`. */
  readonly redirectCredentials?: RedirectCredentials | undefined;
  /** Undefined: certificates have to verify where the request carries credentials. */
  readonly skipTlsVerification: boolean | undefined;
  /** Milliseconds for the whole call. */
  readonly timeout: number;
  /** The time limit once a stealth retry begins, when it is longer; undefined keeps `timeout`. */
  readonly stealthTimeout?: number | undefined;
  /** Attempts after the first one, where the failure is a passing one. */
  readonly retries: number;
  /** `auto` begins with basic and tries a page that refuses once more with stealth. */
  readonly proxy: 'basic' | 'stealth' | 'auto';
  /** ISO 3166-1 alpha-2: the proxy of that country, where there is one. */
  readonly country?: string | undefined;
  /** A refusal or a rate limit without a body is a page with its status. @default it is an error */
  readonly refusalsArePages?: boolean | undefined;
  /** How a job's requests keep to the pace of their hosts. */
  readonly pace?: Pace | undefined;
  /** One visitor for a whole job; without it each fetch is a new one. */
  readonly visitor?: object | undefined;
  /** What the other pages of a job say of the host; a single page knows nothing. */
  readonly renderHints?: RenderHints | undefined;
  /** Where the page was found, for hooks. */
  readonly place?: PagePlace | undefined;
  /** Known from before, and no link or sitemap of this crawl leads here. @default false */
  readonly isHidden?: boolean | undefined;
  /** The hooks have seen what is sent: see `prepareRequest`. @default false */
  readonly isPrepared?: boolean | undefined;
  readonly limits: Limits;
  /** What the options ask of the engine, each with the option that asks: `render` → `waitFor`. */
  readonly requires: ReadonlyMap<Capability, string>;
  /** False for `engine: 'http'`: no engine that renders is taken. */
  readonly mayRender: boolean;
  readonly rendering: Rendering;
  readonly cache: CacheUse;
  /** Where this version is still right, the snapshot is the 304 that says so. */
  readonly known?: KnownVersion | undefined;
  /** Nothing of this page is written anywhere. */
  readonly zeroDataRetention?: boolean | undefined;
  /** How PDFs are read; undefined hands their bytes over as base64. */
  readonly pdf: PdfReading | undefined;
  /** How archives are read; undefined: not at all. */
  readonly archive?: ArchiveReading | undefined;
  /** Fetch the file behind a share link of a document host. @default false */
  readonly exportShareLinks?: boolean | undefined;
  readonly signal?: AbortSignal;
}
