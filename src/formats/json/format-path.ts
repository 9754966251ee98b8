/** Paths into data as people write them. */

/** `['offers', 0, 'price']` → `offers[0].price`; the whole is the empty text. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}
