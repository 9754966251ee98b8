/** Values that only the page gets: they are filled in last, and masked in all that is read from it. */

/** Shorter values are masked only where a whole text equals them: they are parts of other words. */
const shortest = 3;

/** The variables of one act. */
export class Variables {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: Readonly<Record<string, string>> = {}) {
    this.#values = new Map(Object.entries(values).filter(([, value]) => value !== ''));
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Puts the values in place of `%name%`. */
  fill(text: string): string {
    return text.replace(
      /%([\w-]{1,100})%/g,
      (whole, name: string) => this.#values.get(name) ?? whole,
    );
  }

  /** Puts `%name%` in place of the values, in all texts of plain data. */
  mask<T>(data: T): T {
    if (this.#values.size === 0) return data;
    return JSON.parse(JSON.stringify(data), (_, value: unknown) =>
      typeof value === 'string' ? this.maskText(value) : value,
    ) as T;
  }

  maskText(text: string): string {
    let masked = text;
    for (const [name, value] of this.#values) {
      const mark = `%${name}%`;
      // A view cuts long texts: the beginning of a value is masked too.
      if (masked === value || (text.length >= 20 && value.startsWith(text))) return mark;
      if (value.length < shortest) continue;
      for (const form of [value, encodeURIComponent(value), value.replace(/\s+/g, ' ').trim()]) {
        masked = masked.replaceAll(form, mark);
      }
    }
    return masked;
  }
}
