/** Parses the style rules that apply on a reader's screen, as in CSS Syntax 3. */
import { type CSSToken, tokenize, TokenType } from '@csstools/css-tokenizer';
import { conditionHolds, isSupported } from './style-conditions.ts';

const limits = {
  rules: 20_000, // of a page
  depth: 16, // nested blocks
  longestSelector: 50_000, // characters
  nestedCharacters: 2_000_000, // of all nested selectors
  longestValue: 4000,
};

/** A property and its value: without comments, escapes resolved, names in lower case. */
export interface Declaration {
  readonly property: string;
  readonly value: string;
  readonly isImportant: boolean;
}

/** Declarations and the selector of their elements. */
export interface StyleRule {
  /** A list of selectors; `&` of nested rules is resolved. */
  readonly selector: string;
  readonly declarations: readonly Declaration[];
  /** Full name of its cascade layer; undefined outside of layers. */
  readonly layer: string | undefined;
}

/** The style sheets of a page together. */
export interface StyleSheets {
  /** In document order. */
  readonly rules: StyleRule[];
  /** Names in the order in which they first occur. */
  readonly layers: Set<string>;
  /** Declarations at the end of each animation. */
  readonly animations: Map<string, readonly Declaration[]>;
  /** Some text was skipped: too long, or nested too deeply. */
  isCut: boolean;
  /** It imports a style sheet from a separate file. */
  importsFiles: boolean;
  /** Characters that may still be read. */
  room: number;
  /** Characters left for selectors of nested rules, each of which repeats the outer selectors. */
  nestedRoom: number;
}

/** An empty collection for at most `room` characters. */
export function styleSheets(room: number): StyleSheets {
  return {
    rules: [],
    layers: new Set(),
    animations: new Map(),
    isCut: false,
    importsFiles: false,
    room,
    nestedRoom: limits.nestedCharacters,
  };
}

/** Adds a style sheet. Stores only declarations that pass `isRead`. */
export function addStyleSheet(
  sheets: StyleSheets,
  text: string,
  isRead: (property: string) => boolean,
): void {
  if (text.length > sheets.room) sheets.isCut = true;
  const css = text.slice(0, Math.max(0, sheets.room));
  sheets.room -= css.length;
  const reader = new SheetReader(css, sheets, isRead);
  reader.readBlock(0, reader.end, { selector: undefined, layer: undefined, depth: 0 });
}

/** The declarations of an element's `style` attribute. */
export function readStyleAttribute(
  style: string,
  isRead: (property: string) => boolean,
): Declaration[] {
  const sheets = styleSheets(20_000);
  const reader = new SheetReader(style.slice(0, sheets.room), sheets, isRead);
  reader.readBlock(0, reader.end, { selector: '&', layer: undefined, depth: limits.depth });
  return sheets.rules.flatMap(({ declarations }) => declarations);
}

/** The context given by the outer blocks. */
interface BlockContext {
  /** The selector of the style rule that a block belongs to. */
  readonly selector: string | undefined;
  readonly layer: string | undefined;
  readonly depth: number;
}

const closingToken: Readonly<Partial<Record<TokenType, TokenType>>> = {
  [TokenType.OpenCurly]: TokenType.CloseCurly,
  [TokenType.OpenParen]: TokenType.CloseParen,
  [TokenType.Function]: TokenType.CloseParen,
  [TokenType.OpenSquare]: TokenType.CloseSquare,
};

class SheetReader {
  readonly end: number;
  readonly #tokens: readonly CSSToken[];
  /** For each token that opens a block, the index of its closing token, or the end. */
  readonly #closers: Uint32Array;
  readonly #sheets: StyleSheets;
  readonly #isRead: (property: string) => boolean;

  constructor(css: string, sheets: StyleSheets, isRead: (property: string) => boolean) {
    this.#tokens = tokenize({ css });
    this.#sheets = sheets;
    this.#isRead = isRead;
    const { length } = this.#tokens;
    this.end = this.#typeAt(length - 1) === TokenType.EOF ? length - 1 : length;
    this.#closers = new Uint32Array(length).fill(this.end);
    const open: { readonly at: number; readonly closer: TokenType }[] = [];
    for (let at = 0; at < this.end; at += 1) {
      const type = this.#typeAt(at);
      const closer = type === undefined ? undefined : closingToken[type];
      if (closer !== undefined) open.push({ at, closer });
      else if (type !== undefined && type === open.at(-1)?.closer) {
        this.#closers[open.pop()?.at ?? 0] = at;
      }
    }
  }

