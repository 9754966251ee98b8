/** One request's turn at a host, from the moment it may start to its end. */
import type { Turn } from '../model/pace.ts';
import type { Host, Line } from './host.ts';

/** What a turn belongs to. */
export interface TurnSetting {
  readonly host: Host;
  readonly line: Line;
  readonly delay: number;
  /** False for one whose request is sent at once. */
  readonly isAhead: boolean;
  readonly isFile: boolean;
  readonly now: () => number;
  /** Others may have their turns at the host now. */
  readonly onChange: () => void;
  /** Others may have their turns at any host now. */
  readonly onEnd: () => void;
}

/** Begins when it is made. */
export class HostTurn implements Turn {
  readonly #setting: TurnSetting;
  #sentAt: number;
  #state: 'waiting' | 'sent' | 'over';

  get host(): Host {
    return this.#setting.host;
  }

  constructor(setting: TurnSetting) {
    this.#setting = setting;
    const { host, line, delay, isAhead } = setting;
    this.#state = isAhead ? 'waiting' : 'sent';
    this.#sentAt = setting.now();
    host.count(line, 1);
    if (isAhead) host.unsent += 1;
    else host.started(this.#sentAt, delay);
  }

  start(): void {
    if (this.#state !== 'waiting') return;
    const { host, delay, now, onChange } = this.#setting;
    this.#state = 'sent';
    this.#sentAt = now();
    host.started(this.#sentAt, delay);
    host.unsent -= 1;
    onChange();
  }

  succeeded(): void {
    if (this.#state !== 'sent') return;
    const { host, isFile, now } = this.#setting;
    host.succeeded();
    if (!isFile) host.load.answered(host.inFlight, this.#sentAt, now());
    this[Symbol.dispose]();
  }

  failed(pause = 0): void {
    if (this.#state !== 'sent') return;
    const { host, now } = this.#setting;
    host.failed(now(), this.#sentAt, pause);
    host.load.overloaded(host.inFlight, this.#sentAt, now());
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#state === 'over') return;
    const { host, line, onEnd } = this.#setting;
    if (this.#state === 'waiting') host.unsent -= 1;
    this.#state = 'over';
    host.count(line, -1);
    onEnd();
  }
}
