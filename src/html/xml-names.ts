/** Names of XML with the prefixes that a reader knows for their namespaces. */

/** Prefixes of known namespaces that one place may have; documents have a dozen. */
const mostPrefixes = 64;

/** What the prefixes stand for at one place of a document. */
export class XmlNames {
  readonly #known: ReadonlyMap<string, string>;
  /** Prefixes as written to those that the reader knows. */
  readonly #prefixes: ReadonlyMap<string, string>;
  /** Names as written, each looked up once. */
  readonly #names = new Map<string, string>();

  constructor(known: ReadonlyMap<string, string>, prefixes: ReadonlyMap<string, string>) {
    this.#known = known;
    this.#prefixes = prefixes;
  }

  /** What holds in an element with these attributes: names and values in turn. */
  declaring(attributes: readonly string[]): XmlNames {
    if (this.#known.size === 0) return this;
    let prefixes: Map<string, string> | undefined;
    for (let at = 0; at < attributes.length; at += 2) {
      const name = attributes[at] ?? '';
      const isDeclaration = name === 'xmlns' || name.startsWith('xmlns:');
      if (!isDeclaration) continue;
      const prefix = name.slice('xmlns:'.length);
      const own = this.#known.get(attributes[at + 1] ?? '');
      if ((prefixes ?? this.#prefixes).get(prefix) === own) continue;
      prefixes ??= new Map(this.#prefixes);
      if (own === undefined) prefixes.delete(prefix);
      else if (prefixes.size < mostPrefixes) prefixes.set(prefix, own);
    }
    return prefixes === undefined ? this : new XmlNames(this.#known, prefixes);
  }

  /** The name with the prefix that the reader knows, or as it is written. */
  known(name: string): string {
    if (this.#prefixes.size === 0) return name;
    const found = this.#names.get(name);
    if (found !== undefined) return found;
    const colon = name.indexOf(':');
    const prefix = this.#prefixes.get(colon < 0 ? '' : name.slice(0, colon));
    const known = prefix === undefined ? name : `${prefix}:${name.slice(colon + 1)}`;
    // A document has a few hundred names; one that makes them up is not waited for.
    if (this.#names.size < 2_000) this.#names.set(name, known);
    return known;
  }
}

/** Where nothing is declared. */
export function unscoped(known: ReadonlyMap<string, string> = new Map()): XmlNames {
  return new XmlNames(known, new Map());
}
