/** The request for engines and the pipeline: plain, checked, complete. */
import type { Page as BrowserPage } from './browser-page.ts';
import type { PagePlace } from './hooks.ts';
import type { Pace, RenderHints } from './pace.ts';
import type { RequestsSettings, ResponseWait } from './network-request.ts';
import type { ExtractorName, MainContentExtractor } from './page.ts';
import type {
  Cookie,
  fetchRows,
  Limits,
  ReaderLocation,
  RedirectCredentials,
  requestRows,
} from './request-options.ts';
import type { SentMethod } from './request-body.ts';
import type { Output } from '../checks/option.ts';
import type { Redaction, Redactor } from '../../content/text/redactor.ts';
import type { ActionOutcome, Snapshot } from './snapshot.ts';

/** Options for reading a PDF. */
export interface PdfReading {
  /** `fast`: text only; `ocr`: OCR only; `auto`: text, and OCR of pages without text. */
  readonly mode: 'auto' | 'fast' | 'ocr';
  /** Number of pages from the first; undefined: all. */
  readonly maxPages: number | undefined;
  /** Mark the start of each page in the text. */
  readonly pageMarkers: boolean;
}

/** Options for reading an archive. */
export interface ArchiveReading {
  /** The most files read, nested archives not counted. */
  readonly maxFiles: number;
}

/** The defaults. */
export const defaultPdfReading: PdfReading = {
  mode: 'auto',
  maxPages: undefined,
  pageMarkers: false,
};

/** The capabilities of engines beyond a plain GET. */
export const capabilities = [
  'render',
  'wait',
  'actions',
  'screenshot',
  'branding',
  'requests',
  'mobile',
  'emulation',
  'geolocation',
  'stealth',
  'profile',
  'method',
] as const;

/** A capability of an engine beyond a plain GET. */
export type Capability = (typeof capabilities)[number];

/** The rendering that the options ask for; only requested fields are set. */
export interface Rendering {
  /** Extra wait in ms after the page settled. */
  readonly waitFor?: number;
  /** Wait for a response after the page settled. */
  readonly waitForResponse?: ResponseWait;
  /** Emulate a mobile device. */
  readonly mobile?: true;
  /** Hide that the client is a program. */
  readonly stealth?: true;
  /** Steps to take, in order. */
  readonly actions?: readonly ActionStep[];
  /** A screenshot of the page, taken last. */
  readonly screenshot?: ScreenshotSettings;
  /** Read colours, fonts and buttons. */
  readonly branding?: true;
  /** List the requests of the page. */
  readonly requests?: RequestsSettings;
  /** Find endpoints that give JSON, and URLs in it. */
  readonly endpoints?: true;
  /** Browser state to use, and to save unless `saveChanges` is false. */
  readonly profile?: { readonly name: string; readonly saveChanges?: boolean | undefined };
  /** CSS pixels of the window. */
  readonly viewport?: Viewport;
  readonly colorScheme?: 'light' | 'dark';
  /** The reader's apparent location: locale, time zone, geolocation. */
  readonly location?: ReaderLocation;
  /** Block ads, trackers and consent pop-ups. */
  readonly blockAds?: true;
}

/** Width and height of a window in CSS pixels. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** Options of a screenshot. */
export interface ScreenshotSettings {
  /** The whole page instead of the window. */
  readonly fullPage: boolean;
  /** 1 to 100: JPEG of that quality; undefined: PNG. */
  readonly quality?: number | undefined;
  readonly viewport?: Viewport | undefined;
  /** Only the first element that matches. */
  readonly selector?: string | undefined;
  /** CSS selectors: return the boxes of these elements in the picture. */
  readonly measured?: readonly string[] | undefined;
}

/** A checked step in a browser. */
export interface ActionStep {
  /** The action's name, shown when it fails. */
  readonly type: string;
  /** Milliseconds that it waits by its options alone. */
  readonly waits: number;
  /** True for a step that takes a picture or prints: images and fonts are loaded for it. @default false */
  readonly showsPage?: boolean | undefined;
  /** True for a step that waits for a response: requests are recorded for it. @default false */
  readonly readsResponses?: boolean | undefined;
  /** True for a step that may ask the client's model. @default false */
  readonly asksModel?: boolean | undefined;
  /** A hash of its type and options, equal for equal steps. */
  readonly key?: string | undefined;
  /** Takes the secrets of the step out of a text for an error. @default it has none */
  mask?(text: string): string;
  /**
   * Performs the step on the page of the engine's browser (a Playwright `Page`) and adds its
   * results to `outcome`. Rejects on failure.
   */
  perform(page: object, context: ActionContext, outcome: ActionOutcome): Promise<void>;
}

