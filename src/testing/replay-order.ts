/** Lets recorded exchanges end in the order in which they did, however fast the replay is. */
import type { RecordedExchange } from './recorded-exchange.ts';

/** Milliseconds of one look at what the process does, and how many idle ones in a row mean that nothing more comes. */
const look = 100;
const patience = 12;
/** Share of a core that a process may use that only waits. */
const idleShare = 0.05;

interface Event {
  readonly exchange: RecordedExchange;
  readonly at: number;
  readonly started: number;
  readonly ended: number;
}

/**
 * What a crawl learns from one page decides how it asks for the next: whether with a browser, for one.
 * So an exchange ends when those that ended before it have ended, and those that began meanwhile have
 * begun. A run that asks for fewer pages at a time would wait for ever: it is left to its own order
 * when it has been idle for a while.
 */
export class ReplayOrder {
  readonly #events: readonly Event[];
  #next = 0;
  /** When the last of those that were asked for began. */
  #latestStart = -1;
  readonly #asked = new Set<RecordedExchange>();
  readonly #waiting = new Map<RecordedExchange, () => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(exchanges: readonly RecordedExchange[]) {
    const events = exchanges.flatMap((exchange) => {
      const { started, ended } = exchange;
      if (started === undefined || ended === undefined) return [];
      const span = { exchange, started, ended };
      return [
        { ...span, at: started },
        { ...span, at: ended },
      ];
    });
    this.#events = events.sort((one, other) => one.at - other.at);
  }

  /** Resolves when the exchange may end. */
  async turn(exchange: RecordedExchange): Promise<void> {
    const { started = 0, ended = -1 } = exchange;
    if (ended < this.#now || this.#asked.has(exchange)) return;
    this.#asked.add(exchange);
    this.#latestStart = Math.max(this.#latestStart, started);
    const turn = new Promise<void>((resolve) => this.#waiting.set(exchange, resolve));
    this.#advance();
    await turn;
  }

  /** Everything before is over. */
  get #now(): number {
    return this.#events[this.#next]?.at ?? Infinity;
  }

  #advance(): void {
    clearInterval(this.#timer);
    for (let event = this.#events[this.#next]; event !== undefined;) {
      if (!this.#isMet(event)) break;
      if (event.at === event.ended) this.#release(event.exchange);
      this.#next += 1;
      event = this.#events[this.#next];
    }
    if (this.#waiting.size > 0) this.#watch();
  }

  /** It was asked for, or is left out: what began when it was over has been asked for. */
  #isMet({ exchange, ended }: Event): boolean {
    return this.#asked.has(exchange) || ended < this.#latestStart;
  }

  /** Pages may be read for longer than anyone would wait, on a busy machine: only idle time counts. */
  #watch(): void {
    let idle = 0;
    let before = process.cpuUsage();
    this.#timer = setInterval(() => {
      const { user, system } = process.cpuUsage(before);
      before = process.cpuUsage();
      idle = (user + system) / 1000 < look * idleShare ? idle + 1 : 0;
      if (idle >= patience) this.#giveUp();
    }, look);
  }

  #giveUp(): void {
    clearInterval(this.#timer);
    for (const { exchange, at, ended } of this.#events.slice(this.#next)) {
      if (at === ended) this.#release(exchange);
    }
    this.#next = this.#events.length;
  }

  #release(exchange: RecordedExchange): void {
    this.#waiting.get(exchange)?.();
    this.#waiting.delete(exchange);
  }
}
