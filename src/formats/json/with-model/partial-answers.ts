/** The texts of answers while a model writes them, told from time to time. */

/** Text is told again when it has grown by so much: what is read again and again stays little. */
const leastGrowth = 64;
const growth = 1.1;

/** Collects the texts of the parts of a page. */
export class PartialAnswers {
  readonly #texts: string[];
  readonly #tell: (texts: readonly string[]) => Promise<void>;
  #told = 0;
  #length = 0;
  #failure: { readonly error: unknown } | undefined;
  readonly #hearing = new Set<Promise<void>>();

  constructor(parts: number, tell: (texts: readonly string[]) => Promise<void>) {
    this.#texts = Array.from({ length: parts }, () => '');
    this.#tell = tell;
  }

  /** Takes what comes of the answer about one part. Never throws: a model's stream is not the place to. */
  listener(part: number): (text: string) => void {
    return (text) => {
      if (this.#failure !== undefined || typeof text !== 'string') return;
      this.#texts[part] += text;
      this.#length += text.length;
      const isDue = this.#length >= Math.max(this.#told + leastGrowth, this.#told * growth);
      if (isDue || this.#told === 0) this.#tellNow();
    };
  }

  /** Resolves when all that was told is heard; rejects with what hearing it threw. */
  async heard(): Promise<void> {
    await Promise.all(this.#hearing);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #tellNow(): void {
    this.#told = this.#length;
    this.#hear(this.#tell(this.#texts.filter((text) => text !== '')));
  }

  /** Until it is awaited a rejection must not count as unhandled. */
  #hear(told: Promise<void>): void {
    const hearing = told
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .then(() => void this.#hearing.delete(hearing));
    this.#hearing.add(hearing);
  }
}
