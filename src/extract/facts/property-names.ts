/** Normalizes property names and labels for comparison. */

/** Letters and digits only, lower-case, without accents: `Review_count:` → `reviewcount`. */
export function fold(text: string): string {
  return plain(text).replace(/[^\p{L}\p{N}]/gu, '');
}

/** The words of a camelCase, snake_case or spaced name, lower-case: `weightKg` → `weight`, `kg`. */
export function wordsOf(text: string): string[] {
  const spaced = text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  return plain(spaced).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** English singular of a folded name, by its ending: `categories` → `category`. */
export function singular(name: string): string {
  if (name === 'people') return 'person';
  if (/(ss|us|is|news|series)$/.test(name) || name.length < 4) return name;
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  if (/(x|ch|sh|ss)es$/.test(name)) return name.slice(0, -2);
  return name.endsWith('s') ? name.slice(0, -1) : name;
}

function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
