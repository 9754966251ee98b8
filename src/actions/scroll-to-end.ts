/** scrollToEnd: every row of infinite and recycled lists. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';
import {
  type ListState,
  type ListView,
  openList,
  putRows,
  readList,
  scrollList,
} from './in-page/scrolled-list.ts';
import { checkAnswer, type InPage, type IsolatedWorld, pageWorld } from './isolated-world.ts';
import { elementTimeout, selector as selectorSchema, withElement } from './target.ts';

/** Options of scrollToEnd. */
export interface ScrollToEndOptions {
  /** 1 to 1000: how often it waits for more at the end of what is there. @default 50 */
  readonly maxScrolls?: number | undefined;
  /**
   * The element to scroll: this, or a scrollable one inside or around it. @default the window, or
   * the largest that scrolls
   */
  readonly selector?: string | undefined;
}

/** Rows that are put together. */
const mostRows = 10_000;

/** Characters of their markup. */
const mostCharacters = 20_000_000;

/** Milliseconds in all, where it is not known how much time the call has. */
const usualTime = 20_000;

const longestTime = 300_000;

/** Milliseconds for a step to come to rest; less on a page that never does. */
const patience = 2500;

const shortPatience = 150;

/** How often other rows may turn out to be the list. */
const mostRestarts = 5;

/**
 * Scrolls from the start to the end; where more comes at the end, on and on. Rows that leave the DOM
 * meanwhile, as recycled and virtual lists have it, are put back in order, each once, as copies
 * without behaviour. It ends with a warning and with what is there at `maxScrolls`, at 10,000 rows,
 * at 20,000,000 characters of them, and when the time is nearly over.
 */
export const scrollToEnd: BuiltInAction<'scrollToEnd', ScrollToEndOptions> = {
  type: 'scrollToEnd',
  options: z.strictObject({
    maxScrolls: z.int().min(1).max(1000).optional(),
    selector: selectorSchema.optional(),
  }),
  async run(page, { maxScrolls = 50, selector }, { signal, timeLeft }, outcome) {
    if (selector !== undefined) {
      await withElement(
        page,
        selector,
        (element) => element.waitFor({ state: 'attached', timeout: elementTimeout }),
        { visible: false },
      );
    }
    const time = Math.min(timeLeft === undefined ? usualTime : timeLeft() * 0.7, longestTime);
    const world = await pageWorld(page);
    const list = await world.keep(openList, selector ?? null);
    if (list === undefined) throw new Error(`${JSON.stringify(selector)} went away`);
    const walk = new ListWalk(page, world, list, { maxScrolls, until: Date.now() + time, signal });
    const reason = await walk.toEnd().finally(() => walk.close());
    await world.call(putRows, list, walk.rows.ids);
    if (reason !== undefined) {
      outcome.warnings.push(
        `scrollToEnd stopped at ${reason} with ${walk.rows.length} rows; there may be more.`,
      );
    }
  },
};

interface ListWalkLimits {
  readonly maxScrolls: number;
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly signal: AbortSignal;
}

class ListWalk {
  readonly rows: RowSequence = new RowSequence();
  readonly #requests: OpenRequests;
  readonly #world: IsolatedWorld;
  readonly #list: InPage<ListState>;
  readonly #limits: ListWalkLimits;
  /** Looks in a row that did not come to rest. */
  #restless = 0;
  /** Steps in a row in which nothing changed. */
  #quiet = 0;
  /** The rows that are told are those that come and go. */
  #knowsRows = false;
  #restarts = 0;

  constructor(page: Page, world: IsolatedWorld, list: InPage<ListState>, limits: ListWalkLimits) {
    this.#requests = new OpenRequests(page);
    this.#world = world;
    this.#list = list;
    this.#limits = limits;
  }

  /** Gives what ended it before the end, in words. */
  async toEnd(): Promise<string | undefined> {
    const { maxScrolls, until, signal } = this.#limits;
    let view = await this.#goTo(0);
    let scrolls = 0;
    for (;;) {
      signal.throwIfAborted();
      if (this.rows.length >= mostRows) return `its limit of ${mostRows} rows`;
      if (view.characters > mostCharacters) return `its limit of ${mostCharacters} characters`;
      if (Date.now() > until) return 'its time limit';
      if (!isAtEnd(view)) {
        const next = await this.#step(view);
        // It does not scroll, whatever its measures say.
        if (next === undefined) return undefined;
        view = next;
        continue;
      }
      if (scrolls++ >= maxScrolls) return `maxScrolls ${maxScrolls}`;
      const more = await this.#more(view, scrolls > 1);
      if (more === undefined) return undefined;
      view = more;
    }
  }

