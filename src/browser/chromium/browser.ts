/** The browser engine: renders pages and runs their scripts before they are read. */
import { availableParallelism } from 'node:os';
import { PagewrightError } from '../../core/runtime/errors.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import type { PageRequest } from '../../core/model/request.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import type { NetworkPolicy } from '../../core/http/network/policy.ts';
import type { BrowserChoice } from './browser-choice.ts';
import type { RunningBrowser } from './running-browser.ts';
import type { Store } from '../../core/storage/store.ts';
import type { OpenVault } from '../../core/storage/vault.ts';
import type { Engine } from '../../core/model/engine.ts';

export type { BrowserChoice };

/** Options of the browser engine. */
export interface BrowserEngineOptions extends BrowserChoice {
  /** Checked before every connection of every page, subresources included. */
  readonly policy: NetworkPolicy;
  /** The caller's User-Agent. @default the browser's own, without "Headless" */
  readonly userAgent?: string | undefined;
  /** Stores profiles. */
  readonly store: Store;
  /** Encrypts the profiles; if undefined, they are stored as plain data. */
  readonly vault?: OpenVault | undefined;
  /**
   * Accept a browser that the engine did not start although it cannot be held to the policy.
   * @default false
   */
  readonly isTrusted?: boolean | undefined;
  /** Receives warnings about the browser, once. */
  readonly warn?: ((sentence: string) => void) | undefined;
}

/**
 * Makes an engine with a browser of its own, which starts with the first request and closes after
 * it was idle for a while. Dispose it to close it at once.
 *
 * Rejects with `MISSING_DEPENDENCY` without `playwright-core`, with `BROWSER_UNAVAILABLE` without
 * Chromium, with `BROWSER_CRASHED` when a page or the browser dies twice.
 */
export function browserEngine(options: BrowserEngineOptions): Engine {
  const maxPages = options.maxPages ?? Math.min(8, 2 * availableParallelism());
  /** Browsers that accept visits; the stealth browser is launched with other flags. */
  const running = new Map<boolean, Promise<RunningBrowser>>();
  /** All open browsers, closing ones included. */
  const opened = new Set<Promise<RunningBrowser>>();
  const inFlight = new Set<AbortController>();
  const warned = new Set<string>();
  const warn = (sentence: string): void => {
    if (!warned.has(sentence)) options.warn?.(sentence);
    warned.add(sentence);
  };
  let isDisposed = false;

  const open = (stealth: boolean): Promise<RunningBrowser> => {
    const forget = (): void => {
      opened.delete(opening);
      if (running.get(stealth) === opening) running.delete(stealth);
    };
    const start = async (): Promise<RunningBrowser> => {
      const { runBrowser } = await loadModule(() => import('./running-browser.ts'));
      return runBrowser({ ...options, maxPages, stealth, warn }, forget);
    };
    const opening = start();
    opening.catch(forget);
    running.set(stealth, opening);
    opened.add(opening);
    return opening;
  };
  const withBrowser = async <T>(
    request: PageRequest,
    work: (browser: RunningBrowser) => Promise<T>,
  ): Promise<T> => {
    const stealth = request.rendering.stealth === true;
    for (;;) {
      const opening = running.get(stealth) ?? open(stealth);
      const browser = await opening;
      request.signal.throwIfAborted();
      if (browser.isOpen) return work(browser);
      if (running.get(stealth) === opening) running.delete(stealth);
    }
  };
  return {
    name: 'browser',
    can: new Set([
      ...(['render', 'wait', 'actions', 'screenshot', 'branding', 'requests'] as const),
      ...(['mobile', 'emulation', 'geolocation', 'stealth', 'profile'] as const),
    ]),
    cost: 100,
    async fetch(request) {
      request.signal.throwIfAborted();
      if (isDisposed) throw disposed();
      const controller = new AbortController();
      const signal = AbortSignal.any([request.signal, controller.signal]);
      const abortable = { ...request, signal };
      const fetch = (): Promise<Snapshot> =>
        withSignal(
          withBrowser(abortable, (browser) => browser.visit(abortable)),
          signal,
        );
      inFlight.add(controller);
      try {
        return await fetch().catch((error: unknown) => {
          const isCrash = error instanceof PagewrightError && error.code === 'BROWSER_CRASHED';
          if (!isCrash || signal.aborted) throw error;
          return fetch();
        });
      } finally {
        inFlight.delete(controller);
      }
    },
    async open(request) {
      request.signal.throwIfAborted();
      if (isDisposed) throw disposed();
      return withBrowser(request, (browser) => browser.keep(request));
    },
    async dispose() {
      isDisposed = true;
      for (const controller of inFlight) controller.abort(disposed());
      const closing = [...opened].map(async (opening) => (await opening).close());
      await Promise.allSettled(closing);
    },
  };
}

function disposed(): PagewrightError {
  return new PagewrightError('CANCELLED', 'The browser engine was disposed.');
}
