/** Reads Rich Text Format files (.rtf): from control words to text, notes and properties. */
import { TextDecoder } from '../../../content/text/text-decoder.ts';
import type { FileContent, ReadFile } from '../../../content/parsers/file-parser.ts';
import { filled } from '../open-package.ts';
import { imageElement } from '../pictures.ts';
import { symbolOf } from '../symbol-fonts.ts';
import { linkOf } from '../word-fields.ts';
import { HtmlBudget, noteReference, notesSection, type RunMarks } from '../html-writer.ts';
import {
  characters,
  type Destination,
  destinations,
  plainParagraph,
  type RtfState,
  RtfText,
  startState,
} from './rtf-text.ts';
import { readRtfTokens, type RtfListener } from './rtf-tokens.ts';

/** Leaves out headers, footers, comments, and hidden or deleted text. */
export const readRtf: ReadFile = ({ body }, { limits }): Promise<FileContent> => {
  const reader = new RtfReader(new HtmlBudget(limits.text));
  readRtfTokens(Buffer.from(body.buffer, body.byteOffset, body.length), reader);
  const html = reader.finish();
  const fact = (name: string): string | undefined => filled(reader.facts.get(name) ?? '');
  return Promise.resolve({
    html,
    title: fact('title'),
    author: fact('author'),
    description: fact('doccomm') ?? fact('subject'),
    keywords: fact('keywords'),
    publishedTime: timeOf(fact('creatim')),
    modifiedTime: timeOf(fact('revtim')),
  });
};

