/** The requests of a page's scripts that have no answer yet. */
import type { Page, Request } from 'playwright-core';

/** Counts those that begin after it. Close it. */
export class OpenRequests {
  readonly #page: Page;
  readonly #open = new Set<Request>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', this.#begin);
    page.on('requestfinished', this.#end);
    page.on('requestfailed', this.#end);
  }

  get count(): number {
    return this.#open.size;
  }

  /** Those that are open now count no more: they may stay open for ever. */
  giveUp(): void {
    this.#open.clear();
  }

  close(): void {
    this.#page.off('request', this.#begin);
    this.#page.off('requestfinished', this.#end);
    this.#page.off('requestfailed', this.#end);
  }

  readonly #begin = (request: Request): void => {
    if (/^(?:xhr|fetch|script)$/.test(request.resourceType())) this.#open.add(request);
  };

  readonly #end = (request: Request): void => void this.#open.delete(request);
}
