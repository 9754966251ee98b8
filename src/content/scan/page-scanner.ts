/**
 * One pass over the source of a page, without a tree: each character is read a fixed number of
 * times.
 */
import { keyByWord } from '../../core/runtime/key-by-word.ts';
import { ElementRoles, readAttributes } from './element-roles.ts';
import {
  OpenRegions,
  type SourceOutline,
  type RegionContent,
  ScriptTally,
} from './source-outline.ts';
import {
  countLetters,
  decoded,
  endOfTag,
  isLetter,
  isNamePart,
  positionAfter,
} from './page-source.ts';

const limits = {
  longestTag: 2000, // characters of a tag that a regular expression reads
  longestName: 60, // characters of a tag name
  names: 20, // of one kind
};

/** Limits of a pass. */
export interface ScanOptions {
  /** Letters of content after which the pass ends. @default Infinity */
  readonly enough?: number;
  /** Characters of text to keep. @default 600 */
  readonly storedText?: number;
  /** Keep the text of links and buttons too. @default false */
  readonly keepsLinks?: boolean;
  /** The source is truncated: an element without an end tag may have one in the rest. @default false */
  readonly isCut?: boolean;
}

/** Reads the outline of a page. `source` has one character for each byte, or is text. */
export function outlineOf(source: string, options: ScanOptions = {}): SourceOutline {
  return new PageScanner(source, options).read();
}

/** The handling of an element by its name; most need none. */
const tagKinds = keyByWord({
  // Elements whose content is not markup, or is not displayed there.
  raw:
    'script style noscript template title textarea iframe svg math select datalist xmp noembed ' +
    'noframes',
  link: 'a button label summary',
  // Elements that hold text for readers; their attributes are read.
  container:
    'div section main article nav header footer aside dialog menu form span ul ol table tbody p ' +
    'body center',
  media: 'img video audio embed object canvas amp-img map',
  field: 'input',
  heading: 'h1',
  frameset: 'frameset',
});

/** The end tags of the elements of kind `raw`. */
const endTags: ReadonlyMap<string, RegExp> = new Map(
  [...tagKinds]
    .filter(([, tagKind]) => tagKind === 'raw')
    .map(([tag]) => [tag, new RegExp(`</${tag}(?=[\\s/>])`, 'gi')]),
);

/** Their end tags may be missing, or inside: without one the page goes on. */
const markupInside: ReadonlySet<string> = new Set('template svg math select datalist'.split(' '));

const [slash, bang, question] = [47, 33, 63];

