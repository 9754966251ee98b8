/** open(): a page that stays open in a browser, read again and again. */
import { namesCallers } from './core/runtime/call-site.ts';
import { chooseEngine } from './core/fetch/choose-engine.ts';
import type { Engine, OpenPage } from './core/model/engine.ts';
import { messageOf, PagewrightError, ValidationError } from './core/runtime/errors.ts';
import { judge, missingCaptureWarnings } from './core/fetch/attempt-verdict.ts';
import { redactedFailure } from './core/fetch/redacted-failure.ts';
import type { Format, FormatRequest } from './content/formats/format.ts';
import type { Document, FormatInput } from './content/formats/index.ts';
import type { PageRequest, ScrapeRequest } from './core/model/request.ts';
import type { Cookie } from './core/model/request-options.ts';
import type { Snapshot } from './core/model/snapshot.ts';
import { headersForHop } from './core/http/network/credentials.ts';
import { startDeadline, withSignal } from './core/runtime/deadline.ts';
import type { CallDefaults } from './core/options/client-defaults.ts';
import type { PageSettings } from './core/options/scrape-options.ts';
import { parseScrapeTarget, type ScrapeTarget } from './core/options/scrape-target.ts';
import {
  type GotoOptions,
  parseGotoOptions,
  parseSessionScrape,
  type SessionScrapeOptions,
  type SessionSettings,
} from './core/options/session-options.ts';
import type { ClientParts } from './parts.ts';
import {
  fetchContent,
  type FetchContent,
  scrapeDocument,
  tracePage,
  visitPage,
} from './core/page/pipeline.ts';
import type { PlainDocument } from './core/page/compose-document.ts';
import type { ProxyTier } from './core/http/proxies/proxy.ts';
import { scrapeRequest } from './scrape.ts';
import { displayUrl } from './core/telemetry/display-url.ts';

/** A page that stays open in a browser; `client.open()` opens it. */
export interface Session<
  Custom extends readonly Format[] = readonly [],
  Formats extends readonly FormatInput<Custom>[] = readonly ['markdown'],
> extends AsyncDisposable {
  /** The URL that the page shows, with its fragment: scripts and clicks change it. */
  readonly url: string;

  /**
   * The page as it is now, after the `actions`: it is not loaded again. Calls of a session run one after the other.
   * Rejects as `scrape()` does, and with `SESSION_CLOSED`. After any other error, such as `ACTION_FAILED`, `TIMEOUT` or
   * an aborted `signal`, the session can still be used.
   *
   * @example const { markdown } = await session.scrape({ actions: [{ type: 'click', selector: '#next' }] });
   */
  scrape<const Inputs extends readonly FormatInput<Custom>[] = Formats>(
    options?: SessionScrapeOptions<Inputs, Custom>,
  ): Promise<Document<Inputs, Custom>>;

  /**
   * Loads another URL in the same page, with its cookies and storage, and waits until it has settled, whatever its
   * status. Rejects as `scrape()` does, and with `SESSION_CLOSED`. `headers` of the session are sent only to the origin
   * or site that they are for.
   */
  goto(url: string | URL, options?: GotoOptions): Promise<void>;

  /** All cookies of the session, those that scripts do not see too: they are as secret as a password. */
  cookies(): Promise<Cookie[]>;

  /**
   * Closes the page, and saves its `profile`. Calls that wait or run reject with `SESSION_CLOSED`. Rejects with
   * `STORAGE` when the profile could not be saved: the page is closed all the same.
   */
  close(): Promise<void>;
}

/** Why a session is closed, as its error says it. */
const reasons = {
  idle: 'it was idle for longer than its idleTimeout',
  closed: 'its close() was called',
  crashed: 'its page crashed, or its browser ended',
  client: 'its client was closed',
} as const;

type SessionEnd = keyof typeof reasons;

/** The methods of a session, without their types: what a caller passes is checked at run time. */
export class OpenSession implements AsyncDisposable {
  static {
    namesCallers(this);
  }

