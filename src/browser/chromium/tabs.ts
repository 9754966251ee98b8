/** The pool of tabs of one browser: limits how many are open, and reuses tabs that were reset. */
import { isDeepStrictEqual } from 'node:util';
import type { PageRequest } from '../../core/model/request.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import { resetTab, Tab, type TabParts, type TabSetting } from './tab.ts';

const maxVisits = 50; // per tab: memory that a renderer does not free adds up
const patience = 5_000; // milliseconds for closing a tab; a slower one keeps the whole browser busy

/** Hands out tabs, first come, first served. */
export class Tabs {
  readonly #parts: TabParts;
  readonly #most: number;
  /** Reset and ready, the last used first. */
  readonly #ready: Tab[] = [];
  /** Tabs that are being reset. */
  readonly #returning = new Map<Tab, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  /** All open tabs, in use or not. */
  readonly #open = new Set<Tab>();
  /** Tabs of sessions, outside of the limit: a visit never waits for a session to end. */
  readonly #ofSessions = new Set<Tab>();
  #used = 0;
  /** Controllers of visits that wait for a tab. */
  readonly #takes = new Set<AbortController>();
  readonly #onStuck: () => void;
  #isClosed = false;

  /** `onStuck` is called when a tab cannot be closed in time. */
  constructor(parts: TabParts, most: number, onStuck: () => void) {
    this.#parts = parts;
    this.#most = most;
    this.#onStuck = onStuck;
  }

  /**
   * A tab of this setting that is not in use and holds nothing of earlier visits. Waits while too
   * many are open, outside the time of the visit; rejects with the signal's reason when it aborts.
   */
  async take(setting: TabSetting, request: Pick<PageRequest, 'signal' | 'pause'>): Promise<Tab> {
    const { pause } = request;
    const controller = new AbortController();
    const signal = AbortSignal.any([request.signal, controller.signal]);
    this.#takes.add(controller);
    try {
      await this.#turn(signal, pause);
      try {
        const ready = await this.#takeReady(setting, signal, pause);
        if (ready !== undefined) return this.#handOver(ready, signal);
        return await withSignal(this.#openOne(setting, signal), signal);
      } catch (error) {
        this.#leave();
        throw error;
      }
    } finally {
      this.#takes.delete(controller);
    }
  }

  /** A new tab that stays open, outside of the limit, until `drop`. */
  async keep(setting: TabSetting, signal: AbortSignal): Promise<Tab> {
    const open = async (): Promise<Tab> => {
      const tab = await Tab.open(this.#parts, setting);
      this.#ofSessions.add(tab);
      return this.#handOver(tab, signal);
    };
    return withSignal(open(), signal);
  }

  /** Rejects all visits that wait for a tab. */
  refuse(reason: Error): void {
    for (const controller of this.#takes) controller.abort(reason);
  }

  /** Takes a tab back: it is reset for the next visit, or closed if a full reset is not certain. */
  giveBack(tab: Tab): void {
    tab.visits += 1;
    const returned = this.#return(tab).finally(() => this.#returning.delete(tab));
    this.#returning.set(tab, returned);
    this.#leave();
  }

  /** Closes all tabs, those in use too. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#ready.length = 0;
    await Promise.all([...this.#open, ...this.#ofSessions].map((tab) => this.drop(tab)));
  }

  async #return(tab: Tab): Promise<void> {
    const mayStay = !this.#isClosed && tab.visits < maxVisits;
    const isClean = mayStay && (await resetTab(tab).catch(() => false));
    if (isClean && !this.#isClosed) this.#ready.push(tab);
    else await this.drop(tab);
  }

  async #openOne(setting: TabSetting, signal: AbortSignal): Promise<Tab> {
    // A ready tab of another setting is closed first: the limit is on open tabs.
    const other = this.#used + this.#ready.length > this.#most ? this.#ready.shift() : undefined;
    if (other !== undefined) void this.drop(other);
    const tab = await Tab.open(this.#parts, setting);
    this.#open.add(tab);
    return this.#handOver(tab, signal);
  }

  #handOver(tab: Tab, signal: AbortSignal): Tab {
    if (signal.aborted || this.#isClosed) void this.drop(tab);
    else tab.reconnect();
    signal.throwIfAborted();
    return tab;
  }

  /** Closes a tab. */
  async drop(tab: Tab): Promise<void> {
    const timer = setTimeout(this.#onStuck, patience);
    await tab.close();
    clearTimeout(timer);
    this.#open.delete(tab);
    this.#ofSessions.delete(tab);
  }

  /** A tab that is being reset is ready sooner than a new one. */
  async #takeReady(
    setting: TabSetting,
    signal: AbortSignal,
    pause: PageRequest['pause'],
  ): Promise<Tab | undefined> {
    const fits = (tab: Tab): boolean => tab.mayStay() && isDeepStrictEqual(tab.setting, setting);
    const find = (): Tab | undefined => {
      const at = this.#ready.findLastIndex(fits);
      return at < 0 ? undefined : this.#ready.splice(at, 1)[0];
    };
    const [wiping, returned] = [...this.#returning].find(([tab]) => fits(tab)) ?? [];
    const ready = find();
    if (ready !== undefined || returned === undefined) return ready;
    // For page after page, one tab is reset while another one works.
    if (wiping !== undefined && wiping.visits > 2 && this.#open.size < this.#most) return undefined;
    const goOn = pause?.();
    await withSignal(returned, signal).finally(goOn);
    return find();
  }

  async #turn(signal: AbortSignal, pause: PageRequest['pause']): Promise<void> {
    signal.throwIfAborted();
    if (this.#used < this.#most) {
      this.#used += 1;
      return;
    }
    const goOn = pause?.();
    try {
      await new Promise<void>((resolve, reject) => {
        const next = (): void => {
          signal.removeEventListener('abort', abort);
          resolve();
        };
        const abort = (): void => {
          this.#waiting.splice(this.#waiting.indexOf(next), 1);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', abort, { once: true });
        this.#waiting.push(next);
      });
    } finally {
      goOn?.();
    }
  }

  /** Passes the slot to the visit that has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#used -= 1;
    else next();
  }
}
