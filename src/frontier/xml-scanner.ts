/**
 * Splits XML into tags and texts, piece by piece. A syntax error costs its own place, not the rest.
 */

/** Receives tags and texts in the order of the file. An exception ends the reading. */
export interface XmlEvents {
  /** A start tag. `attributes` is the text after its name, as written; `isEmpty` for `<link/>`. */
  open(name: string, attributes: string, isEmpty: boolean): void;
  close(name: string): void;
  /** A part of a text, or a CDATA section. */
  text(text: string): void;
  /** A syntax error; `at` counts the characters before it. */
  broken(what: string, at: number): void;
}

/** The most characters of one tag or section held until it ends; a longer one is a syntax error. */
const runLimit = 2_000_000;

/**
 * Sections that are not markup, and the mark that cannot stand in them: there the end is missing.
 */
const sections = [
  { name: 'a comment', start: '<!--', end: '-->', cannotHold: '<!--' },
  { name: 'a CDATA section', start: '<![CDATA[', end: ']]>', cannotHold: '<![CDATA[' },
  { name: 'a processing instruction', start: '<?', end: '?>', cannotHold: '<' },
] as const;
/** The characters that identify each kind of markup. */
const longestStart = '<![CDATA['.length;

type Section = (typeof sections)[number];

/**
 * Reads text in pieces; takes time in proportion to its length. Decodes only the five entities of
 * XML and fetches nothing: a document type is skipped.
 */
export class XmlScanner {
  readonly #events: XmlEvents;
  /** The unread text, and the number of characters before it. */
  #rest = '';
  #before = 0;
  /**
   * The last position of each mark, and how far it was searched; both counted from the first
   * character.
   */
  readonly #found = new Map<string, { at: number; searched: number }>();

  constructor(events: XmlEvents) {
    this.#events = events;
  }

  write(text: string): void {
    this.#rest += text;
    this.#scan(false);
  }

  /** Reads the held-back text at the end of the file. */
  end(): void {
    this.#scan(true);
  }

