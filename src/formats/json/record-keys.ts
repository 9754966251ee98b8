/** Which properties tell one record from another. */
import type { JsonSchema } from './json-schema.ts';
import { fold } from './names.ts';

/** Names of keys, the surest first; folded, at the end of a property's name or all of it. */
const kinds: readonly RegExp[] = [
  /(^id|^identifier|[a-z]id|^uuid|^key|^slug)$/,
  /(sku|gtin|gtin1?\d|ean|upc|isbn|issn|doi|mpn|itemnumber|articlenumber|partnumber)$/,
  /(url|link|href|permalink|uri)$/,
  /^(email|emailaddress)$/,
  /^(name|fullname|title|headline|question|label|term)$/,
  /^[a-z]*(name|title)$/,
];

/** Words that end like an id. */
const noIds = /(paid|valid|grid|said|void|avoid|hybrid|solid|liquid|covid|android|bid|raid|kid)$/;

/** URLs of something else than the record. */
const otherUrls = /(image|photo|thumbnail|logo|icon|avatar|picture|author|brand|company)/;

/** The keys among an item schema's properties, the surest first. */
export function keyNames(item: JsonSchema): string[] {
  const names = Object.keys(item.properties ?? {});
  return kinds.flatMap((kind, rank) =>
    names.filter((name) => {
      const folded = fold(name);
      if (rank === 0 && noIds.test(folded)) return false;
      if (otherUrls.test(folded) && rank !== 4) return false;
      return kind.test(folded) && kinds.findIndex((one) => one.test(folded)) === rank;
    }),
  );
}
