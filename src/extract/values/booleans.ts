/** Reads yes and no in texts, and schema.org terms that mean either. */
import { fold } from '../facts/property-names.ts';

const yes = new Set(
  (
    'true yes y 1 on ja oui si sim da tak checked enabled active included available instock ' +
    'onstock instoreonly onlineonly limitedavailability lowstock auflager lieferbar verfugbar ' +
    'enstock disponible disponibile telecommute remote fullyremote'
  ).split(' '),
);

const no = new Set(
  (
    'false no n 0 off nein non nao nie nicht disabled inactive unavailable notavailable ' +
    'outofstock soldout discontinued notinstock preorder backorder presale ausverkauft ' +
    'nichtverfugbar nichtlieferbar rupturedestock epuise agotado esaurito onsite'
  ).split(' '),
);

/** True, false, or undefined for a text that is neither. */
export function coerceBoolean(text: string, name: string): boolean | undefined {
  const trimmed = text.trim();
  if (/^[✓✔☑✅]/u.test(trimmed)) return true;
  if (/^[✗✘☒❌]/u.test(trimmed)) return false;
  const word = fold(trimmed.replace(/^https?:\/\/schema\.org\//i, ''));
  if (yes.has(word)) return true;
  if (no.has(word)) return false;
  // `In stock (12 pieces)`, `Out of stock until May`
  if (/stock|available|availability/i.test(name)) return stockIn(trimmed);
  return undefined;
}

function stockIn(text: string): boolean | undefined {
  if (/^(out of stock|sold out|not available|currently unavailable|unavailable)\b/i.test(text)) {
    return false;
  }
  return /^(in stock|available|\d+ (in stock|available|left))\b/i.test(text) ? true : undefined;
}
