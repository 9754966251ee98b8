/** Reads incomplete JSON that is still being written. See docs/decisions/015-own-lenient-json.md. */

const maxDepth = 200; // deeper values are left out

/**
 * Reads the beginning of a JSON text. An unfinished string is returned as far as it goes; a number or
 * word that may continue is left out. Undefined where no value has begun. Reading stops at the first
 * syntax error. Linear in the length of the text.
 */
export function readPartialJson(text: string): unknown {
  const start = text.search(/[{["]/);
  if (start < 0) return undefined;
  return new PartialReader(text, start).value(0).value;
}

/** A value as far as it was read; `isWhole` is true when it is complete. */
interface PartialValue {
  readonly value: unknown;
  readonly isWhole: boolean;
}

const noValue: PartialValue = { value: undefined, isWhole: false };

class PartialReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  value(depth: number): PartialValue {
    const mark = this.#next();
    if (depth > maxDepth) return noValue;
    if (mark === '{') return this.#object(depth);
    if (mark === '[') return this.#list(depth);
    if (mark === '"') return this.#string();
    return this.#word();
  }

  #object(depth: number): PartialValue {
    const members = new Map<string, unknown>();
    const end = (isWhole: boolean): PartialValue => {
      members.delete('__proto__');
      return { value: Object.fromEntries(members), isWhole };
    };
    this.#at += 1;
    for (;;) {
      const mark = this.#next();
      if (mark === '}') return this.#closed(end(true));
      if (mark === ',') {
        this.#at += 1;
        continue;
      }
      if (mark !== '"') return end(false);
      const key = this.#string();
      if (!key.isWhole || this.#next() !== ':') return end(false);
      this.#at += 1;
      const member = this.value(depth + 1);
      if (member.value !== undefined) members.set(String(key.value), member.value);
      if (!member.isWhole) return end(false);
    }
  }

  #list(depth: number): PartialValue {
    const items: unknown[] = [];
    this.#at += 1;
    for (;;) {
      const mark = this.#next();
      if (mark === ']') return this.#closed({ value: items, isWhole: true });
      if (mark === ',') {
        this.#at += 1;
        continue;
      }
      const item = this.value(depth + 1);
      if (item.value !== undefined) items.push(item.value);
      if (!item.isWhole) return { value: items, isWhole: false };
    }
  }

  #string(): PartialValue {
    const start = this.#at;
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const mark = this.#text[at];
      if (mark === '\\') at += 1;
      else if (mark === '"') {
        this.#at = at + 1;
        const value = parsedOr(this.#text.slice(start, at + 1));
        return { value, isWhole: value !== undefined };
      }
    }
    this.#at = this.#text.length;
    // An incomplete escape is left out.
    const begun = this.#text.slice(start).replace(/\\(?:u[\da-f]{0,3})?$/i, '');
    return { value: parsedOr(`${begun}"`), isWhole: false };
  }

  #word(): PartialValue {
    const word = /[^\s,\]}[{":]*/y;
    word.lastIndex = this.#at;
    const found = word.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    if (found === '' || this.#at >= this.#text.length) return noValue;
    const value = parsedOr(found);
    return value === undefined ? noValue : { value, isWhole: true };
  }

  #closed(read: PartialValue): PartialValue {
    this.#at += 1;
    return read;
  }

  #next(): string | undefined {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
    return this.#text[this.#at];
  }
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
