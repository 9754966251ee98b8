/** The names in a computed `font-family`. */

/** At most 20 names in order, without quotes. */
export function fontStack(css: string): string[] {
  const names = css.match(/\s*"(?:[^"\\]|\\.)*"|[^,]+/g) ?? [];
  const plain = names
    .slice(0, 20)
    .map((name) => readableName(name.trim().replace(/^"|"$/g, '').replace(/\\(.)/g, '$1')));
  return [...new Set(plain.filter((name) => name !== ''))];
}

/** The first name: the one that was chosen, also where this machine does not have it. */
export function familyOf(css: string): string | undefined {
  return fontStack(css)[0];
}

/** Fonts whose letters are pictures. */
export function isIconFont(family: string): boolean {
  return /icon|awesome|glyph|symbols?\b|fontello|dashicons/i.test(family);
}

/** Next.js renames fonts: `__Inter_d65c78`, `__Open_Sans_Fallback_d65c78`. */
function readableName(name: string): string {
  const inner = /^__(.+?)(?:_Fallback)?_[0-9a-f]{6}$/.exec(name)?.[1];
  return inner === undefined ? name : inner.replaceAll('_', ' ');
}
