/** Sessions of the stealth engine: an identity per visitor, and briefly idle connections. */
import { addIdle, removeIdle } from '../../../runtime/file-descriptors.ts';

/** One visitor. */
export interface StealthSession<Identity> {
  /** Different for each visitor. */
  readonly key: string;
  readonly identity: Identity;
}

/** Assigns each visitor an identity for the lifetime of the visitor object. */
export class StealthSessions<Identity> {
  readonly #draw: () => Identity;
  readonly #known = new WeakMap<object, StealthSession<Identity>>();
  #count = 0;

  constructor(draw: () => Identity) {
    this.#draw = draw;
  }

  of(visitor: object = {}): StealthSession<Identity> {
    const known = this.#known.get(visitor) ?? {
      key: String(this.#count++),
      identity: this.#draw(),
    };
    this.#known.set(visitor, known);
    return known;
  }
}

// Pools idle connections for reuse, for a short time.

/** A resource that holds sockets. */
export interface IdleSessions {
  /** False if it broke while idle. */
  readonly isOpen: boolean;
  /** File descriptors that it holds. @default 1 */
  readonly descriptors?: number;
  destroy(): void;
}

/** Idle connections by key; the most recently used one is taken first. */
export class IdlePool<T extends IdleSessions> {
  readonly #idle = new Map<T, { readonly key: string; readonly timer: NodeJS.Timeout }>();

  /** Removes and returns a suitable idle one with this key. */
  take(key: string, suits: (item: T) => boolean = () => true): T | undefined {
    for (const [item, entry] of [...this.#idle].reverse()) {
      if (entry.key !== key || !suits(item)) continue;
      this.#drop(item);
      if (item.isOpen) return item;
      item.destroy();
    }
    return undefined;
  }

  /** Pools it until it is taken, or destroys it after the idle timeout. */
  keep(key: string, item: T): void {
    const timer = setTimeout(() => this.#discard(item), idleTimeout).unref();
    this.#idle.set(item, { key, timer });
    addIdle(item, () => this.#discard(item), item.descriptors);
  }

  /** Destroys all idle connections. */
  clear(): void {
    for (const item of [...this.#idle.keys()]) this.#discard(item);
  }

  #discard(item: T): void {
    this.#drop(item);
    item.destroy();
  }

  #drop(item: T): void {
    clearTimeout(this.#idle.get(item)?.timer);
    removeIdle(item);
    this.#idle.delete(item);
  }
}

const idleTimeout = 5_000; // milliseconds, about as long as servers hold connections
