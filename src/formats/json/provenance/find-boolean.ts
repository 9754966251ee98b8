/** Yes and no on a page: beside the property's name, or in words about stock. */
import { coerceBoolean } from '../coerce-boolean.ts';
import { wordsOf } from '../names.ts';
import { knownPlaces, type Place, somePlaces } from './candidates.ts';
import { foldValue } from './folded-text.ts';
import type { Answers, PageIndex } from './page-index.ts';
import type { Sighting } from './sighting.ts';

/** Labels and lines that are looked at. */
const maxLabels = 20;
const maxLines = 20_000;

/** `notFound` when the page says the opposite; where it has no words for it nobody can tell. */
export function findBoolean(
  name: string,
  value: boolean,
  title: string | undefined,
  page: PageIndex,
): Sighting {
  const key = `${name}\n${title ?? ''}`;
  const answers = page.answers.get(key) ?? answersTo(name, title, page);
  page.answers.set(key, answers);
  const places = value ? answers.yes : answers.no;
  if (places.length > 0) return { candidates: knownPlaces(places), otherwise: 'notFound' };
  const opposite = value ? answers.no : answers.yes;
  return { otherwise: opposite.length > 0 ? 'notFound' : 'unverified' };
}

function answersTo(name: string, title: string | undefined, page: PageIndex): Answers {
  const said = [...besideLabel(name, title, page), ...aboutStock(name, page)];
  said.sort((a, b) => a.place.start - b.place.start);
  const placesOf = (value: boolean): Place[] =>
    said.filter((one) => one.value === value).map(({ place }) => place);
  return { yes: placesOf(true), no: placesOf(false) };
}

interface Saying {
  readonly value: boolean;
  readonly place: Place;
}

/** `Free shipping: yes`, `| Waterproof | ✓ |`. */
function besideLabel(name: string, title: string | undefined, page: PageIndex): Saying[] {
  const words = wordsOf(name).filter((word, index) => index > 0 || !/^(is|has)$/.test(word));
  const labels = new Set([words.join(' '), title ?? ''].map(foldValue));
  return [...labels].flatMap((label): Saying[] => {
    const candidates = page.texts.find(label);
    const places = candidates === undefined ? [] : somePlaces(candidates, 0, maxLabels);
    return places.flatMap(({ start, end }): Saying[] => {
      const after = page.markdown.slice(end, end + 60);
      const [whole = '', lead = '', answer = ''] =
        /^([\s|:*_?–—-]*)([^\n|.,;*_]+)/u.exec(after) ?? [];
      if (/\n\s*\n/.test(lead)) return [];
      const value = coerceBoolean(answer, name);
      return value === undefined
        ? []
        : [{ value, place: { start, end: end + whole.trimEnd().length } }];
    });
  });
}

const stockWords =
  /stock|available|lager|lieferbar|verfügbar|dispon|sold|rupture|épuisé|agotado|esaurito|ausverkauft|discontinued|pre-?order|backorder/i;

/** A line or a cell of its own: `In stock (12 pieces)`. */
function aboutStock(name: string, page: PageIndex): Saying[] {
  if (!/stock|availab/i.test(name)) return [];
  const said: Saying[] = [];
  let left = maxLines;
  for (const { 0: line, index } of page.markdown.matchAll(/[^\n|]+/g)) {
    if ((left -= 1) < 0) break;
    if (line.length > 100 || !stockWords.test(line)) continue;
    const text = line.replace(/^[\s*_#>✓✔✗✘•:-]+|[\s*_.!]+$/gu, '');
    const value = coerceBoolean(text, name);
    if (value === undefined) continue;
    const start = index + line.indexOf(text);
    said.push({ value, place: { start, end: start + text.length } });
  }
  return said;
}
