/** The Accept-Language header of a place, from CLDR's likely languages. */

/** `{ country: 'DE' }` → `de-DE,de;q=0.9,en;q=0.8`. Country is US when not given. */
export function acceptLanguage(location: {
  readonly country?: string | undefined;
  readonly languages?: readonly string[] | undefined;
}): string {
  const country = (location.country ?? 'US').toUpperCase();
  const languages = location.languages?.length
    ? location.languages
    : [`${new Intl.Locale(`und-${country}`).maximize().language}-${country}`];
  const tags = [
    ...new Set(languages.flatMap((tag) => [tag, tag.split('-')[0] ?? tag]).concat('en')),
  ];
  return tags
    .map((tag, index) =>
      index === 0 ? tag : `${tag};q=${Math.max(0.1, 1 - index / 10).toFixed(1)}`,
    )
    .join(',');
}
