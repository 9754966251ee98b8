/** Where on a page a quote stands. */
import { firstPlace, type Place } from '../json/provenance/candidates.ts';
import { foldMarkdown } from '../json/provenance/fold-markdown.ts';
import { foldValue } from '../json/provenance/folded-text.ts';
import { PageIndex } from '../json/provenance/page-index.ts';
import type { QuotedPage } from '../json/provenance/provenance.ts';
import type { AnswerQuote } from './page-answer.ts';

/** Looks for quotes in the page's markdown, and in what the model got of it. */
export class QuoteFinder {
  readonly #page: QuotedPage;
  readonly #modelMarkdown: string;
  #index: PageIndex | undefined;
  #modelIndex: PageIndex | undefined;

  constructor(page: QuotedPage, modelMarkdown: string) {
    this.#page = page;
    this.#modelMarkdown = modelMarkdown;
  }

  /** Undefined for what the model cannot have read. A quote has a word or a number at least. */
  find(quote: string): AnswerQuote | undefined {
    if (!/[\p{L}\p{N}]/u.test(quote)) return undefined;
    const { url, markdown, language } = this.#page;
    const isSame = markdown === this.#modelMarkdown;
    this.#modelIndex ??= new PageIndex({ url, markdown: this.#modelMarkdown, language });
    const read = placeOf(quote, this.#modelIndex);
    if (read === undefined) return undefined;
    const index = isSame ? this.#modelIndex : (this.#index ??= new PageIndex(this.#page));
    const place = isSame ? read : placeOf(quote, index);
    if (place === undefined) {
      const text = this.#modelMarkdown.slice(read.start, read.end);
      return { url, quote: text, start: null, end: null };
    }
    const { start, end } = place;
    return { url, quote: markdown.slice(start, end), start, end };
  }
}

/** Case, white space, quotation marks and the marks of markdown make no difference. */
function placeOf(quote: string, page: PageIndex): Place | undefined {
  const text = quote.replace(/^(?:…|\.{3})|(?:…|\.{3})$/g, '').trim();
  page.budget.steps -= 1 + (quote.length >> 2);
  const unquoted = text.replace(/^["'“”„«‘]+|["'“”»’]+$/g, '').trim();
  for (const needle of [foldValue(text), foldMarkdown(text).folded.text, foldValue(unquoted)]) {
    const candidates = page.texts.find(needle);
    const place = candidates === undefined ? undefined : firstPlace(candidates);
    if (place !== undefined) return place;
  }
  return undefined;
}
