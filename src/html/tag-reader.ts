/** Tokens to elements that open and close: with the ends that the source leaves out, in linear time. */
import type { TokenizerCallbacks } from 'htmlparser2';
import {
  endsBefore,
  foreignEnds,
  htmlIntegrationPoints,
  svgNames,
  voidElements,
} from './implied-tags.ts';

/** What is told of the source, in document order. An element is closed before the one around it. */
export interface TagHandler {
  open(name: string, attributes: Record<string, string>): void;
  close(): void;
  text(data: string): void;
  comment(data: string): void;
  /** False when no more attributes are kept; `inElement` is how many the element has already. */
  takesAttribute(inElement: number): boolean;
}

/** Inside a drawing or formula names are written and tags close by other rules. */
type Content = 'html' | 'svg' | 'math';

/**
 * Follows htmlparser2's own parser, whose list of open elements costs time with the square of its
 * length: here each tag costs the same at any depth, however many are never closed.
 */
export class TagReader implements TokenizerCallbacks {
  readonly #source: string;
  readonly #handler: TagHandler;
  readonly #open: string[] = [];
  /** How many elements of a name are open. */
  readonly #openByName = new Map<string, number>();
  readonly #content: Content[] = ['html'];
  #name: string | undefined;
  #attributes: Record<string, string> = {};
  #attributeCount = 0;
  /** Undefined for an attribute that is not kept. */
  #attribute: string | undefined;
  #value = '';

  constructor(source: string, handler: TagHandler) {
    this.#source = source;
    this.#handler = handler;
  }

  ontext(start: number, end: number): void {
    this.#handler.text(this.#source.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#handler.text(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    const name = this.#nameAt(start, end);
    // A form in a form is ignored, with its attributes.
    this.#name = name === 'form' && this.#isOpen('form') ? undefined : name;
    this.#attributes = {};
    this.#attributeCount = 0;
  }

  onattribname(start: number, end: number): void {
    const name = this.#source.slice(start, end).toLowerCase();
    const isKept =
      !Object.hasOwn(this.#attributes, name) && this.#handler.takesAttribute(this.#attributeCount);
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
    if (this.#name !== undefined) this.#start(this.#name, this.#attributes);
  }

  onselfclosingtag(): void {
    if (this.#name === undefined) return;
    this.#start(this.#name, this.#attributes);
    if (this.isInForeignContext() && this.#open.at(-1) === this.#name) this.#end();
  }

  onclosetag(start: number, end: number): void {
    const name = this.#nameAt(start, end);
    if (name === 'br') {
      this.#handler.open('br', {});
      this.#handler.close();
    } else if (this.#isOpen(name)) {
      while (this.#open.at(-1) !== name) this.#end();
      this.#end();
    } else if (name === 'p') {
      // An end without a start is an empty paragraph.
      this.#start('p', {});
      this.#end();
    }
  }

  oncomment(start: number, end: number, offset: number): void {
    this.#handler.comment(this.#source.slice(start, end - offset));
  }

  oncdata(start: number, end: number, offset: number): void {
    const data = this.#source.slice(start, end - offset);
    if (this.isInForeignContext()) this.#handler.text(data);
    else this.#handler.comment(`[CDATA[${data}]]`);
  }

  ondeclaration(): void {
    // The doctype changes nothing here.
  }

  onprocessinginstruction(): void {
    // In HTML these are comments.
  }

  onend(): void {
    // What is still open ends with the document.
  }

  /** Asked by the tokenizer: in drawings `<title>` and `<script>` are tags like any other. */
  isInForeignContext(): boolean {
    return this.#content.at(-1) !== 'html';
  }

  #nameAt(start: number, end: number): string {
    const name = this.#source.slice(start, end).toLowerCase();
    const content = this.#content.at(-1);
    if (content === 'svg') return svgNames.get(name) ?? name;
    if (this.#content.length > 1) {
      // The end tag of a `foreignObject` stands in the HTML inside of it.
      const adjusted = svgNames.get(name);
      if (adjusted !== undefined && this.#isOpen(adjusted)) return adjusted;
    }
    return content === 'html' && name === 'image' ? 'img' : name;
  }

  #isOpen(name: string): boolean {
    return (this.#openByName.get(name) ?? 0) > 0;
  }

  #start(name: string, attributes: Record<string, string>): void {
    if (foreignEnds.has(name)) while (this.isInForeignContext()) this.#end();
    const ended = endsBefore.get(name);
    if (ended !== undefined) {
      for (let top = this.#open.at(-1); top !== undefined && ended.has(top);) {
        this.#end();
        top = this.#open.at(-1);
      }
    }
    this.#handler.open(name, attributes);
    if (voidElements.has(name)) {
      this.#handler.close();
      return;
    }
    this.#open.push(name);
    this.#openByName.set(name, (this.#openByName.get(name) ?? 0) + 1);
    if (name === 'svg' || name === 'math') this.#content.push(name);
    else if (htmlIntegrationPoints.has(name)) this.#content.push('html');
  }

  #end(): void {
    const name = this.#open.pop();
    if (name === undefined) return;
    this.#openByName.set(name, (this.#openByName.get(name) ?? 1) - 1);
    if (name === 'svg' || name === 'math' || htmlIntegrationPoints.has(name)) this.#content.pop();
    this.#handler.close();
  }
}
