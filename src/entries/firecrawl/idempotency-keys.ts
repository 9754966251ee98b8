/** Keys of jobs that were started: a second job with the same key is refused. */
import { SdkError } from './sdk-error.ts';

/** Keys that are remembered. */
const mostKeys = 10_000;

/** The keys of one client. */
export class IdempotencyKeys {
  /** The oldest first. */
  readonly #keys = new Set<string>();

  /** Starts the job; the key counts once it has started. Throws `SdkError`, status 409, for a known key. */
  once<T>(key: string | undefined, start: () => T): T {
    if (key === undefined) return start();
    if (this.#keys.has(key)) {
      throw new SdkError('A job was started with this idempotency key before.', 409, 'CONFLICT');
    }
    const started = start();
    this.#keys.add(key);
    const [oldest = ''] = this.#keys;
    if (this.#keys.size > mostKeys) this.#keys.delete(oldest);
    return started;
  }
}