  /** One step on; undefined when that is not possible. */
  async #step(from: ListView): Promise<ListView | undefined> {
    const isFar = !this.#knowsRows && this.#quiet >= 2;
    const view = await this.#goTo(
      this.#knowsRows ? beforeLast(from) : from.top + from.visible * (isFar ? 2 : 0.8),
    );
    if (view.isNew && this.#restarts++ < mostRestarts) {
      [this.#knowsRows, this.#quiet] = [false, 0];
      return this.#goTo(Math.max(view.start - view.visible, 0));
    }
    if (view.isOwnChange) this.#knowsRows = true;
    this.#quiet = view.hasChanged ? 0 : this.#quiet + 1;
    // What never changed was passed fast; rows may have gone by.
    if (isFar && view.hasChanged) return this.#goTo(from.top);
    return view.top <= from.top && !isAtEnd(view) ? undefined : view;
  }

  async #goTo(top: number): Promise<ListView> {
    await this.#world.call(scrollList, this.#list, top, 'pixels');
    return this.#look();
  }

  async #look(): Promise<ListView> {
    const time = this.#restless > 2 ? shortPatience : patience;
    let view = await this.#read(time);
    if (await this.#awaitAnswers(time)) {
      const { isNew, hasChanged, isOwnChange } = view;
      view = await this.#read(time);
      view = {
        ...view,
        isNew: view.isNew || isNew,
        hasChanged: view.hasChanged || hasChanged,
        isOwnChange: view.isOwnChange || isOwnChange,
      };
    }
    this.#restless = view.isRestless ? this.#restless + 1 : 0;
    if (view.isNew) this.rows.clear();
    this.rows.add(view.rows);
    return view;
  }

  async #read(time: number): Promise<ListView> {
    const answer = await this.#world.call(readList, this.#list, time, mostCharacters);
    return checkAnswer(answer, viewSample, 'list');
  }

  /** Rows may be on their way. True when it waited. */
  async #awaitAnswers(time: number): Promise<boolean> {
    const until = Date.now() + time;
    if (this.#requests.count === 0) return false;
    while (this.#requests.count > 0) {
      if (Date.now() > until) {
        this.#requests.giveUp();
        break;
      }
      await sleep(20, undefined, { signal: this.#limits.signal });
    }
    return true;
  }

  close(): void {
    this.#requests.close();
  }

  /** The list with more rows, or undefined when no more come. */
  async #more(view: ListView, hasGrown: boolean): Promise<ListView | undefined> {
    const watch: MoreWatch = {
      requests: this.#requests,
      hasGrown,
      until: this.#limits.until,
      signal: this.#limits.signal,
      look: () => this.#look(),
      nudge: async () => {
        await this.#world.call(scrollList, this.#list, view.top - view.visible / 4, 'pixels');
        await this.#world.call(scrollList, this.#list, view.height, 'pixels');
      },
    };
    return awaitMore(view, watch);
  }
}

const viewSample: ListView = {
  top: 0,
  visible: 0,
  height: 0,
  start: 0,
  characters: 0,
  isRestless: false,
  isBusy: false,
  hasChanged: false,
  isOwnChange: false,
  isNew: false,
  rows: [{ id: 0, key: '', top: 0, left: 0, height: 0, isPinned: false }],
};

function isAtEnd({ top, visible, height }: ListView): boolean {
  return top + visible >= height - 2;
}

/** Where the last two rows that are there come first; at least half a screen on, at most two. */
function beforeLast({ top, visible, rows }: ListView): number {
  const end = Math.max(...rows.map((row) => row.top + row.height));
  const tallest = Math.max(...rows.map(({ height }) => height));
  return Math.min(Math.max(end - 2 * tallest, top + visible / 2), top + 2 * visible);
}

// Waits at the end of a list while more may come.

/** The list to watch, and the limits. */
interface MoreWatch {
  readonly requests: OpenRequests;
  /** More came before: it is a list that loads. */
  readonly hasGrown: boolean;
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly signal: AbortSignal;
  look(): Promise<ListView>;
  /** Scrolls up a little and back: lists that were loading did not listen. */
  nudge(): Promise<void>;
}

