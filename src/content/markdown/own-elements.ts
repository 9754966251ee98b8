/** Handlers of the caller's, which write elements in place of the rules. */
import { hookFailed } from '../../core/runtime/errors.ts';
import { atOnce } from '../../core/runtime/at-once.ts';
import { preview } from '../../core/checks/option-errors.ts';
import { blockElements } from '../html/tags.ts';
import type { DomElement } from '../html/dom.ts';
import { oneLine } from '../text/plain-text.ts';
import type { Emitter, MarkdownRule } from './emitter.ts';
import type { MarkdownStyle } from './markdown-style.ts';
import { codeBlock, textOfCode } from './rules/blocks.ts';
import { table } from './rules/table.ts';

/** An element of the page, as a handler gets it. */
export interface MarkdownElement {
  /** The name of the element, in lower case. */
  readonly name: string;
  /** Its attributes as they are in the page; URLs may be relative. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The text in it, without markup, on one line; that of `pre` with its lines. */
  readonly text: string;
  /**
   * Its content as markdown, in the style of the format; for `pre` and `table` what is written without the handler.
   * Elements in it are written by their handlers, and numbers of references settled at the end.
   */
  readonly markdown: string;
}

/**
 * Writes an element: returns markdown that stands in a line, `{ block }` for lines of their own, `''` for nothing, or
 * undefined where the element is written as without the handler, unless `markdown` was read. A text for an element that
 * is a block, such as `p` or `div`, is on lines of its own as well.
 */
export type MarkdownHandler = (
  element: MarkdownElement,
) => string | { readonly block: string } | undefined;

/** Handlers by the name of the element, in lower case. */
export type MarkdownHandlers = Readonly<Record<string, MarkdownHandler>>;

/** Options of the format markdown. */
export interface MarkdownOptions extends MarkdownStyle {
  /**
   * Write elements in your own way, by their names in lower case: `'x-note': ({ text }) => ({ block: `> ${text}` })`.
   * They are called on your thread, also for heavy pages. `HOOK_FAILED`, with the name of the element, where one
   * throws or returns anything else than markdown. @default none
   */
  readonly handlers?: MarkdownHandlers | undefined;
}

const mostNested = 100; // handlers around an element; the content of each is copied into the next

/** Rules that call the handlers. A handler that throws is `HOOK_FAILED`. */
export function rulesOfHandlers(
  handlers: MarkdownHandlers,
  rules: Readonly<Record<string, MarkdownRule>>,
  url: string,
): Readonly<Record<string, MarkdownRule>> {
  let nested = 0;
  const entries = Object.entries(handlers).map(([name, handler]): [string, MarkdownRule] => {
    const asUsual = (Object.hasOwn(rules, name) ? rules[name] : undefined) ?? usualRule;
    const rule: MarkdownRule = (element, out) => {
      if (nested >= mostNested) return asUsual(element, out);
      nested += 1;
      try {
        const content = new ElementContent(element, asUsual, out);
        const written = checked(atOnce(handler(content)), content);
        if (written === undefined) asUsual(element, out);
        else write(written, blockElements.has(name), out);
      } catch (error) {
        throw hookFailed(`The markdown handler "${name}"`, url, error);
      } finally {
        nested -= 1;
      }
    };
    return [name, rule];
  });
  return { ...rules, ...Object.fromEntries(entries) };
}

const usualRule: MarkdownRule = (element, out) => {
  if (blockElements.has(element.localName)) out.paragraph(element);
  else out.children(element);
};

class ElementContent implements MarkdownElement {
  readonly #element: DomElement;
  readonly #rule: MarkdownRule;
  readonly #out: Emitter;
  #markdown: string | undefined;

  constructor(element: DomElement, rule: MarkdownRule, out: Emitter) {
    this.#element = element;
    this.#rule = rule;
    this.#out = out;
  }

  get name(): string {
    return this.#element.localName;
  }

  get attributes(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.#element.attributes].map(({ name, value }) => [name, value]),
    );
  }

  get text(): string {
    return this.#rule === codeBlock
      ? textOfCode(this.#element)
      : oneLine(this.#element.textContent ?? '');
  }

  get markdown(): string {
    const isWhole = this.#rule === codeBlock || this.#rule === table;
    return (this.#markdown ??= this.#out.apart(() => {
      if (isWhole) this.#rule(this.#element, this.#out);
      else this.#out.children(this.#element);
    }));
  }

  /** True once the content was written for the handler. */
  get isRead(): boolean {
    return this.#markdown !== undefined;
  }
}

/** Throws for anything else than markdown. */
function checked(result: unknown, content: ElementContent): ReturnType<MarkdownHandler> {
  if (typeof result === 'string') return result;
  // Written again, the content of nested elements would be written twice for each level.
  if (result === undefined && content.isRead) {
    throw new TypeError('it read the markdown of the element, so it has to return markdown');
  }
  const { block } = (result ?? {}) as { readonly block?: unknown };
  if (result === undefined || typeof block === 'string') return result as { block: string };
  throw new TypeError(
    `expected markdown, { block: markdown } or undefined, got ${preview(result)}`,
  );
}

/** A block in a cell, a heading or the text of a link is written on one line. */
function write(
  written: string | { readonly block: string },
  isOfBlock: boolean,
  out: Emitter,
): void {
  const isBlock = isOfBlock || typeof written !== 'string';
  const text = typeof written === 'string' ? written : written.block;
  const lines = isBlock ? text.replace(/^\n+|\s+$/g, '') : text;
  const isLine = !isBlock || out.inCell || out.inHeading || out.run.has('link');
  if (!isLine && lines !== '') return out.block(lines);
  if (isBlock) out.boundary();
  if (/^\s/.test(lines)) out.run.space();
  const line = oneLine(lines);
  if (line !== '') out.run.raw(line);
  if (/\s$/.test(lines)) out.run.space();
  if (isBlock) out.boundary();
}
