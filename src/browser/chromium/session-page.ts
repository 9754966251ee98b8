/** A tab that stays open: pages are loaded in it, and read repeatedly. */
import { isDeepStrictEqual } from 'node:util';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import type { PageRequest } from '../../core/model/request.ts';
import type { Cookie } from '../../core/model/request-options.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import type { OpenPage } from '../../core/model/engine.ts';
import { throwFailure } from './navigation-failure.ts';
import { withoutFragment } from './document-response.ts';
import { addCookies, applyHeaders } from './identity/apply-headers.ts';
import { type ProfileVisit, refuseLostLogin } from './profiles.ts';
import type { Tab } from './tab.ts';
import { visit } from './visit.ts';

const savePatience = 10_000; // milliseconds for saving the profile

/** A page of a session. */
export class SessionPage implements OpenPage {
  readonly ended: Promise<void>;
  readonly #tab: Tab;
  readonly #profile: ProfileVisit | undefined;
  readonly #drop: () => Promise<void>;
  /** Undo the caller's cookies and headers; undefined before the first page is requested. */
  #removeCookies: (() => Promise<void>) | undefined;
  #undoHeaders: (() => Promise<void>) | undefined;
  #headers: PageRequest['headers'] | undefined;
  #isGone = false;

  /** `drop` closes the tab. */
  constructor(tab: Tab, profile: ProfileVisit | undefined, drop: () => Promise<void>) {
    this.#tab = tab;
    this.#profile = profile;
    this.#drop = drop;
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.#isGone = true;
        resolve();
      };
      tab.page.once('crash', end).once('close', end);
    });
  }

  get url(): string {
    const { page, document } = this.#tab;
    const url = page.url();
    return /^https?:/.test(url) ? url : (document.displayed?.url ?? document.target);
  }

  fetch(request: PageRequest): Promise<Snapshot> {
    return this.#work(request, () => this.#fetch(request));
  }

  async #fetch(request: PageRequest): Promise<Snapshot> {
    const { document, page, session } = this.#tab;
    await withSignal(this.#tab.work, request.signal);
    const isFirst = this.#headers === undefined;
    await this.#applyCredentials(request);
    const { displayed, length } = document;
    const stop = (): void => void session.send('Page.stopLoading').catch(() => undefined);
    request.signal.addEventListener('abort', stop, { once: true });
    try {
      const profile = this.#profile;
      const snapshot = await visit('load', this.#tab, request, profile);
      if (isFirst && profile !== undefined && request.rendering.profile !== undefined) {
        const url = withoutFragment(snapshot.url);
        await refuseLostLogin(page, profile, request.url, { ...snapshot, url });
      }
      return snapshot;
    } catch (error) {
      // Chromium displays the previous page until the next one begins to arrive.
      if (document.displayed === undefined && /^https?:/.test(page.url())) {
        Object.assign(document, { displayed, length });
      }
      throw error;
    } finally {
      request.signal.removeEventListener('abort', stop);
      this.#rest(request);
    }
  }

  read(request: PageRequest): Promise<Snapshot> {
    return this.#work(request, async () => {
      await withSignal(this.#tab.work, request.signal);
      try {
        return await visit('readAgain', this.#tab, request, this.#profile);
      } finally {
        this.#rest(request);
      }
    });
  }

  async cookies(): Promise<Cookie[]> {
    const cookies = await this.#work({ url: this.url }, () => this.#tab.context.cookies());
    // A partitioned cookie is only valid inside of another site.
    return cookies
      .filter(({ partitionKey }) => partitionKey === undefined)
      .map(({ name, value, domain, path, expires, httpOnly, secure, sameSite }) => {
        return { name, value, domain, path, expires, httpOnly, secure, sameSite };
      });
  }

  async close(saves: boolean): Promise<readonly string[]> {
    const profile = this.#profile;
    const signal = AbortSignal.timeout(savePatience);
    try {
      if (!saves || profile === undefined || this.#isGone) return [];
      const save = async (): Promise<readonly string[]> => {
        await this.#undoHeaders?.();
        await this.#removeCookies?.();
        return profile.save(this.#tab.context);
      };
      return await withSignal(save(), signal);
    } catch (cause) {
      if (cause instanceof PagewrightError && cause.code === 'STORAGE') throw cause;
      const why = signal.aborted ? `it took longer than ${savePatience} ms` : messageOf(cause);
      const message = `The profile of the session was not saved: ${why}. Check the storage.`;
      throw new PagewrightError('STORAGE', message, { cause });
    } finally {
      await this.#drop();
    }
  }

  /** Once per session: the site's changes to the cookies stay. Hooks may change the headers of a page. */
  async #applyCredentials(request: PageRequest): Promise<void> {
    const { headers, cookies = [] } = request;
    if (isDeepStrictEqual(headers, this.#headers)) return;
    await this.#undoHeaders?.();
    this.#undoHeaders = await applyHeaders(this.#tab.page, request);
    this.#headers = headers;
    this.#removeCookies ??= await addCookies(this.#tab.context, cookies, 'cookies');
  }

  async #work<T>(
    request: { readonly url: string; readonly signal?: AbortSignal },
    work: () => Promise<T>,
  ): Promise<T> {
    return work().catch((error: unknown) => throwFailure(error, request, () => this.#isGone));
  }

  /** Between calls the page is still held to the limits, but waits for no host, since no time is assigned to it. */
  #rest({ limits }: PageRequest): void {
    this.#tab.document.goOn({ url: this.url, limits });
  }
}