/** The tools of a step besides the page. */
export interface ActionContext {
  readonly signal: AbortSignal;
  /** Waits until the page has settled, as after loading; always ends. */
  settle(): Promise<void>;
  /** The current HTML of the page, shadow roots and frames in place. */
  html(): Promise<string>;
  /**
   * Waits for a response to a request that was sent since the last step that is not a wait began. Rejects
   * when it does not come in time; present where a step reads responses.
   */
  waitForResponse?(wait: ResponseWait): Promise<void>;
  /** Milliseconds until the page has to be read, if known: long steps end before. */
  timeLeft?(): number;
}

/** The proxy for a host. */
export interface ProxyRoute {
  /** `http://user:password@host:port`; also https: and socks5:. */
  readonly url: string;
  /**
   * The resolver of host names: `here`, so that addresses are checked and the proxy connects to the
   * checked one; or the `proxy`, where only names and literal addresses can be checked.
   * @default 'here'
   */
  readonly dns?: 'here' | 'proxy' | undefined;
}

/** The proxy of a URL; undefined connects directly. */
export type RouteOf = (url: URL) => ProxyRoute | undefined;

/** Headers that the client sends to single hosts. */
export interface HostHeaders {
  /** Those for a URL: they stay with it, whatever it leads to. */
  of(url: URL): Readonly<Record<string, string>> | undefined;
  /** The hosts that have any: in URL form, `*.` before a name for its subdomains, `*` for all. */
  readonly hosts: readonly string[];
}

/** One fetch. Redirects are part of it. */
export interface PageRequest {
  /** Absolute http or https URL without credentials or fragment. */
  readonly url: string;
  /** Set only for an engine with the capability `method`. @default a GET */
  readonly method?: SentMethod | undefined;
  /** The body; its type is among the headers. */
  readonly body?: Uint8Array | undefined;
  /** Lower-case names. On a redirect they stay with the origin, see `redirectCredentials`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The scope on redirects of headers that are for one server only. @default 'same-origin' */
  readonly redirectCredentials?: RedirectCredentials | undefined;
  /** Sent besides `headers`, which win, to the hosts that they belong to, on redirects too. @default none */
  readonly hostHeaders?: HostHeaders | undefined;
  /**
   * Called with a page that is open in a browser, once it has settled, if it may be a challenge. True when the page
   * has changed.
   */
  readonly onChallenge?:
    | ((
        shown: Pick<Snapshot, 'url' | 'statusCode' | 'headers' | 'body'>,
        page: BrowserPage,
      ) => Promise<boolean>)
    | undefined;
  /** Sent to the hosts and paths that each belongs to, on redirects too. */
  readonly cookies?: readonly Cookie[] | undefined;
  /** Accept certificates that do not verify. */
  readonly skipTlsVerification: boolean;
  readonly limits: Limits;
  /**
   * Cut a body larger than `limits.bodyBytes` there and close the connection; else it is
   * `BODY_TOO_LARGE`. @default false
   */
  readonly truncatesBody?: boolean | undefined;
  /** Empty for a plain GET. An engine only gets options within its capabilities. */
  readonly rendering: Rendering;
  /** The proxy; without one the engine connects directly. */
  readonly route?: ProxyRoute | undefined;
  /**
   * The proxy of every URL that the page leads to: redirects and, in a browser, its requests.
   * @default `route` for all
   */
  readonly routeOf?: RouteOf | undefined;
  /** Requests with the same object come from one visitor: one identity, kept for a job. */
  readonly visitor?: object | undefined;
  /** Use a connection without an earlier request. @default false */
  readonly freshConnection?: boolean | undefined;
  /** A picture of a page that fails in a browser is wanted. @default false */
  readonly keepsFailures?: boolean | undefined;
  /** Resolves when a redirect to this URL may be followed: its host has a pace of its own. */
  readonly beforeRedirect?: ((url: string) => Promise<void>) | undefined;
  /**
   * Pauses the clock of the request until the returned function is called: for an engine in which
   * requests wait for others to end.
   */
  readonly pause?: (() => () => void) | undefined;
  /** Aborted with a `PagewrightError` as its reason: `TIMEOUT` or `CANCELLED`. */
  readonly signal: AbortSignal;
  /**
   * Milliseconds until the signal aborts, for an engine that can return a partial result before.
   */
  readonly time?: number | undefined;
}

/** Options of cleaning, between parsing and formats. */
export interface CleanOptions {
  readonly onlyMainContent: boolean;
  /** The extractor that replaces the built-in one, if main content is extracted. */
  readonly extractor?: ExtractorName | MainContentExtractor | undefined;
  readonly includeTags: readonly string[];
  readonly excludeTags: readonly string[];
  readonly removeBase64Images: boolean;
  readonly blockAds: boolean;
  /** Personal data that is taken out before anything reads the page; undefined: none. */
  readonly redact?: readonly Redaction[] | undefined;
  /** Made of `redact` for the page at hand: it counts. */
  readonly redactor?: Redactor | undefined;
  /** Fingerprints of blocks that repeat on the pages of the site, to be removed. */
  readonly repeated?: ReadonlySet<number> | undefined;
}

