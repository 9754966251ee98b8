/** One visit: from navigation to a snapshot. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { inTime, pageWorld } from '../actions/isolated-world.ts';
import { runActions } from '../actions/run-actions.ts';
import { withFailedPage } from '../../core/model/failed-page.ts';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import type { ActionOutcome, Captures, Snapshot } from '../../core/model/snapshot.ts';
import type { ResponseWait } from '../../core/model/network-request.ts';
import type { ActionStep, PageRequest } from '../../core/model/request.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import { maskUrl } from '../../core/http/network/mask-secrets.ts';
import { crashed, navigationFailure } from './navigation-failure.ts';
import {
  type DocumentResponse,
  htmlHeaders,
  isEmptyResponse,
  withoutFragment,
} from './document-response.ts';
import { dismissConsent } from './blocking/dismiss-consent.ts';
import { removeListed } from './blocking/filter-lists.ts';
import { addCookies, applyHeaders } from './identity/apply-headers.ts';
import { shareLocation } from './identity/emulation.ts';
import { type ProfileVisit, refuseLostLogin } from './profiles.ts';
import { type RenderedHtml, renderedHtml, tooLarge } from './rendered-html/rendered-html.ts';
import { RequestLog } from './request-log.ts';
import { reloadsItself } from './settle/in-page/observe-page.ts';
import { takeScreenshot } from './take-screenshot.ts';
import type { Tab } from './tab.ts';
import { compact } from '../../core/runtime/compact.ts';

const bounds = {
  longestSettling: 5_000, // milliseconds; the default limit for settling
  longestChallenge: 10_000, // milliseconds for all challenges of a visit: their timers take 5 s
  challengeDocuments: 5, // documents that a challenge may lead through
};

/**
 * Serves a request in a tab. `run`: in one of its own, which must not be reused if this rejects. `load`: loads
 * the page in one that the caller has prepared. `readAgain`: reads its open page after the actions of the
 * request, without loading it.
 */
export async function visit(
  mode: 'run' | 'load' | 'readAgain',
  tab: Tab,
  request: PageRequest,
  profile: ProfileVisit | undefined,
): Promise<Snapshot> {
  const { page } = tab;
  const ending = new AbortController();
  const signal = AbortSignal.any([request.signal, ending.signal]);
  const onCrash = (): void => ending.abort(crashed(request.url, 'The page crashed'));
  const onClose = (): void => ending.abort(crashed(request.url, 'The browser ended'));
  const onFailure = (failure: PagewrightError): void => ending.abort(failure);
  if (mode === 'readAgain') tab.document.goOn(request, onFailure);
  else tab.document.expect(request, onFailure);
  page.on('crash', onCrash).on('close', onClose);
  const begun = performance.now();
  try {
    const one = new Visit(tab, { ...request, signal }, profile);
    const work = one[mode]();
    tab.work = work.catch(() => undefined).then(() => one.step);
    const snapshot = await withSignal(work, signal);
    return { ...snapshot, browserMs: Math.round(performance.now() - begun) };
  } finally {
    page.off('crash', onCrash).off('close', onClose);
  }
}

/** A snapshot before the counts are added. */
type OpenedPage = Omit<Snapshot, 'bytes' | 'requests' | 'warnings'>;

/**
 * Statuses of challenges: refused, too many requests, and unavailable while the browser is checked.
 */
const challenging: ReadonlySet<number> = new Set([403, 429, 503]);

