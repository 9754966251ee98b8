/** The languages that a reader prefers, by place or by the Accept-Language header. */
import type { ReaderLocation } from '../../../model/request.ts';

/**
 * `{ country: 'DE' }` → `['de-DE', 'de', 'en']`: each language, the same without its region, and
 * English, as in the Accept-Language header of a plain request.
 */
export function languagesOf({ country, languages }: ReaderLocation): string[] {
  const spoken =
    languages.length > 0
      ? languages
      : [`${new Intl.Locale(`und-${country}`).maximize().language}-${country}`];
  return [...new Set(spoken.flatMap((tag) => [tag, tag.split('-')[0] ?? tag]).concat('en'))];
}

/** `de;q=0.5, fr` → `['fr', 'de']`. Empty when the header names no language. */
export function languagesInHeader(header: string): string[] {
  const ranges = header.split(',').map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
    return { tag, quality: quality === undefined ? 1 : Number(quality) };
  });
  const named = ranges.filter(({ tag, quality }) => tagForm.test(tag) && quality > 0);
  const sorted = named.sort((one, other) => other.quality - one.quality);
  return [...new Set(sorted.map(({ tag }) => tag))].slice(0, mostLanguages);
}

/** The first language that the browser takes as its locale. */
export function localeOf(languages: readonly string[]): string | undefined {
  return languages.find((tag) => {
    try {
      return Intl.getCanonicalLocales(tag).length > 0;
    } catch {
      return false;
    }
  });
}

const tagForm = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;

/** The weights of a header have one digit. */
const mostLanguages = 10;
