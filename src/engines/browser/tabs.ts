/** The tabs of one browser: how many at once, and which of them are used again. */
import { isDeepStrictEqual } from 'node:util';
import { Tab, type TabParts } from './tab.ts';
import type { TabSetting } from './tab-setting.ts';
import { wipe } from './wipe.ts';

/** Visits after which a tab is replaced: what a renderer does not give back adds up. */
const maxVisits = 50;

/** Hands out tabs, in order of asking. */
export class Tabs {
  readonly #parts: TabParts;
  readonly #most: number;
  /** Wiped and ready, the last used first. */
  readonly #ready: Tab[] = [];
  /** Tabs that are being wiped. */
  readonly #returning = new Map<Tab, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #used = 0;
  #isClosed = false;

  constructor(parts: TabParts, most: number) {
    this.#parts = parts;
    this.#most = most;
  }

  /** Tabs in use and visits that wait for one. */
  get demand(): number {
    return this.#used + this.#waiting.length;
  }

  /**
   * A tab of this setting that nobody else uses and that holds nothing of earlier visits. Waits while
   * too many are open; rejects with the signal's reason when it aborts.
   */
  async take(setting: TabSetting, signal: AbortSignal): Promise<Tab> {
    await this.#turn(signal);
    try {
      const ready = await this.#takeReady(setting);
      if (ready !== undefined) return ready;
      // One that is ready for something else makes room: memory is for what is open.
      if (this.#used + this.#ready.length > this.#most) void this.#ready.shift()?.close();
      const tab = await Tab.open(this.#parts, setting);
      if (!signal.aborted) return tab;
      void tab.close();
      throw signal.reason;
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** Takes a tab back: it is wiped for the next visit, or closed where that cannot be done for sure. */
  giveBack(tab: Tab): void {
    tab.visits += 1;
    const returned = this.#return(tab).finally(() => this.#returning.delete(tab));
    this.#returning.set(tab, returned);
    this.#leave();
  }

  /** Closes the tabs that nobody uses. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#returning.values());
    await Promise.all(this.#ready.splice(0).map((tab) => tab.close()));
  }

  async #return(tab: Tab): Promise<void> {
    const isClean = tab.visits < maxVisits && (await wipe(tab).catch(() => false));
    if (isClean && !this.#isClosed) this.#ready.push(tab);
    else await tab.close();
  }

  /** One that is being wiped will be ready sooner than a new one. */
  async #takeReady(setting: TabSetting): Promise<Tab | undefined> {
    const fits = (tab: Tab): boolean => isDeepStrictEqual(tab.setting, setting);
    const find = (): Tab | undefined => {
      const at = this.#ready.findLastIndex(fits);
      return at < 0 ? undefined : this.#ready.splice(at, 1)[0];
    };
    const [, returned] = [...this.#returning].find(([tab]) => fits(tab)) ?? [];
    const ready = find();
    if (ready !== undefined || returned === undefined) return ready;
    await returned;
    return find();
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#used < this.#most) {
      this.#used += 1;
      return;
    }
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
  }

  /** The place goes to the one that has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#used -= 1;
    else next();
  }
}
