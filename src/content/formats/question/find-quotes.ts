/** Finds the quotes of an answer in the page's markdown. */
import { foldMarkdown, foldValue } from '../../../extract/provenance/folded-text.ts';
import { PageIndex } from '../../../extract/provenance/page-index.ts';
import type { ProvenanceStatus, QuotedPage } from '../../../extract/provenance/provenance.ts';
import { firstSpan, type TextSpan } from '../../../extract/provenance/span-candidates.ts';

/** Each quote as it stands in the text; undefined for a quote that is not there. */
export function findQuotes(
  quotes: readonly string[],
  markdown: string,
): readonly (string | undefined)[] {
  const index = new PageIndex({ url: '', markdown, language: undefined });
  return quotes.map((quote) => {
    const place = locateQuote(quote, index);
    return place === undefined ? undefined : index.markdown.slice(place.start, place.end);
  });
}

/**
 * Locates quotes of the model's text in the page's markdown, each place once, in the order of the page.
 * A quote that is not in the model's text is left out: it comes from text that this library wrote.
 */
export function locateQuotes(
  quotes: readonly string[],
  modelMarkdown: string,
  page: QuotedPage,
): AnswerQuote[] {
  const { url, markdown, language } = page;
  const modelIndex = new PageIndex({ url, markdown: modelMarkdown, language });
  let index = markdown === modelMarkdown ? modelIndex : undefined;
  const found = new Map<string, AnswerQuote>();
  for (const quote of quotes) {
    const read = locateQuote(quote, modelIndex);
    if (read === undefined) continue;
    index ??= new PageIndex(page);
    const place = index === modelIndex ? read : locateQuote(quote, index);
    const { start = null, end = null } = place ?? {};
    const text =
      place === undefined
        ? modelMarkdown.slice(read.start, read.end)
        : markdown.slice(place.start, place.end);
    found.set(`${start ?? text}-${end}`, { url, quote: text, start, end });
  }
  return [...found.values()].sort(
    (one, other) => (one.start ?? Infinity) - (other.start ?? Infinity) || 0,
  );
}

/** Ignores case, white space, quotation marks and the marks of markdown. */
function locateQuote(quote: string, page: PageIndex): TextSpan | undefined {
  // A quote has at least a word or a number.
  if (!/[\p{L}\p{N}]/u.test(quote)) return undefined;
  const text = quote.replace(/^(?:…|\.{3})|(?:…|\.{3})$/g, '').trim();
  page.budget.steps -= 1 + (quote.length >> 2);
  const unquoted = text.replace(/^["'“”„«‘]+|["'“”»’]+$/g, '').trim();
  for (const needle of [foldValue(text), foldMarkdown(text).folded.text, foldValue(unquoted)]) {
    const candidates = page.texts.find(needle);
    const place = candidates === undefined ? undefined : firstSpan(candidates);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** A passage of the page that an answer rests on. */
export interface AnswerQuote {
  /** The URL of the page. */
  readonly url: string;
  /** The quote as it stands in the page's markdown. */
  readonly quote: string;
  /**
   * The offset in the markdown, in UTF-16 units: `markdown.slice(start, end) === quote`. Null where
   * only the model's text of the page has the quote.
   */
  readonly start: number | null;
  readonly end: number | null;
}

/** The answer to a question about a page. */
export interface PageAnswer {
  /** Null when the page does not answer the question. */
  readonly answer: string | null;
  /**
   * `supported`: all quotes are on the page, and the numbers and addresses of the answer are in them.
   * `unverified`: some are not, as when the model calculated. `notFound`: the page gives no answer.
   */
  readonly status: ProvenanceStatus;
  /** One to ten passages of the page, in its order; empty when there is no answer. */
  readonly quotes: readonly AnswerQuote[];
}