  /** Rules and declarations from one token to another. */
  readBlock(from: number, to: number, around: BlockContext): void {
    let declarations: Declaration[] = [];
    const flush = (): void => {
      const { selector, layer } = around;
      if (declarations.length > 0 && selector !== undefined) {
        this.#add({ selector, declarations, layer });
      }
      declarations = [];
    };
    for (let at = from; at < to;) {
      const type = this.#typeAt(at);
      if (type === undefined || tokensBetween.has(type)) {
        at += 1;
      } else if (type === TokenType.AtKeyword) {
        flush();
        at = this.#atRule(at, to, around);
      } else {
        const isNested = around.selector !== undefined;
        const colon = isNested ? this.#colonAfterName(at, to) : undefined;
        const end = this.#find(at, to, isNested ? semicolon : []);
        const isCustom = this.#nameAt(at).startsWith('--');
        if (colon !== undefined && (isCustom || this.#typeAt(end) !== TokenType.OpenCurly)) {
          const stop = isCustom ? this.#find(at, to, semicolon, false) : end;
          this.#declare(at, colon, stop, declarations);
          at = stop + 1;
        } else if (this.#typeAt(end) === TokenType.OpenCurly && end < to) {
          flush();
          const close = this.#closers[end] ?? to;
          this.#styleRule(at, end, Math.min(close, to), around);
          at = close + 1;
        } else at = end + 1;
      }
    }
    flush();
  }

  #styleRule(from: number, open: number, close: number, around: BlockContext): void {
    const { selector: outer, depth } = around;
    const selector =
      outer === undefined ? this.#sourceOf(from, open) : this.#nested(from, open, outer);
    const isTooLong = selector.length > limits.longestSelector || this.#sheets.nestedRoom < 0;
    if (depth >= limits.depth || isTooLong) this.#sheets.isCut = true;
    else this.readBlock(open + 1, close, { ...around, selector, depth: depth + 1 });
  }

