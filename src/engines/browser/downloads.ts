/** The downloads that a page starts by itself: they are named, and neither waited for to their end nor saved. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Download, Page } from 'playwright-core';
import { downloadName, downloadWarnings } from '../download.ts';
import type { Answer } from './answer.ts';

/** Milliseconds. */
const rules = {
  /** How long the answer to a download that was asked for is waited for. */
  patience: 2_000,
  /** From one download to the next of a page that starts several. */
  quiet: 200,
} as const;

/** URLs that are remembered; a page may go on for ever. */
const maxRemembered = 1_000;

/** Watches one page, over many visits. */
export class Downloads {
  readonly #names = new Map<string, string>();
  /** URLs that were asked for to be saved, whose answer is not there yet. */
  readonly #open = new Set<string>();
  #lastChange = -Infinity;
  readonly #onSaved: () => void;

  /** `onSaved` is called when the browser itself has begun one, which it was told to refuse. */
  constructor(page: Page, onSaved: () => void) {
    this.#onSaved = onSaved;
    page.on('download', this.#onDownload);
  }

  /** Forgets the last visit. */
  reset(): void {
    this.#names.clear();
    this.#open.clear();
    this.#lastChange = -Infinity;
  }

  /** Notes a download that a script asked for; how it is called is known when it is answered. */
  asked(url: string): void {
    if (this.#open.size < maxRemembered) this.#open.add(url);
  }

  /** Notes one that was stopped before the browser began it. */
  stopped({ url, headers }: Pick<Answer, 'url' | 'headers'>): void {
    this.#note(url, downloadName(url, headers));
  }

  /** Resolves when those that were asked for are answered and no more come, or not in time. */
  async settle(cap: number, signal: AbortSignal): Promise<void> {
    const end = performance.now() + Math.min(cap, rules.patience);
    for (let now = performance.now(); now < end; now = performance.now()) {
      signal.throwIfAborted();
      if (this.#open.size === 0 && now - this.#lastChange >= rules.quiet) return;
      await sleep(Math.min(25, end - now));
    }
  }

  /** What is to be said of them. */
  warnings(): string[] {
    return downloadWarnings(this.#names);
  }

  #note(url: string, name: string): void {
    this.#open.delete(url);
    this.#lastChange = performance.now();
    if (this.#names.size < maxRemembered && !this.#names.has(url)) this.#names.set(url, name);
  }

  readonly #onDownload = (download: Download): void => {
    this.#onSaved();
    this.#note(download.url(), download.suggestedFilename());
    // A context of the caller's own may accept what comes.
    const refused = download.cancel().then(() => download.delete());
    void refused.catch(() => undefined);
  };
}
