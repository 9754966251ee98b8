/** Watches the main document of a page, response by response, and takes the bytes of files. */
import type { CDPSession } from 'playwright-core';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { PageRequest } from '../../core/model/request.ts';
import { isDownload } from '../../core/http/download.ts';
import { redirectTarget } from '../../core/http/redirect.ts';
import {
  type DocumentResponse,
  documentResponseOf,
  type Downloads,
  isEmptyResponse,
  isHtmlPage,
  type PausedResponse,
  withoutFragment,
} from './document-response.ts';

/** The parts of a request needed before a navigation. */
export type DocumentRequest = Pick<PageRequest, 'url' | 'limits' | 'beforeRedirect'>;

/** A response in the DevTools protocol. */
interface SecurityResponse {
  readonly url: string;
  readonly securityState: string;
  readonly securityDetails?: { readonly validFrom: number; readonly validTo: number };
}

/** The user and password for the context's proxy. */
export interface ProxyCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Watches the documents that load in the main frame. Only their responses pause for a moment: redirects are
 * counted and wait for the pace of their host, files (not HTML) are taken as bytes instead of being
 * displayed. A download from the URL itself is taken too; downloads that a page starts, in its frames too,
 * are stopped and recorded.
 */
export class MainDocument {
  /** The response of the displayed page. */
  displayed: DocumentResponse | undefined;
  /** The last response that is not a page, and its bytes. */
  file: { readonly answer: DocumentResponse; readonly body: Uint8Array } | undefined;
  /** The URL of a file whose bytes are coming in. */
  arriving: string | undefined;
  /** Decompressed bytes of the displayed body so far. */
  length = 0;
  /** Why the displayed body ended early, in Chromium's words. */
  cut: string | undefined;
  /** Why this class stopped the navigation. */
  failure: PagewrightError | undefined;
  /** The URL that is being requested. */
  target = '';
  /** URLs that redirected before the first document. */
  redirects: string[] = [];
  /** Warnings about certificates that do not verify but were accepted. */
  readonly doubts: Set<string> = new Set<string>();

  readonly #session: CDPSession;
  readonly #frameId: string;
  readonly #downloads: Downloads;
  /** The request of the displayed document. */
  #networkId: string | undefined;
  #request: DocumentRequest | undefined;
  #onFailure: ((failure: PagewrightError) => void) | undefined;
  #onCut: (() => void) | undefined;
  #onStopped: (() => void) | undefined;
  #onReplaced: (() => void) | undefined;
  #isStopped = false;

