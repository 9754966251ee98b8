/** Parses HTML text to a tree that always has html, head and body, within limits of depth and size. */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import type { DomDocument } from './dom.ts';
import { nestedScriptEnds } from './nested-scripts.ts';
import { htmlTags, ordinaryTag, type Tag } from './tags.ts';
import { type Attributes, noAttributes } from './tree.ts';
import { type ParseLimits, TreeBuilder } from './tree-builder.ts';

export type { ParseLimits };

/**
 * Parses a whole page or a fragment to the tree that browsers build, in time that is linear in its length.
 *
 * What is nested too deep is flattened, attributes beyond the limit are dropped: `warn` is told.
 * Throws `PARSE_LIMIT` when there are more nodes than allowed.
 */
export function parseHtml(
  source: string,
  limits: ParseLimits,
  warn: (message: string) => void = () => undefined,
): DomDocument {
  const builder = new TreeBuilder(limits);
  const reader = new TagReader(source, builder);
  const tokenizer = new Tokenizer({}, reader);
  let read = 0;
  // The reader slices texts from the original source, so only the tokenizer sees a replacement.
  for (const [index, mark, other] of marksToReplace(source)) {
    tokenizer.write(source.slice(read, index));
    const isReplaced =
      mark === frameMark || (mark === cdataMark ? !reader.isInForeignContext() : reader.isInScript);
    tokenizer.write(isReplaced ? other : mark);
    read = index + mark.length;
  }
  tokenizer.write(read === 0 ? source : source.slice(read));
  tokenizer.end();
  for (const warning of builder.warnings) warn(warning);
  return builder.document;
}

/**
 * Outside of SVG and MathML, `<![CDATA[` begins a comment that ends at the next `>` (HTML Standard,
 * 13.2.5.42). The tokenizer always looks for `]]>`, unless it reads another character. Not after `//` and
 * `/*`: these are in scripts, and the tokenizer is slower on text in pieces.
 */
const cdata = /<!\[CDATA\[(?<!\/[/*] ?<!\[CDATA\[)/g;

const cdataMark = '<![CDATA[';

/** Marks that the tokenizer reads differently from browsers, with their replacements, in document order. */
function marksToReplace(source: string): [index: number, mark: string, other: string][] {
  const found = Array.from(source.matchAll(cdata), ({ index }): [number, string, string] => [
    index,
    cdataMark,
    '<!_CDATA[',
  ]);
  for (const { index } of source.matchAll(openFrame)) found.push([index, frameMark, '<?frame']);
  for (const index of nestedScriptEnds(source)) {
    found.push([index, source.slice(index, index + 8), '<_script']);
  }
  return found.sort(([one], [other]) => one - other);
}

/** An unclosed `<iframe>` at the end of a `<noscript>` is read as a comment: browsers that run scripts ignore it. */
const openFrame = /<iframe\b[^<>]*>\s*<\/noscript/gi;

const frameMark = '<iframe';

const manyAttributes = 16; // of one element; with more, names are looked up in a set

/**
 * Passes the tokenizer's tags, with their attributes, to the builder. htmlparser2's own parser takes
 * quadratic time for deep pages, and implements fewer rules.
 */
class TagReader implements TokenizerCallbacks {
  readonly #source: string;
  readonly #builder: TreeBuilder;
  #name = '';
  #tag: Tag = ordinaryTag;
  /** Alternating names and values of the tag's attributes; entries after `#length` are from earlier tags. */
  readonly #attributes: string[] = [];
  #length = 0;
  /** The names, if there are many. */
  readonly #names = new Set<string>();
  /** True from the start tag of a script to its end tag. */
  isInScript = false;
  /** Undefined for an attribute that is dropped. */
  #attribute: string | undefined;
  #value = '';

  constructor(source: string, builder: TreeBuilder) {
    this.#source = source;
    this.#builder = builder;
  }

  ontext(start: number, end: number): void {
    this.#builder.text(this.#source.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#builder.text(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.#readTagName(start, end);
    this.#length = 0;
    if (this.#names.size > 0) this.#names.clear();
  }

  onattribname(start: number, end: number): void {
    const name = attributeName(this.#source.slice(start, end));
    const isUsed = !this.#hasAttribute(name) && this.#builder.takesAttribute(this.#length / 2);
    this.#attribute = isUsed ? name : undefined;
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== undefined) this.#value += this.#source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute !== undefined) this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.#attribute === undefined) return;
    this.#attributes[this.#length] = this.#attribute;
    this.#attributes[this.#length + 1] = this.#value;
    this.#length += 2;
    this.#value = '';
  }

  onopentagend(): void {
    this.isInScript = this.#name === 'script';
    this.#builder.open(this.#name, this.#tag, this.#takeAttributes(), false);
  }

  onselfclosingtag(): void {
    this.#builder.open(this.#name, this.#tag, this.#takeAttributes(), true);
  }

  onclosetag(start: number, end: number): void {
    this.isInScript = false;
    this.#readTagName(start, end);
    this.#builder.close(this.#name, this.#tag);
  }

  oncomment(start: number, end: number, offset: number): void {
    const data = this.#source.slice(start, end - offset);
    // The tokenizer reads unclosed CDATA as a comment.
    const isCdata = data.startsWith('[CDATA[') && this.isInForeignContext();
    if (isCdata && this.#source.startsWith('<!', start - 2)) this.#builder.text(data.slice(7));
    else this.#builder.comment(data);
  }

  oncdata(start: number, end: number, offset: number): void {
    const data = this.#source.slice(start, end - offset);
    if (this.isInForeignContext()) this.#builder.text(data);
    else this.#builder.comment(`[CDATA[${data}]]`);
  }

  ondeclaration(start: number, end: number): void {
    this.#builder.doctype(this.#source.slice(start, end));
  }

  onprocessinginstruction(): void {
    // In HTML these are comments.
  }

  onend(): void {
    this.#builder.end();
  }

  /** Called by the tokenizer: in SVG `<title>` and `<script>` are ordinary elements. */
  isInForeignContext(): boolean {
    return this.#builder.isInForeignContent;
  }

  #readTagName(start: number, end: number): void {
    const written = this.#source.slice(start, end);
    const tag = htmlTags.get(written);
    this.#name = tag === undefined ? written.toLowerCase() : written;
    this.#tag = tag ?? htmlTags.get(this.#name) ?? ordinaryTag;
  }

  #takeAttributes(): Attributes {
    return this.#length === 0 ? noAttributes : this.#attributes.slice(0, this.#length);
  }

  #hasAttribute(name: string): boolean {
    if (this.#length < 2 * manyAttributes) {
      for (let at = 0; at < this.#length; at += 2) if (this.#attributes[at] === name) return true;
      return false;
    }
    for (let at = 2 * this.#names.size; at < this.#length; at += 2) {
      this.#names.add(this.#attributes[at] as string);
    }
    return this.#names.has(name);
  }
}

// Attribute names. Pages share them: a known name is not lower-cased again.

const knownNames = new Map<string, string>();

const mostKnownNames = 1_000; // most pages have fewer than 100

/** The lower-case name, as one shared string, so that names compare fast. */
function attributeName(written: string): string {
  const known = knownNames.get(written);
  if (known !== undefined) return known;
  // A copy: a slice would retain the page's source in memory.
  const [own = ''] = Object.keys({ [written]: true });
  const [name = ''] = Object.keys({ [own.toLowerCase()]: true });
  if (knownNames.size === mostKnownNames) knownNames.clear();
  knownNames.set(own, name);
  return name;
}
