/** scrollToEnd: collects every row of infinite and recycled lists. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';
import type { ScrollToEndOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import {
  type ListRow,
  listSample,
  type ListState,
  type ListView,
  putRows,
  readList,
  scrollList,
} from './in-page/scrolled-list.ts';
import { checkAnswer, type InPage, type IsolatedWorld } from './isolated-world.ts';
import { withList } from './scroll.ts';
import { stepTime } from './step-time.ts';

const bounds = {
  characters: 20_000_000, // of the rows' markup
  patience: 2500, // milliseconds for a step to come to rest
  shortPatience: 150, // milliseconds, on a page that never comes to rest
  restarts: 5, // when other rows turn out to be the list
  plainWait: 500, // milliseconds without a sign of more rows
  hopefulWait: 2500, // milliseconds if requests are open, a spinner is visible, or more rows came before
  pollInterval: 100, // milliseconds
  overlapReach: 1000, // rows before the end at which a step may begin
};

/** Rows collected at most. */
export const mostRows = 10_000;

export const scrollToEnd: ActionRun<ScrollToEndOptions> = async (
  page,
  { maxScrolls = 50, ...target },
  context,
  outcome,
) => {
  const until = Date.now() + stepTime(context);
  await withList(page, target, async (world, list) => {
    const walk = new ListWalk(page, world, list, context.signal);
    const reason = await walk.toEnd(maxScrolls, until).finally(() => walk.close());
    await walk.putBack();
    if (reason !== undefined) {
      outcome.warnings.push(
        `scrollToEnd stopped at ${reason} with ${walk.rows.length} rows; there may be more.`,
      );
    }
  });
};

/** Goes through a list and collects its rows. Has to be closed. */
export class ListWalk {
  readonly rows: RowSequence = new RowSequence();
  readonly #requests: OpenRequests;
  readonly #world: IsolatedWorld;
  readonly #list: InPage<ListState>;
  readonly #signal: AbortSignal;
  readonly #isUp: boolean;
  /** Consecutive readings in which the list did not come to rest. */
  #restless = 0;
  /** Consecutive steps without a change. */
  #quiet = 0;
  /** True when the known rows are the ones that come and go. */
  #knowsRows = false;
  #restarts = 0;

  /** `isUp` is true for a list that is scrolled from its end to its start. */
  constructor(
    page: Page,
    world: IsolatedWorld,
    list: InPage<ListState>,
    signal: AbortSignal,
    isUp: boolean = false,
  ) {
    this.#requests = new OpenRequests(page);
    this.#world = world;
    this.#list = list;
    this.#signal = signal;
    this.#isUp = isUp;
  }

  /** Returns, in words, the limit that stopped it before the end; `until` is in ms since the epoch. */
  async toEnd(maxScrolls: number, until: number): Promise<string | undefined> {
    let view = await this.#goTo(0);
    let scrolls = 0;
    for (;;) {
      this.#signal.throwIfAborted();
      if (this.rows.length >= mostRows) return `its limit of ${mostRows} rows`;
      if (view.characters > bounds.characters)
        return `its limit of ${bounds.characters} characters`;
      if (Date.now() > until) return 'its time limit';
      if (!isAtEnd(view)) {
        const next = await this.#step(view);
        // The list does not scroll, whatever its dimensions suggest.
        if (next === undefined) return undefined;
        view = next;
        continue;
      }
      if (scrolls++ >= maxScrolls) return `maxScrolls ${maxScrolls}`;
      const more = await this.#more(view, until, scrolls > 1);
      if (more === undefined) return undefined;
      view = more;
    }
  }