  #scan(isEnd: boolean): void {
    let at = 0;
    while (at < this.#rest.length) {
      const next = this.#rest[at] === '<' ? this.#markup(at, isEnd) : this.#text(at, isEnd);
      if (next === undefined) break;
      at = next;
    }
    this.#rest = this.#rest.slice(at);
    this.#before += at;
  }

  /** Returns the end of the markup; undefined if more of the file is needed. */
  #markup(at: number, isEnd: boolean): number | undefined {
    const head = this.#rest.slice(at, at + longestStart);
    if (head.length < longestStart && !isEnd) return undefined;
    const section = sections.find(({ start }) => head.startsWith(start));
    if (section !== undefined) return this.#section(section, at, isEnd);
    if (/^<!doctype/i.test(head)) return this.#documentType(at, isEnd);
    if (/^<(?:[\p{L}_:]|\/\s*[\p{L}_:]|!)/u.test(head)) return this.#tag(at, isEnd);
    this.#broken('a stray <', at);
    this.#events.text('<');
    return at + 1;
  }

  #section(section: Section, at: number, isEnd: boolean): number | undefined {
    const { name, start, end, cannotHold } = section;
    const from = at + start.length;
    const to = this.#find(end, from);
    const foreign = this.#find(cannotHold, from);
    const isOpen = foreign >= 0 && (to < 0 || foreign < to);
    if (to >= 0 && !isOpen) {
      if (start === '<![CDATA[') this.#events.text(this.#rest.slice(from, to));
      return to + end.length;
    }
    if (!isOpen && this.#mayEnd(at, isEnd)) return undefined;
    // The skipped text is markup.
    this.#broken(`${name} that does not end`, at);
    return from;
  }

  #documentType(at: number, isEnd: boolean): number | undefined {
    const end = this.#find('>', at);
    const subset = this.#find('[', at);
    if (end >= 0 && (subset < 0 || subset > end)) return end + 1;
    const to = subset < 0 ? -1 : this.#find(']>', subset);
    // That would be the end of a CDATA section.
    const isOpen = to > 0 && this.#rest[to - 1] === ']';
    if (to >= 0 && !isOpen) return to + 2;
    if (!isOpen && this.#mayEnd(at, isEnd)) return undefined;
    this.#broken('a document type that does not end', at);
    return at + '<!'.length;
  }

  #tag(at: number, isEnd: boolean): number | undefined {
    // Neither a tag nor its values can contain `<`.
    const next = this.#find('<', at + 1);
    const region = this.#rest.slice(at, next < 0 ? undefined : next);
    let end = tagEnd(region);
    if (end < 0) {
      if (next < 0 && this.#mayEnd(at, isEnd)) return undefined;
      this.#broken('a tag that does not end', at);
      // Perhaps only a quotation mark is missing.
      end = region.indexOf('>');
      if (end < 0) return at + region.length;
    }
    this.#checkCharacters(region.slice(0, end), at);
    const [, slash = '', name = '', attributes = ''] =
      /^<(\/?)\s*([^\s/]*)(.*)$/s.exec(region.slice(0, end)) ?? [];
    if (name.startsWith('!')) this.#broken('a declaration outside of the document type', at);
    else if (slash !== '') this.#events.close(name);
    else this.#events.open(name, attributes, attributes.endsWith('/'));
    return at + end + 1;
  }

  #text(at: number, isEnd: boolean): number | undefined {
    const next = this.#find('<', at);
    let end = next < 0 ? this.#rest.length : next;
    if (next < 0 && !isEnd) {
      // The last entity may be cut.
      const last = this.#rest.lastIndexOf('&');
      if (last >= at && end - last < longestEntity && !this.#rest.includes(';', last)) end = last;
    }
    if (end === at) return undefined;
    const text = decodeXml(this.#rest.slice(at, end), () =>
      this.#broken('a bare & or an undefined entity', at),
    );
    this.#checkCharacters(text, at);
    this.#events.text(text);
    return end;
  }

  #checkCharacters(text: string, at: number): void {
    if (/[\0-\x08\v\f\x0e-\x1f]/.test(text)) this.#broken('a control character', at);
  }

  /** True while more of the file may bring the end of this markup. */
  #mayEnd(at: number, isEnd: boolean): boolean {
    return !isEnd && this.#rest.length - at <= runLimit;
  }

  /** The next position of a mark, -1 if not found yet. No part is searched twice for it. */
  #find(mark: string, from: number): number {
    const known = this.#found.get(mark) ?? { at: -1, searched: 0 };
    this.#found.set(mark, known);
    const start = this.#before + from;
    if (known.at < start) {
      const unsearched = Math.max(start, known.searched - mark.length + 1) - this.#before;
      const index = this.#rest.indexOf(mark, unsearched);
      known.at = index < 0 ? -1 : index + this.#before;
      known.searched = this.#before + (index < 0 ? this.#rest.length : index);
    }
    return known.at < 0 ? -1 : known.at - this.#before;
  }

  #broken(what: string, at: number): void {
    this.#events.broken(what, this.#before + at);
  }
}

/** `&#x10ffff;`, and room for zeros. */
const longestEntity = 16;

/** The `>` of a tag, outside quoted values; -1 without one. */
function tagEnd(tag: string): number {
  const marks = /["'>]/g;
  for (let found = marks.exec(tag); found !== null; found = marks.exec(tag)) {
    const [mark] = found;
    if (mark === '>') return found.index;
    const close = tag.indexOf(mark, marks.lastIndex);
    if (close < 0) return -1;
    marks.lastIndex = close + 1;
  }
  return -1;
}

/**
 * The value of an attribute in the `attributes` of `XmlEvents.open`; of duplicates the first
 * counts.
 */
export function xmlAttribute(attributes: string, name: string): string | undefined {
  for (const [, key, double, single = ''] of attributes.matchAll(
    /([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  )) {
    if (key === name) return decodeXml(double ?? single);
  }
  return undefined;
}

/** Decodes XML entities and character numbers; anything else stays unchanged, and is reported. */
function decodeXml(text: string, onBroken: () => void = () => undefined): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#x([\da-f]{1,8});|#(\d{1,8});|(amp|lt|gt|quot|apos);)?/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
      const code = hex === undefined ? Number(decimal ?? 0) : parseInt(hex, 16);
      if (code > 0 && code <= 0x10_ff_ff && (code < 0xd800 || code > 0xdfff)) {
        return String.fromCodePoint(code);
      }
      onBroken();
      return whole;
    },
  );
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
