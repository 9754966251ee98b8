/** Custom properties of CSS and `var()`, in bounded time. */
import type { Declaration } from './style-sheet.ts';

/** Characters of a value after its variables were put in; variables in variables. */
const longestValue = 4000;
const mostDepth = 12;
/** Elements around one another that may each have variables of their own. */
const mostAround = 200;

/** Characters that may be written for all variables of a page together. */
const mostWork = 5_000_000;

/** The variables that are known to an element: its own, and those of the elements around it. */
export class Variables {
  readonly #own: ReadonlyMap<string, string>;
  readonly #outer: Variables | undefined;
  readonly #depth: number;
  /** Of the whole page. */
  readonly #work: { left: number };

  constructor(own: ReadonlyMap<string, string> = new Map(), outer?: Variables) {
    this.#own = own;
    const isTooDeep = outer !== undefined && outer.#depth >= mostAround;
    this.#outer = isTooDeep ? undefined : outer;
    this.#depth = outer === undefined || isTooDeep ? 1 : outer.#depth + 1;
    this.#work = outer === undefined ? { left: mostWork } : outer.#work;
  }

  /** True when values were left out because they take too long. */
  get isCut(): boolean {
    return this.#work.left < 0;
  }

  /** These, and those that an element declares, the weakest first. */
  with(declarations: readonly Declaration[]): Variables {
    let own: Map<string, string> | undefined;
    for (const { property, value } of declarations) {
      if (property.startsWith('--')) (own ??= new Map()).set(property, value);
    }
    return own === undefined ? this : new Variables(own, this);
  }

  /** The value with all variables put in; undefined where one is missing, or the value gets too long. */
  resolve(value: string, asked: readonly string[] = []): string | undefined {
    let text = value;
    for (let at = text.indexOf('var('); at >= 0; at = text.indexOf('var(')) {
      this.#work.left -= text.length + 50;
      if (this.#work.left < 0 || text.length > longestValue) return undefined;
      const close = closingOf(text, at + 3);
      const inside = text.slice(at + 4, close);
      const comma = inside.indexOf(',');
      const name = (comma < 0 ? inside : inside.slice(0, comma)).trim();
      const put =
        this.#valueOf(name, asked) ??
        (comma < 0 ? undefined : this.resolve(inside.slice(comma + 1), [...asked, '']));
      if (put === undefined) return undefined;
      text = `${text.slice(0, at)}${put.trim()}${text.slice(close + 1)}`;
    }
    return text;
  }

  /** A variable that leads to itself has no value. */
  #valueOf(name: string, asked: readonly string[]): string | undefined {
    if (asked.includes(name) || asked.length > mostDepth) return undefined;
    this.#work.left -= 1;
    const own = this.#own.get(name);
    if (own === undefined || own === 'inherit' || own === 'unset') {
      const outer = this.#outer;
      return outer === undefined ? undefined : outer.#valueOf(name, asked);
    }
    return own === 'initial' ? undefined : this.resolve(own, [...asked, name]);
  }
}

function closingOf(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && --depth === 0) return at;
  }
  return text.length;
}