/** Milliseconds without a sign that more comes. */
const plainWait = 500;

/** Milliseconds when requests are open, something turns, or more came before. */
const hopefulWait = 2500;

const pollInterval = 100;

/** The list once it is longer; undefined when nothing came. */
async function awaitMore(end: ListView, watch: MoreWatch): Promise<ListView | undefined> {
  const from = Date.now();
  let hasNudged = false;
  let hasSign = watch.hasGrown;
  for (;;) {
    const view = await watch.look();
    if (view.height > end.height + 1) return view;
    hasSign ||= view.isBusy || view.hasChanged || watch.requests.count > 0;
    const now = Date.now();
    if (now - from >= (hasSign ? hopefulWait : plainWait) || now >= watch.until) return undefined;
    if (!hasNudged && now - from >= plainWait / 2) {
      hasNudged = true;
      await watch.nudge();
    }
    await sleep(pollInterval, undefined, { signal: watch.signal });
  }
}

// Counts requests of a page's scripts that are in flight.

/** Counts requests that begin after its construction. Close it. */
class OpenRequests {
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

// Puts the rows of a list that is seen part by part into one sequence, each once.

/** A row as one look at the list shows it. */
export interface ListRow {
  readonly id: number;
  /** The same for rows of the same content. */
  readonly key: string;
  /** Pixels from the start of the list. */
  readonly top: number;
  readonly left: number;
  readonly height: number;
  /** It sticks to an edge, wherever the list is scrolled to. */
  readonly isPinned: boolean;
}

/** How many rows before the end a look may begin. */
const overlapReach = 1000;

/**
 * Each look is a part of the list that overlaps what was seen before. Where it belongs is told by
 * content and place together: rows of the same content are told apart by their places, and rows
 * whose places moved (heights that were estimated before) by their content.
 */
export class RowSequence {
  readonly #rows: ListRow[] = [];

  get length(): number {
    return this.#rows.length;
  }

  /** The numbers of the rows, as they were seen last. */
  get ids(): number[] {
    return this.#rows.map(({ id }) => id);
  }

  clear(): void {
    this.#rows.length = 0;
  }

  /** Adds what one look shows; rows that were seen before take their new form. */
  add(look: readonly ListRow[]): void {
    const known = new Set(this.#rows.slice(-overlapReach).map(({ key }) => key));
    const rows = look
      .filter(({ isPinned, key }) => !isPinned || !known.has(key))
      .sort((one, other) => one.top - other.top || one.left - other.left);
    const start = this.#startOf(rows);
    rows.forEach((row, at) => {
      this.#rows[start + at] = row;
    });
  }

  /** The index in the sequence where these rows fit best. */
  #startOf(rows: readonly ListRow[]): number {
    const { length } = this.#rows;
    const counts = new Map<string, number>();
    for (const { key } of [...this.#rows.slice(-overlapReach), ...rows]) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    let best = length;
    let most = -Infinity;
    // From the end: of two that fit as well, the one that adds more rows.
    for (let start = length; start >= Math.max(0, length - overlapReach); start--) {
      const score = this.#fit(rows, start, counts);
      if (score > most) [best, most] = [start, score];
    }
    return best;
  }

  #fit(rows: readonly ListRow[], start: number, counts: ReadonlyMap<string, number>): number {
    const last = this.#rows.at(-1);
    const end = last === undefined ? -Infinity : last.top + last.height;
    let score = 0;
    for (const [at, row] of rows.entries()) {
      const before = this.#rows[start + at];
      if (before === undefined) {
        // A new row lies behind what was seen, or beside the last one.
        const inside =
          last !== undefined && row.top === last.top && row.left > last.left ? 0 : end - row.top;
        score -= Math.min(Math.max(inside / row.height, 0), 1);
        continue;
      }
      const isUnique = (counts.get(row.key) ?? 0) <= 2;
      const isSame = before.key === row.key;
      // Other content in the same place is a row that has loaded since.
      score += isSame ? (isUnique ? 2 : 1) : -0.5;
      const distance = Math.abs(before.left - row.left) + Math.abs(before.top - row.top);
      score -= Math.min(distance / row.height, 1);
    }
    return score;
  }
}
