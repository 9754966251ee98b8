/** A text on a page: as it is, in other forms that mean the same, or in pieces. */
import { coerceNumber } from '../coerce-number.ts';
import { wordsOf } from '../names.ts';
import { type Candidates, firstPlace, knownPlaces, type Place, somePlaces } from './candidates.ts';
import { findDate, isDateLeaf } from './find-date.ts';
import { foldMarkdown } from './fold-markdown.ts';
import { foldValue } from './folded-text.ts';
import type { Leaf } from './leaves.ts';
import type { PageIndex } from './page-index.ts';
import type { Sighting } from './sighting.ts';

/** Looks for one text. */
export function findText(leaf: Leaf & { readonly value: string }, page: PageIndex): Sighting {
  const { value } = leaf;
  if (!/[^\s*_`~\\[\]|]/.test(value)) return { otherwise: 'unverified' };
  const isAddress = /^(uri|url|iri)/.test(leaf.shape.schema.format ?? '') || isUrl(value);
  if (isAddress || /^(?:mailto:)?[^\s@]+@[^\s@]+$/.test(value)) {
    const linked = page.urls.find(value);
    if (linked.count > 0) return { candidates: linked, otherwise: 'notFound' };
    if (isAddress && page.urls.isPage(value)) return { otherwise: 'supported' };
  }
  for (const needle of formsOf(value)) {
    const candidates = page.texts.find(needle);
    if (candidates !== undefined && firstPlace(candidates) !== undefined) {
      return { candidates, otherwise: 'notFound' };
    }
  }
  if (isDateLeaf(leaf)) return findDate(value, page);
  const candidates = asAmount(value, page) ?? asCurrency(value, page) ?? inPieces(value, page);
  return candidates === undefined
    ? { otherwise: 'notFound' }
    : { candidates, otherwise: 'notFound' };
}

function isUrl(value: string): boolean {
  return /^https?:\/\/\S+$/i.test(value);
}

/** Folded; read as markdown, if it may be; the words of a term such as `InStock`. */
function* formsOf(value: string): Generator<string> {
  const plain = foldValue(value);
  yield plain;
  if (/[\]<&#>]|^[ \t]*[-+*\d]/m.test(value)) {
    const read = foldMarkdown(value).folded.text;
    if (read !== plain && /[\p{L}\p{N}]/u.test(read)) yield read;
  }
  if (value.length < 100 && /^\p{L}+(?:[_-]\p{L}+)*$/u.test(value)) {
    const words = wordsOf(value).map(foldValue);
    if (words.length > 1) for (const joint of [' ', '-']) yield words.join(joint);
  }
}

/** `$1,299.00` where the page writes `1.299,00 €`: amounts only, no numbers of articles. */
function asAmount(value: string, page: PageIndex): Candidates | undefined {
  if (!/^[^\d\n]{0,5}\d[\d.,' ]{0,20}[^\d\n]{0,5}$/.test(value)) return undefined;
  if (!/\d[.,]\d|[\p{Sc}%]/u.test(value)) return undefined;
  const amount = coerceNumber(value, { language: 'en', unit: undefined });
  const candidates = amount === undefined ? undefined : page.numbers.find(amount, undefined);
  return candidates === undefined || candidates.count === 0 ? undefined : candidates;
}

/** `EUR` where the page writes `€`; which dollar is meant its language tells. */
function asCurrency(value: string, page: PageIndex): Candidates | undefined {
  if (!/^[A-Z]{3}$/.test(value)) return undefined;
  const symbol = currencySymbol(value, page.language ?? 'en');
  if (symbol === undefined) return undefined;
  const candidates = page.texts.find(foldValue(symbol));
  return candidates !== undefined && firstPlace(candidates) !== undefined ? candidates : undefined;
}

function currencySymbol(currency: string, language: string): string | undefined {
  try {
    const symbol = new Intl.NumberFormat(language.replace(/_/g, '-'), {
      style: 'currency',
      currency,
    })
      .formatToParts(1)
      .find(({ type }) => type === 'currency')?.value;
    return symbol === currency ? undefined : symbol;
  } catch {
    // Not a currency, or the page's lang attribute is no language tag.
    return undefined;
  }
}

const maxPieces = 200;
/** Beginnings that are tried. */
const maxBeginnings = 20;

/** A list in one text, or sentences between which the page has something else: all, in order, close by. */
function inPieces(value: string, page: PageIndex): Candidates | undefined {
  for (const separator of [/\n+/, /(?<=[.!?。])\s+/, /[,;·•|]\s+/]) {
    const parts = value.split(separator);
    if (parts.length < 2 || parts.length > maxPieces) continue;
    const pieces = parts.map(foldValue).filter((piece) => /[\p{L}\p{N}]/u.test(piece));
    if (pieces.length < 2) continue;
    const found: Candidates[] = [];
    for (const piece of pieces) {
      const candidates = page.texts.find(piece);
      if (candidates === undefined || candidates.count === 0) break;
      found.push(candidates);
    }
    if (found.length < pieces.length) continue;
    const places = chains(found, value.length * 2 + 100);
    if (places.length > 0) return knownPlaces(places);
  }
  return undefined;
}

function chains([first, ...rest]: readonly Candidates[], reach: number): Place[] {
  const beginnings = first === undefined ? [] : somePlaces(first, 0, maxBeginnings);
  return beginnings.flatMap(({ start, end }): Place[] => {
    let last = end;
    for (const candidates of rest) {
      const next = firstPlace(candidates, last, maxBeginnings);
      if (next === undefined || next.end - start > reach) return [];
      last = next.end;
    }
    return [{ start, end: last }];
  });
}