  /** CSS Nesting: `&` stands for the outer selector; a selector without it matches descendants. */
  #nested(from: number, to: number, outer: string): string {
    const parts: string[] = [];
    for (let at = from; at < to && this.#sheets.nestedRoom >= 0;) {
      const end = this.#find(at, to, [TokenType.Comma]);
      const text = this.#sourceOf(at, end);
      const isAbout = this.#has(at, end, '&');
      const part = isAbout ? this.#sourceOf(at, end, `:is(${outer})`) : `:is(${outer}) ${text}`;
      this.#sheets.nestedRoom -= part.length;
      parts.push(part);
      at = end + 1;
    }
    return parts.join(',');
  }

  /** Reads an at-rule; returns the index of the next rule. */
  #atRule(at: number, to: number, around: BlockContext): number {
    const name = this.#nameAt(at);
    const open = this.#find(at + 1, to, semicolon);
    const prelude = this.#valueOf(at + 1, open);
    if (this.#typeAt(open) !== TokenType.OpenCurly || open >= to) {
      if (name === 'layer') {
        for (const one of prelude.split(',')) this.#layer(one.trim(), around.layer);
      }
      if (name === 'import') this.#import(prelude);
      return open + 1;
    }
    const close = Math.min(this.#closers[open] ?? to, to);
    if (around.depth >= limits.depth) this.#sheets.isCut = true;
    else this.#atBlock(name, prelude, { open, close }, { ...around, depth: around.depth + 1 });
    return close + 1;
  }

  #atBlock(
    name: string,
    prelude: string,
    { open, close }: { readonly open: number; readonly close: number },
    around: BlockContext,
  ): void {
    const read = (inside: BlockContext): void => this.readBlock(open + 1, close, inside);
    switch (name) {
      case 'media':
        if (conditionHolds(prelude)) read(around);
        return;
      case 'container':
        // A container is assumed to be as wide as the window; only size conditions are evaluated.
        if (conditionHolds(prelude.replace(/^(?!not\b)[\w-]+ /, ''))) read(around);
        return;
      case 'supports':
        if (isSupported(prelude)) read(around);
        return;
      case 'layer':
        read({ ...around, layer: this.#layer(prelude, around.layer) });
        return;
      case 'scope': {
        const [, root] = /^\(((?:[^()]|\([^()]*\))*)\)/.exec(prelude) ?? [];
        read(root === undefined ? around : { ...around, selector: root });
        return;
      }
      case 'keyframes':
      case '-webkit-keyframes':
        this.#sheets.animations.set(prelude, this.#lastFrame(open, close));
        return;
      default:
        // Fonts, print pages, starting styles: they do not change an element's final style.
        return;
    }
  }

  #lastFrame(open: number, close: number): Declaration[] {
    const found: Declaration[] = [];
    for (let at = open + 1; at < close;) {
      const start = this.#find(at, close, []);
      const end = Math.min(this.#closers[start] ?? close, close);
      if (/(?:^|[\s,])(?:to|100%)(?:$|[\s,])/.test(this.#valueOf(at, start))) {
        for (let from = start + 1; from < end;) {
          const stop = this.#find(from, end, semicolon);
          while (tokensBetween.has(this.#typeAt(from) ?? TokenType.EOF) && from < stop) from += 1;
          const colon = this.#colonAfterName(from, stop);
          if (colon !== undefined) this.#declare(from, colon, stop, found);
          from = stop + 1;
        }
      }
      at = end + 1;
    }
    return found;
  }

  /** Imports only `data:` URLs; separate files are not available. */
  #import(prelude: string): void {
    const [, address = '', rest = ''] =
      /^(?:url\()?\s*["']?([^"')]*)["']?\s*\)?(.*)$/s.exec(prelude) ?? [];
    const text = readDataSheet(address);
    const media = rest.replace(/layer(?:\([^)]*\))?|supports\([^)]*\)/g, '').trim();
    if (!conditionHolds(media)) return;
    if (text === undefined) this.#sheets.importsFiles = true;
    else addStyleSheet(this.#sheets, text, this.#isRead);
  }

  #layer(name: string, outer: string | undefined): string {
    const { layers } = this.#sheets;
    const own = name === '' ? `:${layers.size}` : name;
    let full = outer ?? '';
    for (const part of own.split('.')) {
      full = full === '' ? part : `${full}.${part}`;
      layers.add(full);
    }
    return full;
  }

  #declare(name: number, colon: number, end: number, into: Declaration[]): void {
    const property = this.#nameAt(name);
    if (!this.#isRead(property)) return;
    const text = this.#valueOf(colon + 1, end);
    const value = text.replace(/ ?! ?important$/, '');
    into.push({ property, value: value.trim(), isImportant: value !== text });
  }

  #add(rule: StyleRule): void {
    if (this.#sheets.rules.length < limits.rules) this.#sheets.rules.push(rule);
    else this.#sheets.isCut = true;
  }

  #colonAfterName(at: number, to: number): number | undefined {
    if (this.#typeAt(at) !== TokenType.Ident) return undefined;
    let next = at + 1;
    while (next < to && silent.has(this.#typeAt(next) ?? TokenType.EOF)) next += 1;
    return next < to && this.#typeAt(next) === TokenType.Colon ? next : undefined;
  }

  /** The index of the first of these tokens, or `{` unless `endsAtBlock` is false; outside brackets. */
  #find(from: number, to: number, types: readonly TokenType[], endsAtBlock = true): number {
    let at = from;
    while (at < to) {
      const type = this.#typeAt(at);
      if (type === undefined || types.includes(type)) return at;
      if (type === TokenType.OpenCurly && endsAtBlock) return at;
      at = type in closingToken ? (this.#closers[at] ?? to) + 1 : at + 1;
    }
    return to;
  }

  #has(from: number, to: number, delimiter: string): boolean {
    for (let at = from; at < to; at += 1) {
      if (this.#typeAt(at) === TokenType.Delim && this.#tokens[at]?.[1] === delimiter) return true;
    }
    return false;
  }

  /** The source text without comments, `nesting` replacing `&`. */
  #sourceOf(from: number, to: number, nesting = '&'): string {
    let text = '';
    for (let at = from; at < to; at += 1) {
      const token = this.#tokens[at];
      if (token === undefined || token[0] === TokenType.Comment) continue;
      text += token[0] === TokenType.Delim && token[1] === '&' ? nesting : token[1];
      if (text.length > limits.longestSelector) break;
    }
    return text.trim();
  }

  /** The text with names unescaped and in lower case, except custom properties. */
  #valueOf(from: number, to: number): string {
    let text = '';
    for (let at = from; at < to && text.length < limits.longestValue; at += 1) {
      const token = this.#tokens[at];
      if (token === undefined) break;
      switch (token[0]) {
        case TokenType.Comment:
        case TokenType.Whitespace:
          if (!text.endsWith(' ')) text += ' ';
          break;
        case TokenType.Ident:
          text += lowerCase(token[4].value);
          break;
        case TokenType.Function:
          text += `${lowerCase(token[4].value)}(`;
          break;
        case TokenType.String:
        case TokenType.URL:
          text += token[1];
          break;
        default:
          text += token[1].toLowerCase();
      }
    }
    return text.trim();
  }

  #nameAt(at: number): string {
    const token = this.#tokens[at];
    if (token?.[0] !== TokenType.Ident && token?.[0] !== TokenType.AtKeyword) return '';
    return lowerCase(token[4].value);
  }

  #typeAt(at: number): TokenType | undefined {
    return this.#tokens[at]?.[0];
  }
}

const semicolon: readonly TokenType[] = [TokenType.Semicolon];
const silent: ReadonlySet<TokenType> = new Set([TokenType.Whitespace, TokenType.Comment]);
/** Tokens that may stand between rules and declarations. */
const tokensBetween: ReadonlySet<TokenType> = new Set([
  ...silent,
  TokenType.Semicolon,
  TokenType.CDO,
  TokenType.CDC,
]);

function lowerCase(name: string): string {
  return name.startsWith('--') ? name : name.toLowerCase();
}

/** The text of a style sheet in a `data:` URL; undefined for any other address. */
export function readDataSheet(address: string): string | undefined {
  const [, kind = '', data = ''] = /^\s*data:([^,]*),(.*)$/is.exec(address) ?? [];
  if (!/^text\/css\b/i.test(kind)) return undefined;
  if (/;\s*base64\s*$/i.test(kind)) return Buffer.from(data, 'base64').toString('utf8');
  try {
    return decodeURIComponent(data);
  } catch {
    return data;
  }
}