  /** Scrolls one step; undefined when that is not possible. */
  async #step(from: ListView): Promise<ListView | undefined> {
    const isFar = !this.#knowsRows && this.#quiet >= 2;
    const view = await this.#goTo(
      this.#knowsRows ? beforeLast(from) : from.top + from.visible * (isFar ? 2 : 0.8),
    );
    if (view.isNew && this.#restarts++ < bounds.restarts) {
      [this.#knowsRows, this.#quiet] = [false, 0];
      return this.#goTo(Math.max(view.start - view.visible, 0));
    }
    if (view.isOwnChange) this.#knowsRows = true;
    this.#quiet = view.hasChanged ? 0 : this.#quiet + 1;
    // The step was long, because the list had not changed; rows may have been skipped.
    if (isFar && view.hasChanged) return this.#goTo(from.top);
    return view.top <= from.top && !isAtEnd(view) ? undefined : view;
  }

  async #goTo(top: number): Promise<ListView> {
    await this.#world.call(scrollList, this.#list, top, 'pixels');
    return this.readAtRest();
  }

  /** Waits until the list is at rest, and adds its rows. */
  async readAtRest(): Promise<ListView> {
    const time = this.#restless > 2 ? bounds.shortPatience : bounds.patience;
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
    this.rows.add(this.#isUp ? view.rows.map(mirrored) : view.rows);
    return view;
  }

  /** Puts rows that left the DOM back into the page. */
  async putBack(): Promise<void> {
    const { ids } = this.rows;
    await this.#world.call(putRows, this.#list, this.#isUp ? ids.reverse() : ids);
  }

  async #read(time: number): Promise<ListView> {
    const answer = await this.#world.call(readList, this.#list, time, bounds.characters);
    return checkAnswer(answer, listSample, 'list');
  }

  /** Waits for requests that may bring rows. True when it waited. */
  async #awaitAnswers(time: number): Promise<boolean> {
    const until = Date.now() + time;
    if (this.#requests.count === 0) return false;
    while (this.#requests.count > 0) {
      if (Date.now() > until) {
        this.#requests.giveUp();
        break;
      }
      await sleep(20, undefined, { signal: this.#signal });
    }
    return true;
  }

  close(): void {
    this.#requests.close();
  }

  /**
   * Waits at the end while more may come: the list once it is longer; undefined when no rows came. `hasGrown`
   * is true when more rows came before.
   */
  async #more(end: ListView, until: number, hasGrown: boolean): Promise<ListView | undefined> {
    const from = Date.now();
    let hasNudged = false;
    let hasSign = hasGrown;
    for (;;) {
      const view = await this.readAtRest();
      if (view.height > end.height + 1) return view;
      hasSign ||= view.isBusy || view.hasChanged || this.#requests.count > 0;
      const now = Date.now();
      if (now - from >= (hasSign ? bounds.hopefulWait : bounds.plainWait) || now >= until)
        return undefined;
      if (!hasNudged && now - from >= bounds.plainWait / 2) {
        hasNudged = true;
        // Up a little and back, for lists that ignored scrolling while they were loading.
        await this.#world.call(scrollList, this.#list, end.top - end.visible / 4, 'pixels');
        await this.#world.call(scrollList, this.#list, end.height, 'pixels');
      }
      await sleep(bounds.pollInterval, undefined, { signal: this.#signal });
    }
  }
}

/** Turns a list around: a sequence only grows at its end. */
function mirrored(row: ListRow): ListRow {
  return { ...row, top: -row.top - row.height, left: -row.left };
}

function isAtEnd({ top, visible, height }: ListView): boolean {
  return top + visible >= height - 2;
}

/** The position that puts the last two rows first; at least half a screen on, at most two. */
function beforeLast({ top, visible, rows }: ListView): number {
  const end = Math.max(...rows.map((row) => row.top + row.height));
  const tallest = Math.max(...rows.map(({ height }) => height));
  return Math.min(Math.max(end - 2 * tallest, top + visible / 2), top + 2 * visible);
}

// Counts a page's script requests in flight.

/** Counts requests that begin after construction. Has to be closed. */
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

  /** Stops counting the requests that are open now: they may stay open for ever. */
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

// Merges the rows of a list that is seen part by part into one sequence, each once.

/**
 * Each reading is a part of the list that overlaps the earlier rows. Content and position together determine
 * where it belongs: positions distinguish rows of the same content, and content identifies rows whose
 * positions moved (because their heights were estimated before).
 */
export class RowSequence {
  readonly #rows: ListRow[] = [];

  get length(): number {
    return this.#rows.length;
  }

  /** The numbers of the rows in their latest form. */
  get ids(): number[] {
    return this.#rows.map(({ id }) => id);
  }

  clear(): void {
    this.#rows.length = 0;
  }

  /** Adds the rows of one reading; known rows take their new form. */
  add(visible: readonly ListRow[]): void {
    const known = new Set(this.#rows.slice(-bounds.overlapReach).map(({ key }) => key));
    const rows = visible
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
    for (const { key } of [...this.#rows.slice(-bounds.overlapReach), ...rows]) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    let best = length;
    let most = -Infinity;
    // From the end: of two equal fits, the one that adds more rows wins.
    for (let start = length; start >= Math.max(0, length - bounds.overlapReach); start--) {
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
        // A new row is after the known rows, or beside the last one.
        const inside =
          last !== undefined && row.top === last.top && row.left > last.left ? 0 : end - row.top;
        score -= Math.min(Math.max(inside / row.height, 0), 1);
        continue;
      }
      const isUnique = (counts.get(row.key) ?? 0) <= 2;
      const isSame = before.key === row.key;
      // Other content at the same position is a row that has loaded since.
      score += isSame ? (isUnique ? 2 : 1) : -0.5;
      const distance = Math.abs(before.left - row.left) + Math.abs(before.top - row.top);
      score -= Math.min(distance / row.height, 1);
    }
    return score;
  }
}
