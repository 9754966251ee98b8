/** Hooks: functions of the caller that run at fixed points while a page is fetched and processed. Each gets one object. */
import type { Metadata, PlainDocument } from './document.ts';
import type { SkippedUrl } from './job.ts';
import type { Page } from './page.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Functions that may change or veto what happens to a page; each may be async. What a hook throws
 * fails that page only, with `HOOK_FAILED` and the hook's name; one that never settles ends with the
 * page's `timeout`. `Document` is what the formats give.
 *
 * @example const hooks: Hooks = { beforeRequest: ({ headers }) => { headers.authorization = token(); } };
 */
export interface Hooks<Document extends object = PlainDocument> {
  /** Before a page is asked for: once, whatever is tried again later. */
  readonly beforeRequest?: ((state: BeforeRequestState) => unknown) | undefined;
  /** When the last response is there, whatever its status: give back what should differ. */
  readonly afterResponse?: ((state: AfterResponseState) => Answer<ResponseChange>) | undefined;
  /**
   * When a page is parsed, before anything is cleaned away: change its DOM, the links that a crawl
   * follows, or give a document of your own in place of what the formats give. Runs on your thread, for
   * heavy pages too, and again where a page has to be read again (`removeRepeatedBlocks`).
   */
  readonly beforeFormats?: ((state: BeforeFormatsState) => Answer<PageChange>) | undefined;
  /** When a document is made; in a crawl one after the other, in its order. Change it, or give another. */
  readonly onDocument?: ((state: DocumentState<Document>) => Answer<OwnDocument>) | undefined;
  /** When a page fails; in a crawl in its order. Give another error, or a document in its place. */
  readonly onError?: ((state: ErrorState) => Answer<Error | OwnDocument>) | undefined;
  /** When a crawl leaves a URL out. */
  readonly onSkipped?: ((state: SkippedState) => unknown) | undefined;
  /**
   * For each link that a crawl finds, in its order, before anything else is decided about it: give
   * another URL, absolute or relative to the link, or false to leave it out (`EXCLUDE`).
   */
  readonly transformLink?: ((state: LinkState) => Answer<string | false>) | undefined;
}

/** What a hook may give: nothing, to leave things as they are, or a change; or a promise of either. */
export type Answer<Change> = Change | undefined | void | Promise<Change | undefined | void>;

/** Where a page was found. */
export interface PagePlace {
  /** The crawl or batch. */
  readonly jobId?: string | undefined;
  /** In a crawl: hops from the start URL. */
  readonly depth?: number | undefined;
  /** In a crawl: the page that links here. */
  readonly parent?: string | undefined;
}

/** What every hook is told. */
export interface HookState extends PagePlace {
  /** The URL of the page, as it is asked for. */
  readonly url: string;
  /** Aborts when the page's time is over or nobody wants it any more. */
  readonly signal: AbortSignal;
}

interface VetoState extends HookState {
  /**
   * Leaves the page out. A crawl books it as skipped (`EXCLUDE`, rule `hooks.<name>`) and gives its place
   * in the limit back; a scrape rejects with `HOOK_FAILED`. Hooks after this one are not asked.
   */
  skip(reason?: string): void;
}

export interface BeforeRequestState extends VetoState {
  /** What is sent, by lower-case name: yours to change. Credentials do not follow redirects to other sites. */
  readonly headers: Record<string, string>;
}

export interface AfterResponseState extends VetoState {
  /** What came back: final URL, status, headers and body. */
  readonly snapshot: Snapshot;
}

/** What should differ from the response; the rest stays. */
export interface ResponseChange {
  readonly statusCode?: number | undefined;
  /** Those that differ, by name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A text is taken as UTF-8, whatever the headers say. */
  readonly body?: Uint8Array | string | undefined;
}

export interface BeforeFormatsState extends VetoState {
  /** The parsed page: `page.document` is a DOM when `page.kind` is `html`. */
  readonly page: Page;
  /** What the page links to, before any change: yours to change. After `skip()` they are followed all the same. */
  readonly links: PageLink[];
}

/** What a page should be; what is not there stays. */
export interface PageChange {
  /** In place of the links that were found. */
  readonly links?: readonly PageLink[] | undefined;
  /** In place of what the formats give: none of them runs. */
  readonly document?: OwnDocument | undefined;
}

/** One link of a page. */
export interface PageLink {
  /** Absolute; from a hook also relative to the page. */
  url: string;
  /** What the reader sees of it. */
  text?: string | undefined;
  /** The rel attribute, lower-case. */
  rel?: string | undefined;
  /** What it was found in: `a`, `area`, `link`, `iframe`, `frame`, `meta`, or `text`. */
  element?: string | undefined;
}

export interface DocumentState<Document extends object = PlainDocument> extends VetoState {
  /** Yours to change. Its credits stay what they were. */
  readonly document: Document;
}

/** A document of your own: plain data. Metadata that it does not have is filled in. */
export interface OwnDocument {
  readonly [field: string]: unknown;
  readonly metadata?: Partial<Metadata> | undefined;
}

export interface ErrorState extends HookState {
  /** A `PagewrightError`, unless something of yours threw. */
  readonly error: unknown;
}

/** The URL is one that was left out. */
export interface SkippedState extends HookState, Omit<SkippedUrl, 'url' | 'parent'> {}

export interface LinkState extends HookState, Readonly<PageLink> {
  /** The link: absolute and normalised. */
  readonly url: string;
  /** The page that it was found on. */
  readonly parent: string;
  /** Hops from the start URL to where the link leads. */
  readonly depth: number;
}