  constructor(
    session: CDPSession,
    frameId: string,
    credentials: ProxyCredentials | undefined,
    downloads: Downloads,
  ) {
    this.#session = session;
    this.#frameId = frameId;
    this.#downloads = downloads;
    session.on('Fetch.requestPaused', (event) => void this.#onPaused(event));
    session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
      const isProxy = authChallenge.source === 'Proxy' && credentials !== undefined;
      // A site's own 401 is a page like any other: there is no user to type a password.
      const response = isProxy ? 'ProvideCredentials' : 'CancelAuth';
      const authChallengeResponse = { response, ...(isProxy ? credentials : {}) } as const;
      this.#send('Fetch.continueWithAuth', { requestId, authChallengeResponse });
    });
  }

  /**
   * Chromium keeps the credentials after the first request, so later ones do not pause for them.
   */
  async open(): Promise<void> {
    const session = this.#session;
    session.on('Network.requestWillBeSent', ({ type, frameId, redirectResponse }) => {
      if (redirectResponse !== undefined) this.#onSecurity(type, frameId, redirectResponse);
    });
    session.on('Network.responseReceived', ({ type, frameId, response }) => {
      this.#onSecurity(type, frameId, response);
    });
    session.on('Network.dataReceived', ({ requestId, dataLength }) => {
      if (requestId === this.#networkId) this.#count(dataLength);
    });
    session.on('Network.loadingFailed', ({ requestId, errorText }) => {
      if (requestId !== this.#networkId) return;
      this.cut = errorText;
      this.#onCut?.();
    });
    session.on('Page.frameStoppedLoading', ({ frameId }) => {
      // The previous document stops too.
      if (frameId !== this.#frameId || this.displayed === undefined) return;
      this.#isStopped = true;
      this.#onStopped?.();
    });
    await session.send('Page.enable');
    // Bodies are not buffered: they are not read over this session.
    await session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
    await session.send('Fetch.enable', {
      handleAuthRequests: true,
      patterns: [
        // Only a paused request reports the proxy's challenge here.
        { resourceType: 'Document', requestStage: 'Request' },
        { resourceType: 'Document', requestStage: 'Response' },
        // There is no user to type a password: without a response from here a script would wait
        // forever.
        { resourceType: 'XHR', requestStage: 'Request' },
        { resourceType: 'Fetch', requestStage: 'Request' },
        { resourceType: 'Other', requestStage: 'Request' },
      ],
    });
  }

  /**
   * Starts over; late events of the previous page are not counted. `onFailure` receives the error that ends a
   * page already displayed.
   */
  expect(
    request: DocumentRequest | undefined,
    onFailure?: (failure: PagewrightError) => void,
  ): void {
    this.#onFailure = onFailure;
    this.#onCut = undefined;
    this.#onStopped = undefined;
    this.#onReplaced = undefined;
    this.#isStopped = false;
    this.#request = request;
    this.target = request?.url ?? '';
    this.displayed = undefined;
    this.file = undefined;
    this.arriving = undefined;
    this.length = 0;
    this.cut = undefined;
    this.#networkId = undefined;
    this.failure = undefined;
    this.redirects = [];
    this.doubts.clear();
  }

  /** Continues with the displayed page, for another request. */
  goOn(request: DocumentRequest, onFailure?: (failure: PagewrightError) => void): void {
    this.#request = request;
    this.#onFailure = onFailure;
    this.cut = undefined;
    this.failure = undefined;
    if (this.displayed !== undefined) this.file = undefined;
  }

  /** Ends the visit in progress. */
  fail(failure: PagewrightError): void {
    this.failure = failure;
    this.#onFailure?.(failure);
  }

  /** Resolves when the displayed body ended early. */
  whenCut(): Promise<void> {
    if (this.cut !== undefined) return Promise.resolve();
    return new Promise((resolve) => (this.#onCut = resolve));
  }

  /**
   * Resolves when the browser has stopped loading the displayed page: after its load event, or without one
   * when a script led to a URL that is not a page (`tel:`, `intent:`), which ends the parsing.
   */
  whenStopped(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => (this.#onStopped = resolve));
  }

  /** Resolves when another document or a file has replaced the displayed page. */
  whenReplaced(): Promise<void> {
    return new Promise((resolve) => (this.#onReplaced = resolve));
  }

  async #onPaused(event: PausedResponse): Promise<void> {
    const { requestId, frameId, resourceType } = event;
    const request = this.#request;
    if (resourceType === 'Other') {
      // Favicons and prefetched pages are not used.
      return this.#send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    }
    // `<a download>` requests a document of the frame, but nothing is loaded in it.
    const isSaved = resourceType === 'Document' && event.networkId === undefined;
    if (event.responseStatusCode === undefined && event.responseErrorReason === undefined) {
      if (isSaved) this.#downloads.requested(event.request.url);
      else if (frameId === this.#frameId && resourceType === 'Document')
        this.target = event.request.url;
      return this.#send('Fetch.continueRequest', { requestId });
    }
    if (isSaved || request === undefined) {
      return this.#send('Fetch.continueResponse', { requestId });
    }
    if (this.#isStarted(event, request)) {
      this.#downloads.stopped(documentResponseOf(event));
      return this.#send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    }
    if (frameId !== this.#frameId) return this.#send('Fetch.continueResponse', { requestId });
    try {
      await this.#onAnswer(event, request);
    } catch (error) {
      // The session ended with its page, or the response is refused.
      if (error instanceof PagewrightError) this.failure ??= error;
      this.#send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    } finally {
      this.arriving = undefined;
    }
  }

  /** True for a download that the page has started, in a frame or in its own main frame. */
  #isStarted(event: PausedResponse, request: DocumentRequest): boolean {
    if (event.responseErrorReason !== undefined) return false;
    const answer = documentResponseOf(event);
    if (!isDownload(answer)) return false;
    if (event.frameId !== this.#frameId) return true;
    const isOpen = this.displayed !== undefined && !isEmptyResponse(this.displayed);
    return isOpen && answer.url !== withoutFragment(request.url);
  }

  async #onAnswer(event: PausedResponse, request: DocumentRequest): Promise<void> {
    const { requestId, responseErrorReason } = event;
    if (responseErrorReason !== undefined) {
      return this.#send('Fetch.continueResponse', { requestId });
    }
    const answer = documentResponseOf(event);
    const { bodyBytes, headerBytes } = request.limits;
    if (answer.headerBytes > headerBytes) throw headersTooLarge(answer, headerBytes);
    const target = redirectTarget(answer, new URL(answer.url));
    if (target !== undefined) {
      await this.#onRedirect(answer.url, target.href, request);
      return this.#send('Fetch.continueResponse', { requestId });
    }
    if (Number(answer.headers['content-length'] ?? 0) > bodyBytes) {
      throw tooLarge(answer, bodyBytes);
    }
    if (isHtmlPage(answer)) {
      this.displayed = answer;
      this.#networkId = event.networkId;
      this.length = 0;
      this.cut = undefined;
      this.#onReplaced?.();
      return this.#send('Fetch.continueResponse', { requestId });
    }
    this.arriving = answer.url;
    const body = await this.#takeBody(requestId, answer, bodyBytes);
    this.file = { answer, body };
    this.#onReplaced?.();
    this.#send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
  }

  /** Chromium calls a response over TLS insecure if its certificate does not verify. */
  #onSecurity(
    type: string | undefined,
    frameId: string | undefined,
    response: SecurityResponse,
  ): void {
    const { url, securityState, securityDetails } = response;
    if (type !== 'Document' || frameId !== this.#frameId || this.#request === undefined) return;
    if (securityState !== 'insecure' || !url.startsWith('https:')) return;
    const { host } = new URL(url);
    this.doubts.add(
      `The certificate of ${host} does not verify (${certificateProblem(securityDetails)}).`,
    );
  }

  #count(bytes: number): void {
    this.length += bytes;
    const { bodyBytes } = this.#request?.limits ?? { bodyBytes: Infinity };
    if (this.length <= bodyBytes || this.failure !== undefined) return;
    this.fail(tooLarge(this.displayed, bodyBytes));
    this.#send('Page.stopLoading');
  }

  async #onRedirect(from: string, target: string, request: DocumentRequest): Promise<void> {
    const { url, limits, beforeRedirect } = request;
    if (this.displayed === undefined) this.redirects.push(from);
    if (this.redirects.length > limits.redirects) {
      throw new PagewrightError(
        'TOO_MANY_REDIRECTS',
        `${url} redirects more than ${limits.redirects} times. Raise limits.redirects if it is not a loop.`,
        { url },
      );
    }
    this.target = target;
    await beforeRedirect?.(target);
  }

  async #takeBody(requestId: string, answer: DocumentResponse, limit: number): Promise<Uint8Array> {
    const session = this.#session;
    const { stream: handle } = await session.send('Fetch.takeResponseBodyAsStream', { requestId });
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for (;;) {
        const { data, base64Encoded = false, eof } = await session.send('IO.read', { handle });
        const chunk = Buffer.from(data, base64Encoded ? 'base64' : 'utf8');
        chunks.push(chunk);
        size += chunk.length;
        if (size > limit) throw tooLarge(answer, limit);
        if (eof) return Buffer.concat(chunks);
      }
    } finally {
      void session.send('IO.close', { handle }).catch(() => undefined);
    }
  }

  /** A command for a request that has ended is not a failure. */
  #send(...[method, parameters]: Parameters<CDPSession['send']>): void {
    void this.#session.send(method, parameters).catch(() => undefined);
  }
}

/** The protocol gives the dates of a certificate, not its problem. */
function certificateProblem(certificate: SecurityResponse['securityDetails']): string {
  const { validFrom = -Infinity, validTo = Infinity } = certificate ?? {};
  const now = Date.now() / 1000;
  if (now > validTo) return `in the browser; it expired on ${dayOf(validTo)}`;
  if (now < validFrom) return `in the browser; it is not valid before ${dayOf(validFrom)}`;
  return 'in the browser';
}

/** The date of a time in seconds since 1970. */
function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

function headersTooLarge({ url, statusCode }: DocumentResponse, limit: number): PagewrightError {
  return new PagewrightError(
    'PROTOCOL_ERROR',
    `The response headers of ${url} are larger than ${limit} bytes. Raise limits.headerBytes to read it all the same.`,
    { url, statusCode },
  );
}

function tooLarge(answer: DocumentResponse | undefined, limit: number): PagewrightError {
  const { url = '', statusCode } = answer ?? {};
  return new PagewrightError(
    'BODY_TOO_LARGE',
    `${url} has more than ${limit} bytes. Raise limits.bodyBytes to read it.`,
    { url, statusCode },
  );
}
