/**
 * Splits XML into tags and texts, piece by piece: the one tokenizer for sitemaps, feeds, drawings and
 * office documents. A syntax error costs its own place, not the rest.
 */

/** Receives tags and texts in the order of the file. An exception ends the reading. */
export interface XmlEvents {
  /** A start tag. `attributes` is the text after its name, as written; `isEmpty` for `<link/>`. */
  open(name: string, attributes: string, isEmpty: boolean): void;
  close(name: string): void;
  /** A part of a text, or a CDATA section. */
  text(text: string): void;
  /** A syntax error; `at` counts the characters before it. */
  broken?(what: string, at: number): void;
  /** The text of an entity beside the five of XML; without it, or for undefined, it stays as written. */
  entity?(name: string): string | undefined;
}

const limits = {
  longestPreamble: 65_536, // characters before the XML: a few messages of the server's program
  run: 2_000_000, // characters of one unfinished tag or section; a longer one is a syntax error
  longestEntity: 16, // characters: `&#x10ffff;`, and room for zeros
};

/** Position of the declaration or root of a sitemap or feed, after warnings that programs may print; -1 without one. */
export function sitemapStart(text: string): number {
  return text.slice(0, limits.longestPreamble).search(knownStart);
}

const knownStart = /<\?xml\s|<(?:[\w-]{1,20}:)?(?:urlset|sitemapindex|rss|rdf|feed)[\s>]/i;

/** Sections that are not markup, each with a mark that cannot occur inside: where it does, the end is missing. */
const sections = [
  { name: 'a comment', start: '<!--', end: '-->', cannotHold: '<!--' },
  { name: 'a CDATA section', start: '<![CDATA[', end: ']]>', cannotHold: '<![CDATA[' },
  { name: 'a processing instruction', start: '<?', end: '?>', cannotHold: '<' },
] as const;
/** The characters that identify each kind of markup. */
const longestStart = '<![CDATA['.length;

type Section = (typeof sections)[number];

/** A start or end tag, as opposed to a stray `<`. */
const tagStart = /<(?:\/\s*)?[\p{L}_:]/uy;

/**
 * Reads text in pieces; takes time in proportion to its length. Decodes only the five entities of
 * XML and fetches nothing: a document type is skipped.
 */
export class XmlScanner {
  readonly #events: XmlEvents;
  /** Unread text, and the number of characters before it. */
  #rest = '';
  #before = 0;
  /** Last position of each mark, and how far it was searched; both from the first character. */
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
    if (this.#rest.length - at < longestStart && !isEnd) return undefined;
    tagStart.lastIndex = at;
    if (tagStart.test(this.#rest)) return this.#tag(at, isEnd);
    const head = this.#rest.slice(at, at + longestStart);
    const section = sections.find(({ start }) => head.startsWith(start));
    if (section !== undefined) return this.#section(section, at, isEnd);
    if (/^<!doctype/i.test(head)) return this.#documentType(at, isEnd);
    if (head.startsWith('<!')) return this.#tag(at, isEnd);
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
    const region = this.#rest.slice(at + 1, next < 0 ? undefined : next);
    let end = tagEnd(region);
    if (end < 0) {
      if (next < 0 && this.#mayEnd(at, isEnd)) return undefined;
      this.#broken('a tag that does not end', at);
      // Perhaps only a quotation mark is missing.
      end = region.indexOf('>');
      if (end < 0) return at + 1 + region.length;
    }
    const tag = region.slice(0, end);
    this.#checkCharacters(tag, at);
    const nameEnd = tag.search(/(?<!^)[\s/]/);
    const name = nameEnd < 0 ? tag : tag.slice(0, nameEnd);
    if (name.startsWith('!')) this.#broken('a declaration outside of the document type', at);
    else if (name.startsWith('/')) this.#events.close(name.slice(1) || tag.slice(1).trim());
    else {
      const attributes = nameEnd < 0 ? '' : tag.slice(nameEnd);
      this.#events.open(name, attributes, attributes.endsWith('/'));
    }
    return at + end + 2;
  }

  #text(at: number, isEnd: boolean): number | undefined {
    const next = this.#find('<', at);
    let end = next < 0 ? this.#rest.length : next;
    if (next < 0 && !isEnd) {
      // The last entity may be cut.
      const last = this.#rest.lastIndexOf('&');
      if (last >= at && end - last < limits.longestEntity && !this.#rest.includes(';', last))
        end = last;
    }
    if (end === at) return undefined;
    let text = this.#rest.slice(at, end);
    if (text.includes('&')) {
      text = decodeXml(
        text,
        (name) => this.#events.entity?.(name),
        () => this.#broken('a bare & or an undefined entity', at),
      );
    }
    this.#checkCharacters(text, at);
    this.#events.text(text);
    return end;
  }

  #checkCharacters(text: string, at: number): void {
    if (this.#events.broken === undefined) return;
    if (/[\0-\x08\v\f\x0e-\x1f]/.test(text)) this.#broken('a control character', at);
  }

  /** True while the rest of the file may contain the end of this markup. */
  #mayEnd(at: number, isEnd: boolean): boolean {
    return !isEnd && this.#rest.length - at <= limits.run;
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
    this.#events.broken?.(what, this.#before + at);
  }
}

/** The `>` of a tag, outside quoted values; -1 without one. */
function tagEnd(tag: string): number {
  for (let at = 0; at < tag.length; at += 1) {
    const mark = tag[at];
    if (mark === '>') return at;
    if (mark !== '"' && mark !== "'") continue;
    at = tag.indexOf(mark, at + 1);
    if (at < 0) return -1;
  }
  return -1;
}

/** Passes on the attributes of a tag, given as in `XmlEvents.open`. Values may lack their quotes. */
export function readXmlAttributes(
  attributes: string,
  take: (name: string, value: string) => void,
): void {
  attribute.lastIndex = 0;
  for (let found = attribute.exec(attributes); found !== null; found = attribute.exec(attributes)) {
    const [, name = '', double, single, bare = ''] = found;
    const value = double ?? single ?? bare;
    take(name, value.includes('&') ? decodeXml(value) : value);
  }
}

const attribute = /([^\s=<>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/g;

/** The value of the first attribute with this name. */
export function xmlAttribute(attributes: string, name: string): string | undefined {
  let found: string | undefined;
  readXmlAttributes(attributes, (key, value) => {
    if (key === name) found ??= value;
  });
  return found;
}

/** Decodes entities and character numbers; anything else stays unchanged, and is reported. */
function decodeXml(
  text: string,
  entity: (name: string) => string | undefined = () => undefined,
  onBroken: () => void = () => undefined,
): string {
  return text.replace(
    /&(?:#x([\da-f]{1,8});|#(\d{1,8});|(\w{2,31});)?/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      const decoded =
        name === undefined
          ? character(hex === undefined ? Number(decimal ?? 0) : parseInt(hex, 16))
          : (entities.get(name.toLowerCase()) ?? entity(name));
      if (decoded === undefined) onBroken();
      return decoded ?? whole;
    },
  );
}

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function character(code: number): string | undefined {
  if (code >= 0x80 && code <= 0x9f) return windows1252[code - 0x80];
  const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

/** Numbers from 128 to 159 stand for characters of windows-1252, as in HTML. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
