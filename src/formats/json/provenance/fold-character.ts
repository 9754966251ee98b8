/** One character in the form in which texts are compared. */
import { latinDigits } from '../coerce-number.ts';

/**
 * Superscripts and fractions stay what they are: as digits they would become part of a number. So do
 * syllables of Hangul: part of one is another one.
 */
const kept = /[\uac00-\ud7af\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2150-\u215f\u2189]/;

const unseen = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]/;

/** Makes the function that folds one character beyond ASCII: compatibility forms, case, quotes, dashes. */
export function characterFolding(): (character: string) => string {
  const known = new Map<string, string>();
  return (character) => {
    let folded = known.get(character);
    if (folded === undefined) {
      folded = fold(character);
      known.set(character, folded);
    }
    return folded;
  };
}

function fold(character: string): string {
  if (unseen.test(character)) return '';
  if (kept.test(character)) return character;
  // Decomposed, as this needs no neighbours; both sides of each comparison are.
  return latinDigits(character.normalize('NFKD'))
    .toLowerCase()
    .normalize('NFKD')
    .replace(/ß/g, 'ss')
    .replace(/ς/g, 'σ')
    .replace(/[“”„‟«»〝〞″]/g, '"')
    .replace(/[‘’‚‛′´ʼ]/g, "'")
    .replace(/[‐-―−]/g, '-')
    .replace(/\s/g, ' ');
}
