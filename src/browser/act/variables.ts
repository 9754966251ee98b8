/** Values that only the page receives: filled in last, and masked in everything read from it. */

const shortest = 3; // shorter values, parts of other words, are masked only as a whole text

/** The variables of one act. */
export class Variables {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: Readonly<Record<string, string>> = {}) {
    const given = Object.entries(values).filter(([, value]) => value !== '');
    // Longest first: replacing a part of another value would expose the rest.
    this.#values = new Map(given.sort(([, one], [, other]) => other.length - one.length));
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** True if a text contains the name of a variable. */
  areIn(text: string): boolean {
    return this.fill(text) !== text;
  }

  /** Replaces `%name%` by the values. */
  fill(text: string): string {
    return text.replace(
      /%([\w-]{1,100})%/g,
      (whole, name: string) => this.#values.get(name) ?? whole,
    );
  }

  /** Replaces the values by `%name%` in all texts of plain data. */
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
      if (masked === value) return mark;
      if (value.length < shortest) continue;
      for (const form of formsOf(value)) {
        masked = masked.replaceAll(form, mark);
        // Views truncate long texts: the beginning of a value at the end is masked too.
        const cut = masked.lastIndexOf(form.slice(0, leastOfCut));
        if (form.length > leastOfCut && cut >= 0 && form.startsWith(masked.slice(cut)))
          masked = masked.slice(0, cut) + mark;
      }
    }
    return masked;
  }
}

const leastOfCut = 20; // shorter beginnings are no sign of a value

/** A value as written in texts, URLs and URL-encoded forms. */
function formsOf(value: string): ReadonlySet<string> {
  const plain = value.replace(/\s+/g, ' ').trim();
  // Half a surrogate pair cannot be encoded.
  const whole = value.replace(/\p{Surrogate}/gu, '\ufffd');
  const encoded = encodeURIComponent(whole);
  const sent = new URLSearchParams([['', value]]).toString().slice(1);
  return new Set([value, plain, encoded, encodeURI(whole), sent]);
}