class PageScanner {
  readonly #source: string;
  readonly #enough: number;
  readonly #storedText: number;
  readonly #keepsLinks: boolean;
  readonly #isCut: boolean;
  readonly #roles = new ElementRoles();
  readonly #regions = new OpenRegions();
  readonly #scripts = new ScriptTally();
  /** Tags without a following end tag, which is searched only once. */
  readonly #endless = new Set<string>();
  /** What the outline counts. */
  readonly #found = {
    visible: 0,
    content: 0,
    readable: 0,
    media: 0,
    fields: 0,
    headings: 0,
    fallback: 0,
    requestsScript: false,
    isFrameset: false,
    skeletons: 0,
    bindings: 0,
    templates: 0,
    emptyCustom: [] as string[],
    emptyIds: [] as string[],
    emptyRows: [] as string[],
  };
  #text = '';
  #inLink = false;
  #headingFrom = -1;
  /** The last opened element, while it is empty. */
  #empty: { readonly tag: string; readonly id: string } | undefined;

  constructor(
    source: string,
    { enough = Infinity, storedText = 600, keepsLinks = false, isCut = false }: ScanOptions,
  ) {
    this.#source = source;
    this.#enough = enough;
    this.#storedText = storedText;
    this.#keepsLinks = keepsLinks;
    this.#isCut = isCut;
  }

  read(): SourceOutline {
    const source = this.#source;
    let at = 0;
    while (at < source.length && this.#found.content < this.#enough) {
      const open = source.indexOf('<', at);
      if (open !== at) this.#readText(at, open < 0 ? source.length : open);
      if (open < 0) break;
      at = this.#readMarkup(open);
    }
    return this.#outline();
  }

  /** Reads markup that begins with `<`; returns the position after it. */
  #readMarkup(at: number): number {
    const source = this.#source;
    const next = source.charCodeAt(at + 1);
    if (isLetter(next)) return this.#readTag(at + 1, false);
    if (next === slash) {
      if (isLetter(source.charCodeAt(at + 2))) return this.#readTag(at + 2, true);
      return positionAfter(source, '>', at + 2);
    }
    if (next === bang && source.startsWith('<!--', at)) {
      // `<!-->` is a comment without content.
      return /^-?>/.test(source.slice(at + 4, at + 6))
        ? positionAfter(source, '>', at + 4)
        : positionAfter(source, '-->', at + 4);
    }
    if (next === bang || next === question) return positionAfter(source, '>', at + 2);
    return at + 1;
  }

  #readTag(from: number, isEnd: boolean): number {
    const source = this.#source;
    let nameEnd = from + 1;
    while (nameEnd < source.length && isNamePart(source.charCodeAt(nameEnd))) nameEnd += 1;
    const name = source.slice(from, Math.min(nameEnd, from + limits.longestName));
    // Most names are in lower case, and a test is cheaper than a conversion.
    const tag = /[A-Z]/.test(name) ? name.toLowerCase() : name;
    const end = endOfTag(source, nameEnd);
    if (end < 0) return source.length;
    if (isEnd) this.#close(tag);
    else return this.#open(tag, nameEnd, end);
    return end + 1;
  }

  #open(tag: string, from: number, end: number): number {
    const tagKind = tagKinds.get(tag) ?? (tag.includes('-') ? 'container' : undefined);
    if (tagKind === 'raw') return this.#readRaw(tag, this.#attributes(from, end), end + 1);
    if (tagKind === 'container') {
      this.#openContainer(tag, from, end);
      return end + 1;
    }
    this.#empty = undefined;
    if (tagKind === 'link') {
      // An anchor without `href` is not a link.
      this.#inLink = tag !== 'a' || /href/i.test(this.#attributes(from, end));
    } else if (tagKind === 'media') this.#addMedia(tag, this.#attributes(from, end));
    else if (tagKind === 'field') this.#openField(from, end);
    else if (tagKind === 'heading') this.#headingFrom = this.#found.visible;
    else if (tagKind === 'frameset') this.#found.isFrameset = true;
    return end + 1;
  }

  #openContainer(tag: string, from: number, end: number): void {
    const given = readAttributes(this.#source, from, Math.min(end, from + limits.longestTag));
    if (given.isBound) this.#found.bindings += 1;
    // The body contains the page, whatever its class says.
    if (tag === 'body') {
      this.#scripts.addHandlers(this.#attributes(from, end));
      return;
    }
    if (this.#roles.isSkeleton(given)) this.#found.skeletons += 1;
    this.#empty = { tag, id: given.id };
    const role = this.#roles.of(tag, given);
    if (tag === 'article') this.#regions.leaveChrome();
    this.#regions.note(tag);
    if (role !== undefined) this.#regions.open(tag, role, this.#measure());
  }

  #measure(): Pick<RegionContent, 'visible' | 'media' | 'fields'> {
    const { visible, media, fields } = this.#found;
    return { visible, media, fields };
  }

  #close(tag: string): void {
    if (this.#inLink && tagKinds.get(tag) === 'link') this.#inLink = false;
    if (this.#headingFrom >= 0 && tag === 'h1') {
      if (this.#found.visible > this.#headingFrom) this.#found.headings += 1;
      this.#headingFrom = -1;
    }
    if (this.#empty?.tag === tag) this.#noteEmpty(this.#empty);
    this.#empty = undefined;
    if (this.#regions.has(tag)) this.#regions.close(tag, this.#measure());
  }

  #noteEmpty({ tag, id }: { readonly tag: string; readonly id: string }): void {
    if (this.#regions.isIn('hidden')) return;
    // Angular puts the view next to its outlet, which is always empty.
    if (tag.includes('-') && tag !== 'router-outlet') note(this.#found.emptyCustom, tag);
    else if (tag === 'tbody' || tag === 'table') note(this.#found.emptyRows, 'table');
    else if (tag === 'ul' || tag === 'ol') note(this.#found.emptyRows, 'list');
    if (id !== '') note(this.#found.emptyIds, id);
  }

  /** A video or a frame counts as three pictures. */
  #addMedia(tag: string, attributes: string): void {
    if (unseenMedia.test(attributes) || this.#isAside()) return;
    this.#found.media += tag === 'img' || tag === 'amp-img' ? 1 : 3;
  }

  #openField(from: number, end: number): void {
    const isOther = /type\s?=\s?["']?(?:hidden|submit|button|image|reset|checkbox|radio|search)/i;
    if (!isOther.test(this.#attributes(from, end)) && !this.#isAside()) this.#found.fields += 1;
  }

  /**
   * Reads an element whose content is not parsed as markup; returns the position after its end tag.
   */
  #readRaw(tag: string, attributes: string, from: number): number {
    const source = this.#source;
    const found = this.#findEnd(tag, from);
    if (found < 0 && markupInside.has(tag) && !this.#isCut) return from;
    const end = found < 0 ? source.length : found;
    if (tag === 'script') this.#scripts.add(attributes, source, from, end);
    else if (tag === 'noscript') this.#readFallback(from, end);
    else if (tag === 'template') return this.#readTemplate(attributes, from, end);
    else if (this.#isAside()) return positionAfter(source, '>', end);
    else if (tag === 'textarea' || tag === 'select') this.#found.fields += 1;
    else if (tag === 'iframe') this.#addMedia(tag, attributes);
    if (tag !== 'style' && tag !== 'noscript') this.#empty = undefined;
    return positionAfter(source, '>', end);
  }

  /** The start of the end tag; -1 if there is none. */
  #findEnd(tag: string, from: number): number {
    const end = endTags.get(tag);
    if (end === undefined || this.#endless.has(tag)) return -1;
    end.lastIndex = from;
    const found = end.exec(this.#source)?.index ?? -1;
    if (found < 0) this.#endless.add(tag);
    return found;
  }

  #readFallback(from: number, end: number): void {
    const text = this.#source.slice(from, Math.min(end, from + 20_000)).replace(/<[^<>]*>/g, ' ');
    const letters = countLetters(text, 0, text.length);
    if (letters < 500 && /java\s?script|activ[\w ]{0,20}scripts?/i.test(text)) {
      this.#found.requestsScript = true;
    }
    this.#found.fallback = Math.max(this.#found.fallback, letters);
  }

  /** A declarative shadow root is displayed; any other template is for scripts. */
  #readTemplate(attributes: string, from: number, end: number): number {
    if (/shadowroot/i.test(attributes)) return from;
    this.#found.templates += 1;
    return positionAfter(this.#source, '>', end);
  }

  #readText(from: number, to: number): void {
    const letters = countLetters(this.#source, from, to);
    if (letters === 0) return;
    this.#empty = undefined;
    if (this.#regions.isIn('hidden')) return;
    this.#found.visible += letters;
    if (this.#regions.isIn('chrome')) return;
    this.#found.readable += letters;
    if (!this.#inLink) this.#found.content += letters;
    else if (!this.#keepsLinks) return;
    const room = this.#storedText - this.#text.length;
    if (room > 0) this.#text += `${this.#source.slice(from, Math.min(to, from + room))} `;
  }

  /** True inside a part that is hidden or is not the topic of the page. */
  #isAside(): boolean {
    return this.#regions.isIn('hidden') || this.#regions.isIn('chrome');
  }

  #attributes(from: number, end: number): string {
    return this.#source.slice(from, Math.min(end, from + limits.longestTag));
  }

  #outline(): SourceOutline {
    const { mounts, mains } = this.#regions.finish(this.#measure());
    const { scripts } = this.#scripts;
    return { ...this.#found, text: decoded(this.#text), mounts, mains, scripts };
  }
}

/** Media without content: a tracking pixel, an invisible frame, a loading spinner. */
const unseenMedia =
  /(?:width|height)\s?=\s?["']?[01](?:px)?["'\s]|display\s?:\s?none|src\s?=\s?["']?(?:javascript:|about:)|loader|loading\.|spinner|throbber/i;

function note(names: string[], name: string): void {
  if (names.length < limits.names) names.push(name);
}
