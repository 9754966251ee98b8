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

/** From this rank on a key is a name, which several things may have. */
const firstOfNames = 4;

/** The keys among an item schema's properties, the surest first. */
export function keyNames(item: JsonSchema): string[] {
  const ranked = Object.keys(item.properties ?? {}).flatMap((name) => {
    const rank = rankOf(name);
    return rank === undefined ? [] : [{ name, rank }];
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ name }) => name);
}

/** True for an id, a number or an address: two things do not share one. */
export function isSureKey(name: string): boolean {
  return (rankOf(name) ?? Infinity) < firstOfNames;
}

function rankOf(name: string): number | undefined {
  const folded = fold(name);
  const rank = kinds.findIndex((kind) => kind.test(folded));
  if (rank === -1 || (rank === 0 && noIds.test(folded))) return undefined;
  return otherUrls.test(folded) && rank !== firstOfNames ? undefined : rank;
}
