/** Texts of feeds, which may have markup in them, without it. */

/** In one line, without tags; undefined where nothing is left. */
export function plainText(markup: string | undefined): string | undefined {
  const text = markup
    ?.replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? undefined : text;
}