/** Year, month, day, hour, minute; the time zone is unknown. */
function timeOf(numbers: string | undefined): string | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = (numbers ?? '')
    .split(' ')
    .map(Number);
  if (year < 1900 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31)
    return undefined;
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:00`;
}

// Turns the control words of an RTF file into its text, notes and properties.

const mostGroups = 1000; // nesting limit of groups; deeper ones share the state of the deepest
const symbolCharset = 2;

/** Reads a file. `finish` returns the result. */
class RtfReader implements RtfListener {
  /** Properties of the file: `title`, `author`, `creatim`. */
  readonly facts: Map<string, string> = new Map<string, string>();
  readonly #budget: HtmlBudget;
  readonly #pages = new CodePages();
  readonly #charsets = new Map<number, number>();
  readonly #styles = new Map<number, string>();
  readonly #notes: string[] = [];
  /** The text of the document, and of open notes. */
  readonly #texts: RtfText[];
  readonly #stack: RtfState[] = [];
  #state: RtfState = startState();
  #tooDeep = 0;
  #page = 1252;
  /** Monospaced fonts, except the font of the whole text. */
  readonly #monospaced = new Set<number>();
  #usualFont = -1;
  #style: number | undefined;
  #property = '';
  /** Bytes whose last character may be incomplete. */
  #waiting: Uint8Array[] = [];
  /** Fallback characters still to skip after `\u`. */
  #passed = 0;

  constructor(budget: HtmlBudget) {
    this.#budget = budget;
    this.#texts = [new RtfText(budget)];
  }

  finish(): string {
    this.#flush();
    while (this.#texts.length > 1) this.#endNote();
    const text = this.#text().finish(this.#state.paragraph, this.#styleName());
    return text + notesSection(this.#notes);
  }

  open(): void {
    this.#flush();
    this.#passed = 0;
    if (this.#stack.length >= mostGroups) {
      this.#tooDeep += 1;
      return;
    }
    if (this.#state.destination === 'styles') this.#style = undefined;
    this.#stack.push(this.#state);
    this.#state = { ...this.#state, isNote: false, isOptional: false };
  }

  close(): void {
    this.#flush();
    this.#passed = 0;
    if (this.#tooDeep > 0) {
      this.#tooDeep -= 1;
      return;
    }
    const around = this.#stack.pop();
    if (around === undefined) return;
    if (this.#state.isNote) this.#endNote();
    this.#state = around;
  }

  bytes(bytes: Uint8Array): void {
    const rest = this.#passed > 0 ? bytes.subarray(this.#passed) : bytes;
    this.#passed = Math.max(0, this.#passed - bytes.length);
    if (rest.length > 0) this.#waiting.push(rest);
  }

  symbol(character: string): void {
    this.#flush();
    if (character === '*') this.#state.isOptional = true;
    else if (character === '~') this.#write('\u00a0');
    else if (character === '_') this.#write('\u2011');
    else if ('\\{}'.includes(character)) this.#write(character);
  }

  word(name: string, number: number | undefined): void {
    this.#flush();
    const state = this.#state;
    const destination = destinations.get(name);
    const { isOptional } = state;
    state.isOptional = false;
    if (destination !== undefined) this.#enter(name, destination);
    else if (name === 'footnote') this.#beginNote();
    else if (name === 'shpinst' || name === 'shppict' || name === 'picprop') return;
    else if (isOptional && !/^(?:styles|drop)$/.test(state.destination)) state.destination = 'skip';
    else if (name === 'u') this.#unicode(number ?? 0);
    else if (name === 'uc') state.fallback = Math.min(20, Math.max(0, number ?? 1));
    else if (characters.has(name)) this.#write(characters.get(name) ?? '');
    else if (!this.#describe(name, number)) this.#format(name, number);
  }

  /** Some wanted groups are nested in skipped ones. */
  #enter(name: string, destination: Destination): void {
    const state = this.#state;
    if (state.destination === 'drop') return;
    const isSkipped = state.destination === 'skip';
    const isFound = /^(?:fact|time|property|value)$/.test(destination) || name === 'shptxt';
    if (isSkipped && !isFound) return;
    if (name === 'sp') state.isOptional = false;
    state.destination = destination;
    state.fact = name;
    if (destination === 'property') this.#property = '';
  }

  #beginNote(): void {
    if (this.#state.destination !== 'text' || this.#texts.length > 3) {
      this.#state.destination = 'drop';
      return;
    }
    this.#state.isNote = true;
    this.#state.marks = {};
    this.#state.paragraph = plainParagraph;
    this.#texts.push(new RtfText(this.#budget));
  }

  #endNote(): void {
    const note = this.#texts.pop();
    if (note === undefined) return;
    const number = this.#notes.push(note.finish(this.#state.paragraph, ''));
    this.#text().html(noteReference(number));
  }

  #unicode(number: number): void {
    this.#write(String.fromCharCode(number & 0xffff));
    this.#passed = this.#state.fallback;
  }

  /** Handles fonts, styles, times and fields: facts about the text. */
  #describe(name: string, number = 0): boolean {
    const state = this.#state;
    if (name === 'ansicpg') this.#page = number;
    else if (name === 'f') state.font = number;
    else if (name === 'deff') this.#usualFont = number;
    else if (name === 'fmodern') this.#monospaced.add(state.font);
    else if (name === 'fcharset') this.#charsets.set(state.font, number);
    else if (name === 'field') state.field = { instruction: '' };
    else if (name === 'fldrslt') {
      const href = linkOf(state.field?.instruction ?? '');
      if (href !== undefined) state.marks = { ...state.marks, href };
    } else if (state.destination === 'styles') {
      if (name === 's') this.#style = number;
      else if (name === 'cs' || name === 'ds' || name === 'ts') this.#style = undefined;
    } else if (state.destination === 'time') {
      const known = this.facts.get(state.fact) ?? '';
      if (/^(?:yr|mo|dy|hr|min)$/.test(name)) this.facts.set(state.fact, `${known}${number} `);
    } else return false;
    return true;
  }

  #format(name: string, number: number | undefined): void {
    const state = this.#state;
    if (state.destination !== 'text') return;
    const isOn = number !== 0;
    const { paragraph, marks } = state;
    switch (name) {
      case 'b':
        return void (state.marks = { ...marks, bold: isOn });
      case 'i':
        return void (state.marks = { ...marks, italic: isOn });
      case 'strike':
      case 'striked':
        return void (state.marks = { ...marks, struck: isOn });
      case 'super':
        return void (state.marks = { ...marks, superscript: isOn, subscript: false });
      case 'sub':
        return void (state.marks = { ...marks, subscript: isOn, superscript: false });
      case 'up':
        return void (state.marks = { ...marks, superscript: number !== 0 && number !== undefined });
      case 'dn':
        return void (state.marks = { ...marks, subscript: number !== 0 && number !== undefined });
      case 'nosupersub':
        return void (state.marks = { ...marks, superscript: false, subscript: false });
      case 'plain':
        state.marks = { href: marks.href };
        state.isHidden = false;
        return;
      case 'v':
      case 'deleted':
        return void (state.isHidden = isOn);
      case 'pard':
        return void (state.paragraph = plainParagraph);
      case 's':
        return void (state.paragraph = { ...paragraph, style: number });
      case 'outlinelevel':
        return void (state.paragraph = { ...paragraph, outline: number });
      case 'ilvl':
        return void (state.paragraph = { ...paragraph, level: number });
      case 'intbl':
        return void (state.paragraph = { ...paragraph, isInTable: true });
      case 'li':
        return void (state.paragraph = { ...paragraph, left: number ?? 0 });
      case 'fi':
        return void (state.paragraph = { ...paragraph, first: number ?? 0 });
      case 'par':
      case 'sect':
      case 'nestcell':
        return this.#text().endParagraph(paragraph, this.#styleName());
      case 'line':
        return this.#text().lineBreak();
      case 'cell':
        return this.#text().endCell(paragraph, this.#styleName());
      case 'row':
        return this.#text().table.row();
      default:
        this.#text().table.word(name, number);
    }
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    const charset = this.#charsets.get(this.#state.font);
    if (charset === symbolCharset && this.#state.destination === 'text') {
      const signs = [...bytes].map((byte) =>
        byte < 0x30 ? String.fromCharCode(byte) : symbolOf('Symbol', byte.toString(16)),
      );
      this.#write(signs.join(''));
      return;
    }
    this.#write(this.#pages.decode(bytes, pageByCharset.get(charset ?? -1) ?? this.#page));
  }

  #write(text: string): void {
    const state = this.#state;
    switch (state.destination) {
      case 'text':
        if (!state.isHidden) this.#text().text(text, this.#marks(), state.paragraph);
        break;
      case 'marker':
        this.#text().marker(text);
        break;
      case 'instruction':
        if (state.field !== undefined && state.field.instruction.length < 10_000) {
          state.field.instruction += text;
        }
        break;
      case 'fact':
        this.facts.set(state.fact, ((this.facts.get(state.fact) ?? '') + text).slice(0, 10_000));
        break;
      case 'styles': {
        const [name = ''] = text.split(';');
        const style = this.#style;
        if (style !== undefined && name.trim() !== '' && !this.#styles.has(style)) {
          this.#styles.set(style, name.trim());
        }
        break;
      }
      case 'property':
        this.#property = (this.#property + text).slice(0, 100);
        break;
      case 'value':
        if (this.#property === 'wzDescription') {
          this.#text().html(this.#budget.spend(imageElement(text, 'data:,')));
        }
        break;
      default:
    }
  }

  #marks(): RunMarks {
    const { font, marks } = this.#state;
    const isCode = font !== this.#usualFont && this.#monospaced.has(font);
    return isCode ? { ...marks, code: true } : marks;
  }

  #text(): RtfText {
    return this.#texts.at(-1) ?? new RtfText(this.#budget);
  }

  #styleName(): string {
    const { style } = this.#state.paragraph;
    return style === undefined ? '' : (this.#styles.get(style) ?? '');
  }
}

// The code pages of RTF files.

/** Decoders by code page, created on demand. */
class CodePages {
  readonly #decoders = new Map<number, TextDecoder>();

  decode(bytes: Uint8Array, page: number): string {
    let decoder = this.#decoders.get(page);
    if (decoder === undefined) {
      decoder = new TextDecoder(labels.get(page) ?? windowsLabel(page));
      this.#decoders.set(page, decoder);
    }
    return decoder.decode(bytes);
  }
}

const labels: ReadonlyMap<number, string> = new Map([
  [866, 'ibm866'],
  [874, 'windows-874'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [10000, 'macintosh'],
  [10007, 'x-mac-cyrillic'],
  [65001, 'utf-8'],
]);

function windowsLabel(page: number): string {
  return page >= 1250 && page <= 1258 ? `windows-${page}` : 'windows-1252';
}

/** The code page of a font by its character set (`\fcharset`); undefined: the file's. */
const pageByCharset: ReadonlyMap<number, number> = new Map([
  [77, 10000],
  [128, 932],
  [129, 949],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250],
]);