/** The caller's options about cached copies of a page. */
export interface CacheUse {
  /** Milliseconds: younger copies are used; 0: no copy is. */
  readonly maxAge: number;
  /** Milliseconds: older copies are used. */
  readonly minAge: number | undefined;
  /** No request is sent. */
  readonly isOnly: boolean;
  /** The fetched page is stored. */
  readonly store: boolean;
  /** Why the page is for this caller alone: `it has …`. @default it may be shared */
  readonly obstacle?: string | undefined;
}

/** A version of a page that the caller holds. */
export interface KnownVersion {
  /** Conditional headers, which request the page only if its version differs. */
  readonly conditions: Readonly<Record<string, string>>;
  /** True for a 304 about this version. */
  isConfirmedBy(snapshot: Snapshot): boolean;
}

/** The checked options of a request. */
export type RequestSettings = Output<typeof requestRows> & Partial<Output<typeof fetchRows>>;

/** One pass through the pipeline. `F` is a format with its options. */
export interface ScrapeRequest<F> extends RequestSettings {
  /** As the caller gave it; becomes `metadata.sourceURL`. */
  readonly sourceUrl: string;
  /** Absolute and normalised. */
  readonly url: string;
  /** @default a GET */
  readonly method?: SentMethod | undefined;
  /** Content the caller already holds: nothing is fetched. */
  readonly content?: { readonly body: Uint8Array; readonly contentType: string };
  readonly formats: readonly F[];
  readonly clean: CleanOptions;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for the whole call. */
  readonly timeout: number;
  /** The time limit once a stealth retry begins, when it is longer; undefined keeps `timeout`. */
  readonly stealthTimeout?: number | undefined;
  /**
   * Return a refusal or a rate limit without a body as a page with its status. @default it is an
   * error
   */
  readonly refusalsArePages?: boolean | undefined;
  /** The pace of a job's requests at their hosts. */
  readonly pace?: Pace | undefined;
  /** One visitor for a whole job; without it each fetch is a new one. */
  readonly visitor?: object | undefined;
  /** Hints of the job's other pages about the host; a single page has none. */
  readonly renderHints?: RenderHints | undefined;
  /** The position of the page in its job, for hooks. */
  readonly position?: PagePlace | undefined;
  /** Known from an earlier crawl, without a link or sitemap entry in this one. @default false */
  readonly isHidden?: boolean | undefined;
  /** The hooks have seen the request: see `prepareRequest`. @default false */
  readonly isPrepared?: boolean | undefined;
  readonly limits: Limits;
  /** Required capabilities, each with the option that needs it: `render` → `waitFor`. */
  readonly requires: ReadonlyMap<Capability, string>;
  /** False for `engine: 'http'`: no rendering engine is used. */
  readonly mayRender: boolean;
  readonly rendering: Rendering;
  readonly cache: CacheUse;
  /** If this version is still current, the snapshot is the 304 that confirms it. */
  readonly known?: KnownVersion | undefined;
  /** Options for PDFs; undefined returns their bytes as base64. */
  readonly pdf: PdfReading | undefined;
  /** Options for archives; undefined: archives are not read. */
  readonly archive?: ArchiveReading | undefined;
  /** The robots.txt line that closes a file of the page, in a crawl. @default all files are open */
  readonly closedBy?: ((url: string) => Promise<string | undefined>) | undefined;
  /** The document is stored with its job, and so are its files. @default they expire by themselves */
  readonly isStoredWithJob?: boolean | undefined;
  /** The page is kept if it fails. @default false */
  readonly keepsFailures?: boolean | undefined;
}

/** The part of a request that affects fetching. */
export type FetchRequest = Omit<
  ScrapeRequest<unknown>,
  ('sourceUrl' | 'formats' | 'clean' | 'cache' | 'pdf' | 'timeout') | 'zeroDataRetention'
> & {
  readonly clean?: ScrapeRequest<unknown>['clean'] | undefined;
  /** See `PageRequest`. */
  readonly truncatesBody?: boolean | undefined;
  /**
   * Conditional headers, for engines that return the response unchanged: a browser sends its own
   * conditions.
   */
  readonly conditions?: Readonly<Record<string, string>> | undefined;
  /** A refused connection is not retried, and is not a failure of the host. @default false */
  readonly refusedIsFinal?: boolean | undefined;
};
