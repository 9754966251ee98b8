/** A browser engine whose contexts are counted, and a site of hostile pages for it. */
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { type Behaviour, type FixtureServer, serve } from 'pagewright/testing';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { browserEngine, type BrowserEngineOptions } from '../../../src/browser/chromium/browser.ts';
import type { Engine } from '../../../src/core/model/engine.ts';
import type { PageRequest } from '../../../src/core/model/request.ts';
import type { Snapshot } from '../../../src/core/model/snapshot.ts';
import { startDeadline } from '../../../src/core/runtime/deadline.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import { memoryStore } from '../../../src/core/storage/memory-store.ts';

/** A snapshot, and its body as text. */
export type Visit = Snapshot & { readonly text: string };

/** What a test may ask for beside the URL. */
export interface VisitOptions extends Partial<Omit<PageRequest, 'limits'>> {
  readonly limits?: Partial<PageRequest['limits']>;
  /** Milliseconds. @default 20000 */
  readonly timeout?: number;
}

/** An engine, and what it did. Dispose it. */
export interface BrowserLab extends AsyncDisposable {
  readonly engine: Engine;
  /** Contexts that were opened so far. */
  readonly contexts: number;
  /** Browsers that were started so far. */
  readonly browsers: readonly Browser[];
  visit(url: string, options?: VisitOptions): Promise<Visit>;
}

/** An engine that reaches 127.0.0.1 and localhost only. */
export function browserLab(options: Partial<BrowserEngineOptions> = {}): BrowserLab {
  const browsers: Browser[] = [];
  let contexts = 0;
  const type = {
    executablePath: () => chromium.executablePath(),
    connectOverCDP: () => Promise.reject(new Error('is not used')),
    async launch(settings?: object) {
      const browser = await chromium.launch(settings);
      const newContext = browser.newContext.bind(browser);
      browser.newContext = (...given) => {
        contexts += 1;
        return newContext(...given);
      };
      browsers.push(browser);
      return browser;
    },
  };
  const engine = browserEngine({
    policy: createNetworkPolicy({ allow: ['127.0.0.1', 'localhost'] }),
    store: memoryStore(),
    type,
    ...options,
  });
  return {
    engine,
    browsers,
    get contexts() {
      return contexts;
    },
    async visit(url, { limits = {}, timeout = 20_000, signal, ...more } = {}) {
      using deadline = startDeadline(timeout, [signal], 'The visit');
      const snapshot = await engine.fetch({
        url,
        headers: {},
        skipTlsVerification: true,
        rendering: {},
        time: timeout,
        ...more,
        limits: { ...defaultLimits, ...limits },
        signal: deadline.signal,
      });
      return { ...snapshot, text: new TextDecoder().decode(snapshot.body) };
    },
    [Symbol.asyncDispose]: async () => engine.dispose?.(),
  };
}

const folder = fileURLToPath(new URL('../../../fixtures/sites/hostile-pages', import.meta.url));

/** The site, with what is not a file added. */
export async function hostileSite(
  behaviours: Readonly<Record<string, Behaviour>> = {},
): Promise<FixtureServer> {
  return serve(folder, { behaviours });
}

/** An answer of the test's own. */
export function answer(body: string, headers: Record<string, string | string[]> = {}): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  };
}

/** A page with this script. */
export function script(source: string): Behaviour {
  return answer(`<!doctype html><title>Hostile</title><p>Text.</p><script>${source}</script>`);
}

/** A page that is written one piece after the other until the browser leaves. */
export function stream(head: string, piece: string): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' }).write(head);
    const timer = setInterval(() => response.write(piece), 20);
    response.on('close', () => clearInterval(timer));
  };
}

/** The text of a page, or the code of the error in its place. */
export async function resultOf(visit: Promise<Visit>): Promise<string> {
  return visit.then(
    ({ text }) => text,
    (error: unknown) => (error instanceof PagewrightError ? error.code : String(error)),
  );
}

/** Does it with each item, `most` at once. */
export async function eachOf<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const takeNext = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: most }, takeNext));
}
