/** Parses HTML text to a tree that always has html, head and body, within limits of depth and size. */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import type { DomDocument } from './dom.ts';
import { htmlTags, ordinaryTag, type Tag } from './tags.ts';
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
  for (const { index } of source.matchAll(cdata)) {
    tokenizer.write(source.slice(read, index));
    // The reader slices its texts from the source, so only the tokenizer sees the replacement.
    tokenizer.write(reader.isInForeignContext() ? '<![CDATA[' : '<!_CDATA[');
    read = index + '<![CDATA['.length;
  }
  tokenizer.write(read === 0 ? source : source.slice(read));
  tokenizer.end();
  for (const warning of builder.warnings) warn(warning);
  return builder.document;
}

/**
 * Outside of SVG and MathML `<![CDATA[` begins a comment that ends at the next `>` (HTML Standard,
 * 13.2.5.42). The tokenizer looks for `]]>` in any case, unless it reads another character. Not after
 * `//` and `/*`: these are in scripts, and the tokenizer is slower on text in pieces.
 */
const cdata = /<!\[CDATA\[(?<!\/[/*] ?<!\[CDATA\[)/g;

/** The number of cached attribute names; most pages have fewer than 100. */
const rememberedNames = 1_000;

/**
 * Passes the tokenizer's tags, with their attributes, to the builder. htmlparser2's own parser takes
 * quadratic time for deep pages, and implements fewer rules.
 */
class TagReader implements TokenizerCallbacks {
  readonly #source: string;
  readonly #builder: TreeBuilder;
  /** Lower-case names of attributes by the written ones: a cache, as lower-casing costs more. */
  readonly #names = new Map<string, string>();
  #name = '';
  #tag: Tag = ordinaryTag;
  #attributes: Record<string, string> = {};
  #attributeCount = 0;
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
    this.#attributes = {};
    this.#attributeCount = 0;
  }

  onattribname(start: number, end: number): void {
    const written = this.#source.slice(start, end);
    const name = this.#names.get(written) ?? this.#addName(written);
    const isKept =
      !Object.hasOwn(this.#attributes, name) && this.#builder.takesAttribute(this.#attributeCount);
    this.#attribute = isKept ? name : undefined;
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== undefined) this.#value += this.#source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute !== undefined) this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.#attribute === undefined) return;
    this.#attributes[this.#attribute] = this.#value;
    this.#attributeCount += 1;
    this.#value = '';
  }

  onopentagend(): void {
    this.#builder.open(this.#name, this.#tag, this.#attributes, false);
  }

  onselfclosingtag(): void {
    this.#builder.open(this.#name, this.#tag, this.#attributes, true);
  }

  onclosetag(start: number, end: number): void {
    this.#readTagName(start, end);
    this.#builder.close(this.#name, this.#tag);
  }

  oncomment(start: number, end: number, offset: number): void {
    const data = this.#source.slice(start, end - offset);
    // The tokenizer takes CDATA without an end for a comment.
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

  #addName(written: string): string {
    const name = written.toLowerCase();
    if (this.#names.size < rememberedNames) this.#names.set(written, name);
    return name;
  }
}
