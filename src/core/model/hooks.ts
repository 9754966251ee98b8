/** Hooks: functions of the caller that run at fixed points while a page is fetched and processed. Each gets one object. */
import type { Input } from '../checks/option.ts';
import type { Metadata, PlainDocument } from './document.ts';
import type { SkippedUrl } from './job.ts';
import type { Page as BrowserPage } from './browser-page.ts';
import type { Page } from './page.ts';
import type { requestRows } from './request-options.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Functions that may change or veto the steps of a page; each may be async. An error in a hook
 * fails that page only, with `HOOK_FAILED` and the hook's name; a hook that never settles ends with
 * the page's `timeout`. `Document` is the result of the formats.
 *
 * @example const hooks: Hooks = { beforeRequest: ({ headers }) => { headers.authorization = token(); } };
 */
export interface Hooks<Document extends object = PlainDocument> {
  /** Before a page is requested: once, not for retries. */
  readonly beforeRequest?: ((state: BeforeRequestState) => unknown) | undefined;
  /**
   * When a host answers with a challenge or a 401 after all that is tried without you: pass it in the open page and
   * return true, or return cookies and headers. They go to this origin alone, for all pages of the client, until
   * it challenges again or a cookie expires. One call at a time for an origin, and three in a row without a page.
   */
  readonly onChallenge?: ((state: ChallengeState) => Answer<ChallengeAnswer>) | undefined;
  /** After the last response, whatever its status: return the changes. */
  readonly afterResponse?: ((state: AfterResponseState) => Answer<ResponseChange>) | undefined;
  /**
   * After a page is parsed, before cleaning: change its DOM, the links that a crawl follows, or
   * return a document of your own in place of the formats' result. A function runs on your thread, for
   * heavy pages too; `{ worker }` runs in a worker. Runs again if a page has to be processed again
   * (`removeRepeatedBlocks`).
   */
  readonly beforeFormats?: BeforeFormats | WorkerHook | undefined;
  /**
   * After a document is made; in a crawl one after the other, in its order. Change it, or return
   * another.
   */
  readonly onDocument?: ((state: DocumentState<Document>) => Answer<OwnDocument>) | undefined;
  /**
   * When a page fails; in a crawl in its order. Return another error, or a document in its place.
   */
  readonly onError?: ((state: ErrorState) => Answer<Error | OwnDocument>) | undefined;
  /** When a crawl leaves a URL out. */
  readonly onSkipped?: ((state: SkippedState) => unknown) | undefined;
  /**
   * For each link that a crawl finds, in its order, before any other decision about it: return
   * another URL, absolute or relative to the link, or false to leave it out (`EXCLUDE`).
   */
  readonly transformLink?: ((state: LinkState) => Answer<string | false>) | undefined;
}

/** The hook on a parsed page. */
export type BeforeFormats = (state: BeforeFormatsState) => Answer<PageChange>;

/**
 * A hook that runs in a worker, which ends at the deadline, even in the middle of a loop. The document that
 * it returns has to be cloneable, and the worker has no environment variables and no loaders.
 */
export interface WorkerHook {
  /**
   * The URL of the JavaScript module that exports the hook by its name, `beforeFormats`:
   * `import.meta.resolve('./my-hooks.js')`. `HOOK_FAILED` where it cannot be loaded.
   */
  readonly worker: string;
}

/** The result of a hook: undefined for no change, or a change; or a promise of either. */
export type Answer<Change> = Change | undefined | void | Promise<Change | undefined | void>;

/** The place where a page was found. */
export interface PagePlace {
  /** The crawl or batch. */
  readonly jobId?: string | undefined;
  /** In a crawl: hops from the start URL. */
  readonly depth?: number | undefined;
  /** In a crawl: the page that links here. */
  readonly parent?: string | undefined;
  /** In a crawl: the label of the page's route. */
  readonly label?: string | undefined;
  /** What the caller gave with the URL of a batch, or with the start URL of the crawl: a copy. */
  readonly data?: unknown;
}

/** The state passed to every hook. */
export interface HookState extends PagePlace {
  /** The requested URL of the page. */
  readonly url: string;
  /** Aborts when the page's time is over or the page is no longer needed. */
  readonly signal: AbortSignal;
}

interface VetoState extends HookState {
  /**
   * Leaves the page out. A crawl records it as skipped (`EXCLUDE`, rule `hooks.<name>`) and frees
   * its place in the limit; a scrape rejects with `HOOK_FAILED`. Later hooks are not called.
   */
  skip(reason?: string): void;
}

export interface BeforeRequestState extends VetoState {
  /**
   * Request headers by lower-case name; may be changed. Credentials do not follow redirects to
   * other sites.
   */
  readonly headers: Record<string, string>;
}

export interface ChallengeState extends HookState {
  /** The vendor of the challenge, such as `Cloudflare`; `login` for a 401. */
  readonly kind: string;
  readonly statusCode: number;
  /** Playwright's page that shows the challenge; undefined where no browser has the page open. */
  readonly page?: BrowserPage | undefined;
}

/** The result of `onChallenge`: true if the page shows the content now, or what to send to the origin. */
export type ChallengeAnswer = boolean | Pick<Input<typeof requestRows>, 'cookies' | 'headers'>;

export interface AfterResponseState extends VetoState {
  /** The response: final URL, status, headers and body. */
  readonly snapshot: Snapshot;
}

/** Changes to the response; missing fields stay unchanged. */
export interface ResponseChange {
  readonly statusCode?: number | undefined;
  /** Changed headers, by name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A string is taken as UTF-8, whatever the headers say. */
  readonly body?: Uint8Array | string | undefined;
}

export interface BeforeFormatsState extends VetoState {
  /** The parsed page: `page.document` is a DOM when `page.kind` is `html`. */
  readonly page: Page;
  /**
   * The page's links, before any change; may be changed. After `skip()` they are followed all the
   * same.
   */
  readonly links: PageLink[];
}

/** Changes to a page; missing fields stay unchanged. */
export interface PageChange {
  /** Replaces the links that were found. */
  readonly links?: readonly PageLink[] | undefined;
  /** Replaces the result of the formats: none of them runs. */
  readonly document?: OwnDocument | undefined;
}

/** One link of a page. */
export interface PageLink {
  /** Absolute; from a hook also relative to the page. */
  url: string;
  /** The visible text. */
  text?: string | undefined;
  /** The rel attribute, lower-case. */
  rel?: string | undefined;
  /** The element of the link: `a`, `area`, `link`, `iframe`, `frame`, `meta`, `text`, or `json` for `endpoints`. */
  element?: string | undefined;
}

export interface DocumentState<Document extends object = PlainDocument> extends VetoState {
  /** May be changed. Its credits stay unchanged. */
  readonly document: Document;
}

/** A document of your own: plain data. Missing metadata is filled in. */
export interface OwnDocument {
  readonly [field: string]: unknown;
  readonly metadata?: Partial<Metadata> | undefined;
}

export interface ErrorState extends HookState {
  /** A `PagewrightError`, or the error of your own code. */
  readonly error: unknown;
}

/** State about a URL that was left out. */
export interface SkippedState extends HookState, Omit<SkippedUrl, 'url' | 'parent'> {}

export interface LinkState extends HookState, Readonly<PageLink> {
  /** The link: absolute and normalised. */
  readonly url: string;
  /** The page with the link. */
  readonly parent: string;
  /** Hops from the start URL to the link's target. */
  readonly depth: number;
  /** The label of the page with the link. */
  readonly label?: string | undefined;
}
