/** Availability and condition in the words of schema.org, whatever the page writes. */
import { fold } from '../json/names.ts';
import type { ProductAvailability, ProductCondition } from './product.ts';

/** By rank: of several offers, the one that can be had soonest. */
const ranked: readonly ProductAvailability[] = [
  'InStock',
  'LimitedAvailability',
  'OnlineOnly',
  'InStoreOnly',
  'PreSale',
  'PreOrder',
  'MadeToOrder',
  'BackOrder',
  'Reserved',
  'SoldOut',
  'OutOfStock',
  'Discontinued',
];

/** Other words, folded: of OpenGraph, of feeds, and of texts that are marked up. */
const words: ReadonlyMap<string, ProductAvailability> = new Map(
  Object.entries({
    InStock:
      'available instock instocknow ispresent true yes auflager lieferbar verfugbar sofortlieferbar ' +
      'sofortverfugbar vorratig enstock disponible disponibile opvoorraad ilager palager pålager skladem',
    OutOfStock:
      'oos unavailable notavailable notinstock outofstock false no nichtauflager nichtlieferbar nichtverfugbar ' +
      'ausverkauft rupturedestock epuise agotado sinstock nondisponibile esaurito uitverkocht slutilager',
    PreOrder: 'preorder presales vorbestellbar precommande',
    BackOrder: 'backorder backordered availablefororder surcommande',
    LimitedAvailability: 'limited limitedstock lowstock fewleft',
    Discontinued: 'discontinued nolongeravailable',
    SoldOut: 'soldout',
    InStoreOnly: 'instoreonly onlyinstore',
    OnlineOnly: 'onlineonly onlyonline',
  }).flatMap(([name, list]) =>
    list.split(' ').map((word) => [fold(word), name as ProductAvailability] as const),
  ),
);

/** `https://schema.org/InStock`, `in stock`, `oos`; undefined for words that are not known. */
export function availabilityOf(text: string): ProductAvailability | undefined {
  const word = lastPart(text);
  return ranked.find((name) => name.toLowerCase() === word) ?? words.get(word);
}

/** The best of several. */
export function bestAvailability(
  all: readonly (ProductAvailability | undefined)[],
): ProductAvailability | undefined {
  return ranked.find((name) => all.includes(name));
}

/** `https://schema.org/NewCondition`, `refurbished`. */
export function conditionOf(text: string): ProductCondition | undefined {
  const word = lastPart(text).replace(/condition$/, '');
  const conditions: readonly ProductCondition[] = ['New', 'Refurbished', 'Used', 'Damaged'];
  return conditions.find((name) => name.toLowerCase() === word);
}

function lastPart(text: string): string {
  return fold(
    text
      .trim()
      .slice(0, 200)
      .replace(/^(?:https?:\/\/|schema:).*[#/:]/, ''),
  );
}
