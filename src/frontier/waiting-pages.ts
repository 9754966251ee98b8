/** Pages that may yet join a crawl: others of their series have to prove good first. */
import type { Refusal } from './admission.ts';

interface WaitingPage<Page> {
  readonly page: Page;
  /** What becomes of it when nobody does. */
  readonly refusal: Refusal;
}

/** Pages by series, in their order. */
export class WaitingPages<Page> {
  readonly #bySeries = new Map<string, WaitingPage<Page>[]>();

  add(series: string, page: Page, { reason, rule }: Refusal): void {
    const waiting = this.#bySeries.get(series) ?? [];
    this.#bySeries.set(series, waiting);
    waiting.push({ page, refusal: { reason, rule } });
  }

  /** Takes out the first pages of a series, as long as one more may join. */
  release(series: string, mayJoin: () => boolean): Page[] {
    const waiting = this.#bySeries.get(series) ?? [];
    let count = 0;
    while (count < waiting.length && mayJoin()) count += 1;
    const released = waiting.splice(0, count).map(({ page }) => page);
    if (waiting.length === 0) this.#bySeries.delete(series);
    return released;
  }

  /** Takes out all that are left. */
  takeAll(): WaitingPage<Page>[] {
    const all = [...this.#bySeries.values()].flat();
    this.#bySeries.clear();
    return all;
  }
}
