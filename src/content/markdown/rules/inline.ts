/** Rules of inline elements: links, emphasis, code, superscript, quotations, line breaks, ruby, check boxes. */
import { type DomElement, elementsOf, isElement, isText } from '../../html/dom.ts';
import { blockElements } from '../../html/tags.ts';
import type { Emitter, MarkdownRule } from '../emitter.ts';

/**
 * `[text](absolute URL "title")`.
 *
 * Links without a target, placeholders (`#`) and scripts are text. Around blocks (a card with a
 * picture, a heading and a teaser) the heading, or else the first text, becomes the link.
 */
export const link: MarkdownRule = (element, out) => {
  const href = element.getAttribute('href');
  if (href === null || out.inLink) {
    out.children(element);
    return;
  }
  const label = out.footnotes.labelOfReference(element);
  if (label !== undefined) {
    out.run.raw(`[^${label}]`);
    return;
  }
  // A same-page link in a heading targets the heading itself; the note of a footnote reference is gone.
  const isText = out.inHeading && out.urls.isOnPage(href);
  if (isText || element.hasAttribute('data-footnote-ref')) {
    out.children(element);
    return;
  }
  const url = out.urls.link(href);
  if (url === undefined) out.children(element);
  else writeLink(element, url, out);
};

function writeLink(element: DomElement, url: string, out: Emitter): void {
  const mark = { kind: 'link', url, title: element.getAttribute('title') ?? '' } as const;
  if (!out.inCell && !out.inHeading) {
    const blocks = findBlocks(element);
    if (blocks.any) {
      out.card(mark, element, blocks.heading);
      return;
    }
  }
  out.run.wrap(mark, () => out.children(element));
}

interface LinkBlocks {
  readonly any: boolean;
  /** The first heading with text. */
  readonly heading: DomElement | undefined;
}

function findBlocks(link: DomElement): LinkBlocks {
  let any = false;
  for (const element of elementsOf(link)) {
    if (/^h[1-6]$/.test(element.localName) && /\S/.test(element.textContent ?? '')) {
      return { any: true, heading: element };
    }
    any ||= blockElements.has(element.localName);
  }
  return { any, heading: undefined };
}

// `b`, `strong`, `em`, `i`, `del`, `s`, `strike`.

/** `**bold**`; not where the style resets it, as pasted documents do around everything. */
export const strong: MarkdownRule = (element, out) => {
  if (hasStyle(element, /font-weight:\s*(?:normal|[1-4]00)\b/)) out.children(element);
  else out.run.wrap({ kind: 'strong' }, () => out.children(element));
};

/** `*italic*`. */
export const emphasis: MarkdownRule = (element, out) => {
  if (hasStyle(element, /font-style:\s*normal\b/)) out.children(element);
  else out.run.wrap({ kind: 'emphasis' }, () => out.children(element));
};

/** `~~struck~~`. */
export const strike: MarkdownRule = (element, out) => {
  out.run.wrap({ kind: 'strike' }, () => out.children(element));
};

function hasStyle(element: DomElement, pattern: RegExp): boolean {
  const style = element.getAttribute('style');
  return style !== null && pattern.test(style);
}

// `code`, `kbd`, `samp`, `tt`.

/** A code span. Links inside stay links: the code is split around them. */
export const inlineCode: MarkdownRule = (element, out) => {
  const span = new CodeSpan(out);
  addCodeContent(element, span, out);
  span.end();
};

/** The text of one code span; surrounding white space goes outside. */
class CodeSpan {
  readonly #out: Emitter;
  #text = '';

  constructor(out: Emitter) {
    this.#out = out;
  }

  add(text: string): void {
    this.#text += text;
  }

  end(): void {
    const text = this.#text.replace(/\s+/g, ' ');
    this.#text = '';
    const ink = text.trim();
    if (ink === '') {
      if (text !== '') this.#out.run.space();
      return;
    }
    if (text.startsWith(' ')) this.#out.run.space();
    this.#out.run.code(ink);
    if (text.endsWith(' ')) this.#out.run.space();
  }
}

function addCodeContent(parent: DomElement, span: CodeSpan, out: Emitter): void {
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    if (isText(child)) {
      span.add(child.data);
      continue;
    }
    if (!isElement(child) || child.localName === 'svg') continue;
    const isLineEnd = child.localName === 'br';
    const url =
      child.localName === 'a' && !out.inLink
        ? out.urls.link(child.getAttribute('href'))
        : undefined;
    if (url === undefined && !isLineEnd && child.localName !== 'img') {
      addCodeContent(child, span, out);
      continue;
    }
    span.end();
    if (url === undefined) {
      out.visit(child);
    } else {
      out.run.wrap({ kind: 'link', url, title: '' }, () => {
        addCodeContent(child, span, out);
        span.end();
      });
    }
  }
}

// `sub` and `sup`.

/** Markdown has no subscript: the HTML tags stay. */
export const subscript: MarkdownRule = (element, out) => {
  out.run.wrap({ kind: 'sub' }, () => out.children(element));
};

/** As `sub`; footnote references get no tags. */
export const superscript: MarkdownRule = (element, out) => {
  if (holdsReference(element, out)) out.children(element);
  else out.run.wrap({ kind: 'sup' }, () => out.children(element));
};

function holdsReference(element: DomElement, out: Emitter): boolean {
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (!isElement(child)) continue;
    const link = child.localName === 'a' ? child : child.firstElementChild;
    if (link?.localName === 'a' && out.footnotes.labelOfReference(link) !== undefined) return true;
  }
  return false;
}

// `q`.

/** Quotation marks, as browsers add them. */
export const quotation: MarkdownRule = (element, out) => {
  out.run.text('“');
  out.children(element);
  out.run.text('”');
};

// `br`.

/** Two spaces at the end of the line; two breaks in a row end the paragraph. */
export const lineBreak: MarkdownRule = (_element, out) => {
  out.lineBreak();
};

// `rt` in `ruby`.

/** The ruby text in parentheses after its base. The page's fallback parentheses (`rp`) are dropped. */
export const rubyText: MarkdownRule = (element, out) => {
  if (!/\S/.test(element.textContent ?? '')) return;
  out.run.text('(');
  out.children(element);
  out.run.text(')');
};

// `span`.

/** Writes its content; MediaWiki's edit links are dropped. */
export const span: MarkdownRule = (element, out) => {
  if (element.hasAttribute('class') && /\bmw-editsection\b/.test(element.className)) return;
  out.children(element);
};

// `input`: controls are not content, apart from check boxes.

/** The check box of a task list: `[x]` at the start of an item. */
export const input: MarkdownRule = (element, out) => {
  if (element.getAttribute('type')?.toLowerCase() !== 'checkbox' || !out.atItemStart) return;
  out.run.raw(element.hasAttribute('checked') ? '[x]' : '[ ]');
  out.run.space();
};