  readonly #parts: ClientParts;
  /** The client's engines, which download the files of a page. */
  readonly #engines: readonly Engine[];
  readonly #engine: Engine;
  readonly #settings: SessionSettings;
  readonly #defaults: CallDefaults['scrape'];
  readonly #start: ScrapeTarget;
  readonly #onClosed: (session: OpenSession) => void;
  readonly #closing = new AbortController();
  /** The page, once it was loaded. */
  #page: OpenPage | undefined;
  #isOpened = false;
  #proxyUsed: ProxyTier = 'basic';
  /** Resolves when all calls so far have ended. */
  #last: Promise<unknown> = Promise.resolve();
  #calls = 0;
  #idle: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  /**
   * `defaults` are those of all pages of the client. Throws `BROWSER_UNAVAILABLE` when no engine of the client
   * keeps a page open.
   */
  constructor(
    parts: ClientParts,
    start: ScrapeTarget,
    settings: SessionSettings,
    defaults: CallDefaults['scrape'],
    onClosed: (session: OpenSession) => void,
  ) {
    this.#start = start;
    this.#settings = settings;
    this.#defaults = defaults;
    this.#onClosed = onClosed;
    this.#engines = parts.engines;
    this.#engine = engineFor(parts.engines, start.url, settings);
    const { name, can, cost } = this.#engine;
    this.#parts = {
      ...parts,
      engines: [{ name, can, cost, fetch: (request) => this.#fetch(request) }],
      cache: undefined,
      signal: AbortSignal.any([parts.signal, this.#closing.signal]),
    };
  }

  get url(): string {
    return this.#page?.url ?? this.#start.url;
  }

  /** Opens the page; called once, before all else. */
  async open(): Promise<void> {
    const { page } = this.#settings;
    try {
      await this.#load(this.#parts, scrapeRequest(this.#start, page));
      this.#isOpened = true;
      void this.#page?.ended.then(() => this.end('crashed')).catch(() => undefined);
      this.#rest();
    } catch (error) {
      await this.end('closed', false).catch(() => undefined);
      throw error;
    }
  }

  async scrape(options?: unknown): Promise<PlainDocument> {
    const { given } = this.#settings;
    const settings = parseSessionScrape(options, given, this.#defaults, this.#parts);
    return this.#inTurn(settings, (page) => {
      const target = parseScrapeTarget(page.url, 'session.scrape');
      const parts = { ...this.#parts, engines: this.#engines };
      // Only files are requested.
      const request = { ...scrapeRequest(target, settings), isPrepared: true };
      const headers = this.#headersTo(target.url, request);
      return scrapeDocument(parts, { ...request, headers }, this.#reading(page));
    });
  }

  async goto(url: unknown, options?: unknown): Promise<void> {
    const target = parseScrapeTarget(url, 'session.goto');
    if (target.content !== undefined || target.authorization !== undefined) {
      const message = 'url: expected a URL without user name and password; pass them to open()';
      throw new ValidationError('session.goto', [{ path: ['url'], message }]);
    }
    const { given } = this.#settings;
    const settings = parseGotoOptions(options, given, this.#defaults, this.#parts);
    await this.#inTurn(settings, () => {
      const request = scrapeRequest(target, settings);
      const headers = this.#headersTo(target.url, request);
      // The page has its proxy, and is in stealth or not, from the start.
      const parts = { ...this.#parts, proxy: undefined };
      return this.#load(parts, { ...request, headers, proxy: this.#proxyUsed });
    });
  }

  async cookies(): Promise<Cookie[]> {
    const closing = this.#closing.signal;
    closing.throwIfAborted();
    this.#rest();
    try {
      return (await this.#page?.cookies()) ?? [];
    } catch (error) {
      closing.throwIfAborted();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.end('closed');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Closes the session, once. */
  end(why: SessionEnd, saves: boolean = why !== 'crashed'): Promise<void> {
    return (this.#ending ??= this.#end(why, saves));
  }

  async #end(why: SessionEnd, saves: boolean): Promise<void> {
    clearTimeout(this.#idle);
    const url = displayUrl(this.url);
    const message = `The session at ${url} is closed: ${reasons[why]}. Open another one: client.open().`;
    this.#closing.abort(new PagewrightError('SESSION_CLOSED', message, { url }));
    try {
      const warnings = (await this.#page?.close(saves)) ?? [];
      for (const warning of warnings) this.#parts.logger.warn(warning);
    } finally {
      this.#onClosed(this);
    }
  }

  /** Runs a call when those before it have ended; it waits for that at most as long as it may take itself. */
  async #inTurn<T>(
    { timeout, signal }: Pick<PageSettings, 'timeout' | 'signal'>,
    work: (page: OpenPage) => Promise<T>,
  ): Promise<T> {
    const closing = this.#closing.signal;
    closing.throwIfAborted();
    clearTimeout(this.#idle);
    this.#calls += 1;
    const before = this.#last;
    const call = this.#waitFor(before, timeout, signal).then(() => work(this.#opened()));
    this.#last = Promise.allSettled([before, call]);
    try {
      return await call;
    } catch (error) {
      const isCrash = error instanceof PagewrightError && error.code === 'BROWSER_CRASHED';
      if (isCrash) await this.end('crashed').catch(() => undefined);
      closing.throwIfAborted();
      throw error;
    } finally {
      this.#calls -= 1;
      this.#rest();
    }
  }

  async #waitFor(
    before: Promise<unknown>,
    timeout: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const what = `A call of the session at ${displayUrl(this.url)}`;
    using deadline = startDeadline(timeout, [signal, this.#parts.signal], what);
    deadline.waitsFor = 'the calls before it';
    await withSignal(before, deadline.signal);
  }

  #opened(): OpenPage {
    this.#closing.signal.throwIfAborted();
    if (this.#page === undefined) throw new Error('The session was not opened.');
    return this.#page;
  }

  /** Starts the time without a call. */
  #rest(): void {
    if (this.#calls > 0 || this.#closing.signal.aborted) return;
    clearTimeout(this.#idle);
    const forget = (): void => {
      this.end('idle').catch((error: unknown) => this.#parts.logger.warn(messageOf(error)));
    };
    this.#idle = setTimeout(forget, this.#settings.idleTimeout);
  }

  /** Loads a page; what the hooks make of it is not read. */
  #load(parts: ClientParts, request: ScrapeRequest<FormatRequest>): Promise<void> {
    const fetch: FetchContent = async (...call) => {
      const outcome = await fetchContent(...call);
      this.#proxyUsed = outcome.proxyUsed;
      return outcome;
    };
    return tracePage(parts, request, (message) =>
      visitPage(parts, request, message, () => Promise.resolve(), fetch),
    );
  }

  /** The engine of the session: until a page was loaded, each attempt has a new one, with its own proxy. */
  async #fetch(request: PageRequest): Promise<Snapshot> {
    if (this.#isOpened) return this.#opened().fetch(request);
    const page = await this.#engine.open?.(request);
    if (page === undefined) throw cannotKeep([this.#engine], request.url);
    try {
      const snapshot = await page.fetch(request);
      request.signal.throwIfAborted();
      await this.#page?.close(false);
      this.#page = page;
      return snapshot;
    } catch (error) {
      await page.close(false);
      throw error;
    }
  }

  #reading(page: OpenPage): FetchContent {
    return async ({ clock }, request, { signal, remaining }) => {
      const { url, headers, limits, rendering } = request;
      const readRequest = { url, headers, limits, rendering, signal, time: remaining };
      const reading = page.read({ ...readRequest, skipTlsVerification: false });
      const snapshot = await reading.catch((error: unknown) => {
        throw redactedFailure(error, request);
      });
      const warnings = snapshot.warnings.concat(missingCaptureWarnings(snapshot, rendering));
      const { blocked } = judge({ snapshot }, clock.now());
      return {
        snapshot: { ...snapshot, warnings },
        reason: 'the open page of a session',
        proxyUsed: this.#proxyUsed,
        errorCode: blocked ? 'BLOCKED_BY_SITE' : undefined,
      };
    };
  }

  /** Headers as far as they may go to a URL, with the user name and password of the first one. */
  #headersTo(
    url: string,
    {
      headers,
      redirectCredentials,
    }: Pick<ScrapeRequest<unknown>, 'headers' | 'redirectCredentials'>,
  ): Readonly<Record<string, string>> {
    const { authorization, url: start } = this.#start;
    const all = authorization === undefined ? headers : { authorization, ...headers };
    return headersForHop(all, new URL(start), new URL(url), redirectCredentials);
  }
}

function engineFor(engines: readonly Engine[], url: string, { page }: SessionSettings): Engine {
  const keeping = engines.filter(({ open }) => open !== undefined);
  if (keeping.length === 0) throw cannotKeep(engines, url);
  const { requires, mayRender } = page;
  return chooseEngine(keeping, { url, requires, mayRender }).engine;
}

function cannotKeep(engines: readonly Engine[], url: string): PagewrightError {
  const names = engines.map(({ name }) => name).join(', ');
  return new PagewrightError(
    'BROWSER_UNAVAILABLE',
    `No engine of this client (${names}) can keep a page open, which open() needs. Give the client a browser, createClient({ browser }), or an engine with open().`,
    { url },
  );
}
