/** paginate: follows the pages of a list or an article, and captures the HTML of each. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Response } from 'playwright-core';
import type { ActionPagination, PaginatedPage } from '../../core/model/snapshot.ts';
import { messageOf } from '../../core/runtime/errors.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import type { PaginateOptions } from './action-options.ts';
import type { ActionContext, ActionRun } from './action.ts';
import { markedElement } from './frame-world.ts';
import { findNextLink, goTo, type NextLink, visibleText } from './in-page/next-link.ts';
import { checkAnswer, type InPage, pageWorld } from './isolated-world.ts';
import { joinPages } from './join-pages.ts';
import { stepTime } from './step-time.ts';
import { elementTimeout, visibleElements, withElement } from './target.ts';
import { sha256Of } from '../../core/runtime/identifiers.ts';

const limits = {
  characters: 20_000_000, // of the HTML of all pages
  changeTime: 3000, // milliseconds for the next page to appear, on a settled page
  pollInterval: 100, // milliseconds
};

export const paginate: ActionRun<PaginateOptions> = async (page, options, context, outcome) => {
  const { max = 10, as = 'joined' } = options;
  const walk = new PageWalk(page, options, context);
  const end = await walk.toEnd(max);
  const { pages } = walk;
  outcome.paginations.push({ pages: pages.length, end });
  const [first] = pages;
  if (first !== undefined) {
    outcome.whole = as === 'joined' ? { url: first.url, html: joinPages(pages) } : first;
  }
  if (as === 'pages') outcome.pages.push(...pages);
  const limit = { max: 'max', time: 'its time limit', size: `${limits.characters} characters` };
  if (walk.problem !== undefined) {
    outcome.warnings.push(`paginate failed after ${pages.length} page(s): ${walk.problem}.`);
  }
  if (end === 'max' || end === 'time' || end === 'size') {
    outcome.warnings.push(
      `paginate stopped at ${limit[end]} after ${pages.length} page(s); there may be more.`,
    );
  }
};

class PageWalk {
  readonly pages: PaginatedPage[] = [];
  /** Why it ended with `failed`, in words. */
  problem: string | undefined;
  readonly #page: Page;
  readonly #selector: string | undefined;
  readonly #context: ActionContext;
  /** An attribute that marks the found element. */
  readonly #mark = `data-${randomUUID()}`;
  readonly #seen = new Set<string>();
  #characters = 0;
  #hasFollowed = false;

  constructor(page: Page, { selector = 'auto' }: PaginateOptions, context: ActionContext) {
    this.#page = page;
    this.#selector = selector === 'auto' ? undefined : selector;
    this.#context = context;
  }

  /** Only fails before the first link was found; later, the pages read so far are worth more. */
  async toEnd(max: number): Promise<ActionPagination['end']> {
    try {
      return await this.#toLast(max);
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (!this.#hasFollowed) throw error;
      // The mark of the link means nothing to the caller.
      const name = this.#selector === undefined ? 'its link' : JSON.stringify(this.#selector);
      this.problem = messageOf(error).replace(JSON.stringify(`[${this.#mark}]`), name);
      return 'failed';
    }
  }

  async #toLast(max: number): Promise<ActionPagination['end']> {
    const deadline = Date.now() + stepTime(this.#context);
    const host = hostOf(this.#page.url());
    let text = await this.#text();
    for (;;) {
      this.#context.signal.throwIfAborted();
      const html = await this.#context.html();
      this.#characters += html.length;
      if (this.#characters > limits.characters && this.pages.length > 0) return 'size';
      this.pages.push({ url: this.#page.url(), html });
      this.#seen.add(sha256Of(text)).add(withoutFragment(this.#page.url()));
      const next = await this.#next();
      if (next.state === 'none' || next.state === 'disabled') return next.state;
      if (next.href !== '' && hostOf(next.href) !== host) return 'otherHost';
      if (next.href !== '' && this.#isSeen(next.href)) return 'seen';
      // There is a next page, which the limits leave out.
      if (this.pages.length >= max) return 'max';
      if (Date.now() > deadline) return 'time';
      const before = { url: this.#page.url(), text };
      this.#hasFollowed = true;
      text = await this.#loaded(async () => {
        await this.#follow(next);
        return this.#changed(before);
      });
      const url = this.#page.url();
      if (hostOf(url) !== host) return 'otherHost';
      const isSeen = url === before.url ? false : this.#seen.has(withoutFragment(url));
      if (isSeen || this.#seen.has(sha256Of(text))) return 'seen';
    }
  }

  async #next(): Promise<NextLink> {
    const world = await pageWorld(this.#page);
    let given: InPage<Element> | null = null;
    if (this.#selector !== undefined) {
      const target = { selector: this.#selector };
      const [visible] = await visibleElements(this.#page, target);
      if (visible === undefined) return { state: 'none', href: '' };
      given = await markedElement(this.#page, world, {
        selector: `${this.#selector} >> visible=true`,
      });
    }
    const answer = await world.call(findNextLink, this.#mark, given);
    return checkAnswer<NextLink>(answer, { state: 'none', href: '' }, 'next page');
  }

  /** A link to a fragment is one that a script answers. */
  #isSeen(href: string): boolean {
    const url = withoutFragment(href);
    return url !== withoutFragment(this.#page.url()) && this.#seen.has(url);
  }

  /** Rejects when the next page is an error: it does not belong to the list. */
  async #loaded<T>(follow: () => Promise<T>): Promise<T> {
    let status = 200;
    const onResponse = (response: Response): void => {
      const request = response.request();
      if (!request.isNavigationRequest() || request.frame() !== this.#page.mainFrame()) return;
      status = response.status();
    };
    this.#page.on('response', onResponse);
    try {
      const result = await follow();
      if (this.#page.url().startsWith('chrome-error:'))
        throw new Error('the next page did not load');
      if (status >= 400) throw new Error(`the next page answered ${status}`);
      return result;
    } finally {
      this.#page.off('response', onResponse);
    }
  }

  async #follow({ state, href }: NextLink): Promise<void> {
    if (state === 'address') {
      await (await pageWorld(this.#page)).call(goTo, href);
      return;
    }
    const target = { selector: `[${this.#mark}]` };
    await withElement(this.#page, target, (element) => element.click({ timeout: elementTimeout }));
    // A page that stays is searched again.
    await this.#page
      .locator(target.selector)
      .evaluateAll(
        (elements, mark) => elements.forEach((one) => one.removeAttribute(mark)),
        this.#mark,
      )
      .catch(() => undefined);
  }

  /** The text of the new page; the same text if nothing changed in time. */
  async #changed(before: { readonly url: string; readonly text: string }): Promise<string> {
    const until = Date.now() + limits.changeTime;
    for (;;) {
      await this.#context.settle();
      const text = await this.#text();
      const isChanged =
        text !== before.text || withoutFragment(this.#page.url()) !== withoutFragment(before.url);
      if (isChanged || Date.now() > until) {
        await this.#context.settle();
        return isChanged ? this.#text() : text;
      }
      await sleep(limits.pollInterval, undefined, { signal: this.#context.signal });
    }
  }

  async #text(): Promise<string> {
    for (let left = 20; ; left -= 1) {
      try {
        return String(await (await pageWorld(this.#page)).call(visibleText, limits.characters));
      } catch (error) {
        this.#context.signal.throwIfAborted();
        // The next document is on its way.
        if (left === 0) throw error;
        await sleep(limits.pollInterval, undefined, { signal: this.#context.signal });
      }
    }
  }
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? '';
}

function hostOf(url: string): string | undefined {
  return canParseUrl(url) ? new URL(url).host : undefined;
}
