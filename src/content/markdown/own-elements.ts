/** Handlers of the caller's, which write elements in place of the rules. */
import { hookFailed } from '../../core/runtime/errors.ts';
import { atOnce } from '../../core/runtime/at-once.ts';
import { preview } from '../../core/checks/option-errors.ts';
import { blockElements } from '../html/tags.ts';
import type { DomElement } from '../html/dom.ts';
import { oneLine } from '../text/plain-text.ts';
import type { Emitter, MarkdownRule } from './emitter.ts';
import type { MarkdownElement, MarkdownOptions } from './markdown-options.ts';
import { codeBlock, textOfCode } from './rules/blocks.ts';
import { table } from './rules/table.ts';

const mostNested = 100; // handlers around an element; the content of each is copied into the next

/** Rules that call the handlers. A handler that throws is `HOOK_FAILED`. */
export function rulesOfHandlers(
  handlers: NonNullable<MarkdownOptions['handlers']>,
  rules: Readonly<Record<string, MarkdownRule>>,
  url: string,
): Readonly<Record<string, MarkdownRule>> {
  let nested = 0;
  const entries = Object.entries(handlers).map(([name, handler]): [string, MarkdownRule] => {
    const asUsual = rules[name] ?? usualRule;
    const rule: MarkdownRule = (element, out) => {
      if (nested >= mostNested) return asUsual(element, out);
      nested += 1;
      try {
        const content = contentOf(element, asUsual, out);
        const written: unknown = atOnce(handler(content));
        if (written === undefined && !content.isRead) asUsual(element, out);
        else if (typeof written !== 'string') writeBlock(blockIn(written), out);
        else if (blockElements.has(name)) writeBlock(written, out);
        else writeInLine(written, out);
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

/** The element for its handler: all but its name is read when the handler reads it. */
function contentOf(
  element: DomElement,
  rule: MarkdownRule,
  out: Emitter,
): MarkdownElement & { readonly isRead: boolean } {
  let markdown: string | undefined;
  return {
    name: element.localName,
    get attributes() {
      return Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
    },
    get text() {
      return rule === codeBlock ? textOfCode(element) : oneLine(element.textContent ?? '');
    },
    get markdown() {
      return (markdown ??= out.apart((inner) => {
        if (rule === codeBlock || rule === table) rule(element, inner);
        else inner.children(element);
      }));
    },
    get isRead() {
      return markdown !== undefined;
    },
  };
}

/** Throws for anything else than a block. */
function blockIn(written: unknown): string {
  // Written again, the content of nested elements would be written twice for each level.
  if (written === undefined) {
    throw new TypeError('it read the markdown of the element, so it has to return markdown');
  }
  const { block } = Object(written) as { readonly block?: unknown };
  if (typeof block === 'string') return block;
  throw new TypeError(
    `expected markdown, { block: markdown } or undefined, got ${preview(written)}`,
  );
}

/** A block in a cell, a heading or the text of a link is written on one line. */
function writeBlock(text: string, out: Emitter): void {
  const lines = text.replace(/^\n+|\s+$/g, '');
  const isInLine = out.inCell || out.inHeading || out.run.has('link');
  if (!isInLine && lines !== '') return out.block(lines);
  out.boundary();
  writeInLine(lines, out);
  out.boundary();
}

function writeInLine(text: string, out: Emitter): void {
  if (/^\s/.test(text)) out.run.space();
  const line = oneLine(text);
  if (line !== '') out.run.raw(line);
  if (/\s$/.test(text)) out.run.space();
}
