/** The terms of a product from those of its offers or variants. */
import { bestAvailability } from './availability.ts';
import type { ProductTerms } from './product.ts';
import { present } from './product-facts.ts';

/** One price where all are the same, else the range; the best availability; what all agree on. */
export function mergeTerms(all: readonly ProductTerms[]): ProductTerms {
  const [first] = all;
  if (first === undefined) return {};
  if (all.length === 1) return first;
  // Prices of different currencies cannot be compared: those of the first one count.
  const priced = all.filter(hasPrice);
  const currency = priced[0]?.currency ?? first.currency;
  const same = priced.filter((terms) => terms.currency === priced[0]?.currency);
  return present({
    ...rangeOf(same),
    currency,
    availability: bestAvailability(all.map((terms) => terms.availability)),
    condition: agreed(all.map((terms) => terms.condition)),
  });
}

function rangeOf(priced: readonly ProductTerms[]): ProductTerms {
  const lows = priced.flatMap((terms) => lowOf(terms) ?? []);
  const highs = priced.flatMap((terms) => terms.price ?? terms.highPrice ?? []);
  const low = lows.reduce((a, b) => Math.min(a, b), Infinity);
  const high = highs.reduce((a, b) => Math.max(a, b), -Infinity);
  if (low === Infinity) return {};
  if (highs.length < lows.length) return { lowPrice: low };
  if (low < high) return { lowPrice: low, highPrice: high };
  return present({
    price: low,
    originalPrice: agreed(priced.map((terms) => terms.originalPrice)),
    unitPrice: priced[0]?.unitPrice,
  });
}

/** True where something is said of the price. */
export function hasPrice(terms: ProductTerms): boolean {
  return lowOf(terms) !== undefined;
}

function lowOf(terms: ProductTerms): number | undefined {
  return terms.price ?? terms.lowPrice;
}

/** The value that all have. */
function agreed<T>(values: readonly (T | undefined)[]): T | undefined {
  const [first] = values;
  return values.every((value) => value === first) ? first : undefined;
}
