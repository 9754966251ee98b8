/** Values that only the page gets: they are filled in last, and masked in all that is read from it. */

const shortest = 3; // shorter values, parts of other words, are masked only as a whole text

/** The variables of one act. */
export class Variables {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: Readonly<Record<string, string>> = {}) {
    const given = Object.entries(values).filter(([, value]) => value !== '');
    // A value that is a part of another one would leave the rest of it.
    this.#values = new Map(given.sort(([, one], [, other]) => other.length - one.length));
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** True when a text has the name of a variable in it. */
  areIn(text: string): boolean {
    return this.fill(text) !== text;
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
      if (masked === value) return mark;
      if (value.length < shortest) continue;
      for (const form of formsOf(value)) {
        masked = masked.replaceAll(form, mark);
        // A view cuts long texts: the beginning of a value at the end is masked too.
        const cut = masked.lastIndexOf(form.slice(0, leastOfCut));
        if (form.length > leastOfCut && cut >= 0 && form.startsWith(masked.slice(cut)))
          masked = masked.slice(0, cut) + mark;
      }
    }
    return masked;
  }
}

const leastOfCut = 20; // shorter beginnings are no sign of a value

/** A value as texts, URLs and forms in URLs have it. */
function formsOf(value: string): ReadonlySet<string> {
  const plain = value.replace(/\s+/g, ' ').trim();
  // Half a surrogate pair cannot be encoded.
  const whole = value.replace(/\p{Surrogate}/gu, '\ufffd');
  const encoded = encodeURIComponent(whole);
  const sent = new URLSearchParams([['', value]]).toString().slice(1);
  return new Set([value, plain, encoded, encodeURI(whole), sent]);
}
