/** Markdown and plain text in an archive: they stand in its markdown as they are. */
import type { DomElement } from '../../html/dom.ts';
import { escapeText } from '../../html/escape.ts';
import type { HtmlPage } from '../../model/page.ts';
import { readMarkdownBlocks } from '../../text/markdown-blocks.ts';

/** By this the elements are found again; what comes from a file in the archive has lost the attribute. */
const mark = 'data-verbatim';

/** The texts, and the elements that stand for them. */
export class VerbatimTexts {
  readonly #texts: string[] = [];

  /** The HTML that stands for a text. */
  add(text: string): string {
    const lines = text.replace(/\r\n?/g, '\n').replace(/^(?:[ \t]*\n)+/, '');
    this.#texts.push(lines.trimEnd());
    return `<div ${mark}="${this.#texts.length - 1}"><pre>\n${escapeText(lines)}</pre></div>`;
  }

  /** The page with the elements of its texts. */
  find(page: HtmlPage): HtmlPage {
    if (this.#texts.length === 0) return page;
    const verbatim = new Map<DomElement, string>();
    for (const element of page.root.querySelectorAll(`[${mark}]`)) {
      const text = this.#texts[Number(element.getAttribute(mark))];
      element.removeAttribute(mark);
      if (text !== undefined) verbatim.set(element, text);
    }
    return { ...page, file: { ...page.file, verbatim } };
  }
}

/** False for markdown that would take what follows it for a part of itself: an open fence, an open comment. */
export function endsItself(markdown: string): boolean {
  const next = '# Next';
  const last = readMarkdownBlocks(`${markdown.replace(/\r\n?/g, '\n')}\n\n${next}`).at(-1);
  return last?.kind === 'heading' && last.start > 0 && last.depth === 0;
}