/** Errors of steps name the URL of the page, which may have tokens. */
function maskUrlsIn(text: string): string {
  return text.replace(/\bhttps?:[^\s"'<>]+/gi, maskUrl);
}

class Visit {
  /** The last step begun, which may end later than an aborted visit. */
  step: Promise<unknown> = Promise.resolve();
  readonly #tab: Tab;
  readonly #page: Page;
  readonly #request: PageRequest;
  readonly #profile: ProfileVisit | undefined;
  readonly #warnings: string[] = [];
  /** Latest time to begin reading the page. */
  readonly #readingBegins: number;
  #isCut = false;
  #isBare = false;
  /** The page may still change by itself, as seen when it last settled. */
  #mayGoOn = false;
  /** The requests of the visit, if something needs them. */
  #log: RequestLog | undefined;

  constructor(tab: Tab, request: PageRequest, profile: ProfileVisit | undefined) {
    const { time = 30_000 } = request;
    this.#tab = tab;
    this.#page = tab.page;
    this.#request = request;
    this.#profile = profile;
    this.#readingBegins = performance.now() + time - Math.min(4_000, time / 4);
  }

  run(): Promise<Snapshot> {
    return this.#counted(1, async () => {
      const { context, ownsContext } = this.#tab;
      const { cookies = [] } = this.#request;
      const undoHeaders = await applyHeaders(this.#page, this.#request);
      const removeCookies = await addCookies(context, cookies, 'cookies');
      const opened = await this.#load();
      // The caller's cookies were not set by the site: they do not belong in a profile.
      await undoHeaders();
      if (this.#profile !== undefined || !ownsContext) await removeCookies();
      await this.#keepProfile(opened.url, opened.statusCode);
      return opened;
    });
  }

  load(): Promise<Snapshot> {
    return this.#counted(1, () => this.#load());
  }

  readAgain(): Promise<Snapshot> {
    return this.#counted(0, async () => {
      const { displayed, file, length } = this.#tab.document;
      if (displayed === undefined && file !== undefined)
        return this.#snapshot(file.answer, file.body);
      if (displayed !== undefined && length === 0)
        return this.#snapshot(displayed, new Uint8Array());
      this.#displayed();
      await this.#settle();
      return this.#captured(undefined);
    });
  }

  /** `least` is the number of requests that were certainly sent. */
  async #counted(least: number, work: () => Promise<OpenedPage>): Promise<Snapshot> {
    const tab = this.#tab;
    tab.downloads.reset();
    const [bytes, requests] = [tab.bytes, tab.requests];
    using log = RequestLog.of(tab, this.#request.rendering);
    this.#log = log;
    const opened = await work();
    this.#warnings.push(...tab.downloads.warnings());
    return compact<Snapshot>({
      ...opened,
      warnings: [...new Set([...tab.document.doubts, ...this.#warnings])],
      isCut: this.#isCut || opened.isCut,
      bytes: tab.bytes - bytes,
      requests: Math.max(least, tab.requests - requests),
    });
  }

  async #load(): Promise<OpenedPage> {
    const { url, rendering } = this.#request;
    if (rendering.location !== undefined) await shareLocation(this.#tab.context, url);
    await this.#open();
    return this.#opened();
  }

  async #opened(): Promise<OpenedPage> {
    const { document } = this.#tab;
    const { rendering } = this.#request;
    const opened = document.file;
    if (opened !== undefined && rendering.waitForResponse !== undefined) {
      this.#warnings.push('The URL is a file: no response was waited for.');
    }
    if (opened !== undefined) return this.#snapshot(opened.answer, opened.body);
    if (!isEmptyResponse(document.displayed) && !this.#isBare) await this.#parsed();
    if (document.length === 0 && document.displayed !== undefined) {
      // The document is one that the browser made of an empty body.
      return this.#snapshot(document.displayed, new Uint8Array());
    }
    await this.#settleBehindChallenges();
    const early = this.#isPlain() ? this.#read() : undefined;
    early?.catch(() => undefined);
    const isClean = rendering.blockAds !== true || (await this.#clear());
    return this.#captured(isClean ? early : undefined).catch(async (error: unknown) => {
      throw await this.#withPage(error);
    });
  }

  /** The page after the waits and actions of the request. */
  async #captured(early: Promise<RenderedHtml> | undefined): Promise<OpenedPage> {
    const { waitFor, waitForResponse } = this.#request.rendering;
    if (waitFor !== undefined) await this.#wait(waitFor);
    if (waitForResponse !== undefined) await this.#waitForResponse();
    // A page may have led to a file meanwhile.
    const file = this.#tab.document.file;
    if (file !== undefined) return this.#snapshot(file.answer, file.body);
    const captures = await this.#capture(early);
    this.#noteFiles();
    const { url, answer } = this.#displayed(captures.made.actions?.whole?.url);
    const { timezoneId } = this.#tab.setting.context;
    const isFailure = this.#request.keepsFailures === true && answer.statusCode >= 400;
    return compact({
      ...this.#snapshot({ ...answer, url, headers: htmlHeaders(answer) }, captures.body),
      picture: isFailure ? await this.#picture(Math.max(500, this.#timeLeft())) : undefined,
      unseen: captures.unseen,
      captures: Object.keys(captures.made).length === 0 ? undefined : captures.made,
      timezone: timezoneId,
    });
  }

  /** The error of a step, with the page as it is. */
  async #withPage(error: unknown): Promise<unknown> {
    const { keepsFailures, signal, time = 30_000 } = this.#request;
    const isOfStep = error instanceof PagewrightError && error.code === 'ACTION_FAILED';
    if (keepsFailures !== true || !isOfStep || signal.aborted) return error;
    const reading = this.#read().catch(() => undefined);
    // Within the time that is left for reading the page.
    const longest = Math.min(1900, time / 9);
    const read = await inTime(reading, longest);
    const body = read && Buffer.from(read.html);
    return withFailedPage(error, { body, picture: await this.#picture(longest) });
  }

  /** A picture of the window, if it can be taken in time. */
  #picture(longest: number): Promise<Uint8Array | undefined> {
    const options = { type: 'jpeg', quality: 70, timeout: longest } as const;
    const taking = this.#page.screenshot(options).catch(() => undefined);
    return inTime(taking, longest);
  }

  /** Warns of files that the page led to after it was read, or that are not read. */
  #noteFiles(): void {
    const { file, arriving, failure } = this.#tab.document;
    const led = file?.answer.url ?? arriving;
    if (led !== undefined) {
      this.#warnings.push(
        `The page led to a file, which is not in this document: ${led}. Scrape that URL itself.`,
      );
    }
    if (failure !== undefined) {
      this.#warnings.push(`The page led to what is not in this document: ${failure.message}`);
    }
  }

  /** Navigates to the URL; returns when the first bytes of the page have arrived. */
  async #open(): Promise<void> {
    const { url } = this.#request;
    const { document } = this.#tab;
    this.#tab.activity.reset();
    try {
      await this.#page.goto(url, { waitUntil: 'commit', timeout: 0 });
      // The world is requested as soon as the page is parsed; its user handles the error.
      pageWorld(this.#page).catch(() => undefined);
    } catch (error) {
      if (document.file !== undefined || isEmptyResponse(document.displayed)) return;
      // Chromium displays its own page for a bad status without a body.
      this.#isBare =
        /ERR_HTTP_RESPONSE_CODE_FAILURE/.test(String(error)) && document.displayed !== undefined;
      if (!this.#isBare) throw this.#failure(error);
    }
    const refused = document.displayed?.headers['proxy-authenticate'] !== undefined;
    const failure = refused ? this.#tab.unreached(document.target) : undefined;
    if (failure !== undefined) throw failure;
  }

  /** Waits until the whole document has arrived, or as much of it as comes in time. */
  async #parsed(): Promise<void> {
    const { document } = this.#tab;
    const timeout = Math.max(100, this.#timeLeft());
    const isParsed = await Promise.race([
      this.#page.waitForLoadState('domcontentloaded', { timeout }).then(
        () => true,
        () => false,
      ),
      document.whenCut().then(() => false),
      document.whenStopped().then(() => true),
    ]);
    this.#noteCut();
    if (isParsed || this.#isCut) return;
    this.#isCut = true;
    this.#warnings.push(
      'The page was still loading when its time was up; this is what had loaded by then.',
    );
  }

  /** Throws if no byte of the body came. */
  #noteCut(): void {
    const { cut, length } = this.#tab.document;
    if (cut === undefined) return;
    const failure = this.#failure(new Error(cut));
    if (failure.code === 'DECOMPRESSION' || length === 0) throw failure;
    this.#isCut = true;
    this.#warnings.push(`The body ended early, after ${length} bytes.`);
  }

  /**
   * Settles, and waits for a challenge to let the browser in: for the document that its script, or a refresh,
   * loads to replace it. A page without activity is not waited for; the caller may pass a challenge that stays.
   */
  async #settleBehindChallenges(): Promise<void> {
    const { document } = this.#tab;
    await this.#settle();
    const end = performance.now() + Math.min(bounds.longestChallenge, this.#timeLeft() / 2);
    for (let count = 0; count < bounds.challengeDocuments; count += 1) {
      const { displayed } = document;
      const replaced = document.whenReplaced();
      if (await this.#isChallenge()) await inTime(replaced, end - performance.now());
      if (document.file !== undefined) return;
      if (document.displayed === displayed && !(await this.#isPassed())) return;
      // Warnings about the challenge do not apply to the page.
      this.#warnings.length = 0;
      this.#isCut = false;
      await this.#settle();
      this.#noteCut();
    }
  }

  /** Only stealth visits wait after a refusal: after others, stealth is tried. */
  async #isChallenge(): Promise<boolean> {
    const { statusCode = 0, headers = {} } = this.#tab.document.displayed ?? {};
    const isRefused = challenging.has(statusCode);
    if (isRefused && this.#request.rendering.stealth !== true) return false;
    const mayGoOn = this.#mayGoOn || headers['refresh'] !== undefined;
    if (!mayGoOn) return false;
    if (isRefused && headers['retry-after'] === undefined) return true;
    const asking = pageWorld(this.#page).then((world) => world.call(reloadsItself));
    return (await inTime(asking, 500)) === true;
  }

  /** Lets the caller pass what is shown if that is a challenge. */
  async #isPassed(): Promise<boolean> {
    const { onChallenge } = this.#request;
    const { displayed } = this.#tab.document;
    if (onChallenge === undefined || displayed === undefined) return false;
    const { html } = await this.#read();
    return onChallenge({ ...displayed, body: Buffer.from(html) }, this.#page);
  }

  async #settle(): Promise<void> {
    const { signal } = this.#request;
    const cap = Math.min(bounds.longestSettling, Math.max(100, this.#timeLeft() / 2));
    const pictures = this.#tab.setting.needs.images === true;
    const { warnings, mayGoOn } = await this.#tab.activity.settle({ signal, cap, pictures });
    this.#mayGoOn = mayGoOn;
    this.#warnings.push(...warnings);
    await this.#tab.downloads.settle(Math.max(100, this.#timeLeft() / 2), signal);
  }

  /** The page is only read: no actions, no captures. */
  #isPlain(): boolean {
    const { actions = [], branding, screenshot, ...rendering } = this.#request.rendering;
    const isHeld = rendering.waitFor !== undefined || rendering.waitForResponse !== undefined;
    const isSeen = branding === true || screenshot !== undefined;
    return !isHeld && !isSeen && actions.length === 0;
  }

  /** Removes overlays; true when there was none. */
  async #clear(): Promise<boolean> {
    const { signal } = this.#request;
    const { lists } = this.#tab;
    const cap = Math.min(4_000, Math.max(100, this.#timeLeft()));
    const { found } = await dismissConsent(this.#page, { signal, cap });
    if (found) await this.#settle();
    if (lists !== undefined) await removeListed(this.#page, lists, signal);
    return !found && lists === undefined;
  }

  async #wait(milliseconds: number): Promise<void> {
    const { signal } = this.#request;
    const wait = Math.min(milliseconds, Math.max(0, this.#timeLeft()));
    await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    if (wait === milliseconds) return;
    const made = `${Math.round(wait)} of ${milliseconds} ms`;
    this.#warnings.push(`waitFor: the page was read after ${made}. Raise timeout to wait longer.`);
  }

  /** A page with an error, such as a challenge, does not load what is waited for. */
  async #waitForResponse(): Promise<void> {
    const { rendering, signal, url } = this.#request;
    const { waitForResponse: wait } = rendering;
    const { statusCode = 0 } = this.#tab.document.displayed ?? {};
    if (wait === undefined || this.#log === undefined) return;
    if (statusCode >= 400) {
      const { shown: pattern } = wait.response;
      this.#warnings.push(
        `The page has status ${statusCode}: no response ${pattern} was waited for.`,
      );
      return;
    }
    try {
      await this.#awaited(this.#log, wait);
    } catch (error) {
      signal.throwIfAborted();
      const masked = maskUrl(url);
      const message = `waitFor on ${masked}: ${messageOf(error)}`;
      throw new PagewrightError('ACTION_FAILED', message, { url: masked });
    }
    await this.#settle();
  }

  /** Runs the actions, and captures the page after them; `early` is the state read before. */
  async #capture(
    early: Promise<RenderedHtml> | undefined,
  ): Promise<Pick<Snapshot, 'body' | 'unseen'> & { readonly made: Captures }> {
    const page = this.#page;
    const log = this.#log;
    const { rendering, signal } = this.#request;
    const steps = rendering.actions ?? [];
    const actions =
      steps.length === 0
        ? undefined
        : await runActions(page, this.#watchedSteps(steps), {
            signal,
            settle: () => this.#settle(),
            html: () => this.#html(),
            timeLeft: () => this.#timeLeft(),
            ...(log && { waitForResponse: (wait) => this.#awaited(log, wait) }),
          });
    this.#warnings.push(...(actions?.warnings ?? []));
    const branding =
      rendering.branding === true
        ? await loadModule(() => import('../branding/read-branding.ts')).then((one) =>
            one.readBranding(page, signal),
          )
        : undefined;
    const { html, warnings, unseen } = this.#joined(actions) ?? (await (early ?? this.#read()));
    this.#warnings.push(...warnings);
    const body = Buffer.from(html);
    const taken =
      rendering.screenshot === undefined
        ? undefined
        : await takeScreenshot(page, rendering.screenshot, () => this.#settle());
    if (taken?.warning !== undefined) this.#warnings.push(taken.warning);
    const logged = await log?.captures(Math.max(500, this.#timeLeft()));
    this.#warnings.push(...(logged?.warnings ?? []));
    return {
      body,
      unseen,
      made: compact({ ...logged?.made, actions, branding, screenshot: taken?.picture }),
    };
  }

  /** The steps; waits count responses from the beginning of the last step that is not one of them. */
  #watchedSteps(steps: readonly ActionStep[]): readonly ActionStep[] {
    return steps.map((step) => ({
      ...step,
      mask: (text) => maskUrlsIn(step.mask?.(text) ?? text),
      perform: async (page, context, outcome) => {
        if (step.type !== 'wait') this.#log?.beginStep();
        const performed = step.perform(page, context, outcome);
        this.step = performed.catch(() => undefined);
        await performed;
      },
    }));
  }

  /** Waits for a response in the time that is left. */
  #awaited(log: RequestLog, wait: ResponseWait): Promise<void> {
    const timeout = Math.min(wait.timeout, Math.max(0, this.#timeLeft()));
    return log.waitFor({ ...wait, timeout }, this.#request.signal);
  }

  /** The joined pages of the actions, replacing the displayed one. */
  #joined(actions: ActionOutcome | undefined): RenderedHtml | undefined {
    if (actions?.whole === undefined) return undefined;
    const { html } = actions.whole;
    const { bodyBytes } = this.#request.limits;
    if (html.length > bodyBytes) throw tooLarge(this.#page, bodyBytes, html.length);
    return { html, warnings: [] };
  }

  async #html(): Promise<string> {
    const { html, warnings } = await this.#read();
    this.#warnings.push(...warnings);
    return html;
  }

  #read(): Promise<RenderedHtml> {
    const { limits, signal } = this.#request;
    return renderedHtml(this.#page, { maxCharacters: limits.bodyBytes, signal });
  }

  /** Saves the profile after a successful visit; one that ended at a login page has no document. */
  async #keepProfile(finalUrl: string, statusCode: number): Promise<void> {
    const profile = this.#profile;
    if (profile === undefined) return;
    await refuseLostLogin(this.#page, profile, this.#request.url, { url: finalUrl, statusCode });
    this.#warnings.push(...(await profile.save(this.#tab.context)));
  }

  /** Milliseconds until reading has to begin. */
  #timeLeft(): number {
    return this.#readingBegins - performance.now();
  }

  #failure(error: unknown): PagewrightError {
    const { url } = this.#request;
    const { document } = this.#tab;
    return (
      document.failure ?? this.#tab.unreached(document.target) ?? navigationFailure(error, url)
    );
  }

  /** The displayed URL and response: scripts change both. */
  #displayed(joined?: string): { readonly url: string; readonly answer: DocumentResponse } {
    const { url } = this.#request;
    const { displayed } = this.#tab.document;
    const current = withoutFragment(this.#page.url());
    if (displayed === undefined || current.startsWith('chrome-error:'))
      throw this.#failure(undefined);
    return { url: joined ?? (/^https?:/.test(current) ? current : url), answer: displayed };
  }

  #snapshot(
    { url, statusCode, headers }: Pick<DocumentResponse, 'url' | 'statusCode' | 'headers'>,
    body: Uint8Array,
  ): OpenedPage {
    const { redirects } = this.#tab.document;
    return { url, statusCode, headers, body, engine: 'browser', redirects };
  }
}
