/** `code`, `kbd`, `samp`, `tt`. */
import { type DomElement, isElement, isText } from '../../../html/dom.ts';
import type { Emitter, Rule } from '../emitter.ts';

/** A code span. Links in code stay links: the code is split around them. */
export const inlineCode: Rule = (element, out) => {
  const span = new Span(out);
  addContent(element, span, out);
  span.end();
};

/** The text of one code span; white space at its ends goes outside. */
class Span {
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

function addContent(parent: DomElement, span: Span, out: Emitter): void {
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
      addContent(child, span, out);
      continue;
    }
    span.end();
    if (url === undefined) {
      out.visit(child);
    } else {
      out.run.wrap({ kind: 'link', url, title: '' }, () => {
        addContent(child, span, out);
        span.end();
      });
    }
  }
}
