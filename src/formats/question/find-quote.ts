/** Where on a page a quote stands. */
import { firstPlace, type Place } from '../json/provenance/candidates.ts';
import { foldMarkdown } from '../json/provenance/fold-markdown.ts';
import { foldValue } from '../json/provenance/folded-text.ts';
import { PageIndex } from '../json/provenance/page-index.ts';
import type { QuotedPage } from '../json/provenance/provenance.ts';
import type { AnswerQuote } from './page-answer.ts';

/** For each quote its words as they stand in the text; undefined for one that is not in it. */
export function findQuotes(
  quotes: readonly string[],
  markdown: string,
): readonly (string | undefined)[] {
  const index = new PageIndex({ url: '', markdown, language: undefined });
  return quotes.map((quote) => {
    const place = placeOf(quote, index);
    return place === undefined ? undefined : index.markdown.slice(place.start, place.end);
  });
}

/**
 * Where quotes of what the model got stand in the page's markdown, each place once, in the order of the
 * page. One that is not in what the model got is left out: it was made of a text that this library wrote.
 */
export function placeQuotes(
  quotes: readonly string[],
  modelMarkdown: string,
  page: QuotedPage,
): AnswerQuote[] {
  const { url, markdown, language } = page;
  const modelIndex = new PageIndex({ url, markdown: modelMarkdown, language });
  let index = markdown === modelMarkdown ? modelIndex : undefined;
  const found = new Map<string, AnswerQuote>();
  for (const quote of quotes) {
    const read = placeOf(quote, modelIndex);
    if (read === undefined) continue;
    index ??= new PageIndex(page);
    const place = index === modelIndex ? read : placeOf(quote, index);
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

/** Case, white space, quotation marks and the marks of markdown make no difference. */
function placeOf(quote: string, page: PageIndex): Place | undefined {
  // A quote has a word or a number at least.
  if (!/[\p{L}\p{N}]/u.test(quote)) return undefined;
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
