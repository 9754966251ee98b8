/** The rating that a page gives for a product. */
import type { Entity } from '../json/entities.ts';
import { coerceNumber } from '../json/coerce-number.ts';
import { entitiesIn, rawText } from './entity-text.ts';
import type { ProductRating } from './product.ts';
import { type PageContext, present } from './product-facts.ts';

/** Of schema.org's `aggregateRating`; undefined when it has no value, or one that is not on its scale. */
export function ratingOf(product: Entity, context: PageContext): ProductRating | undefined {
  const [rating] = entitiesIn(product, 'aggregaterating');
  if (rating === undefined) return undefined;
  const value = numberOf(rating, context, 'ratingvalue');
  if (value === undefined) return undefined;
  const best = numberOf(rating, context, 'bestrating');
  // Schema.org's default is 5, but pages leave it out for other scales too.
  if (value < 0 || value > (best ?? 100)) {
    context.warn(`product: the rating ${value} was left out: it is not on its scale.`);
    return undefined;
  }
  return present({
    value,
    best,
    count: countOf(rating, context, 'ratingcount'),
    reviewCount: countOf(rating, context, 'reviewcount'),
  });
}

function countOf(rating: Entity, context: PageContext, name: string): number | undefined {
  const text = rawText(rating, name)?.slice(0, 100) ?? '';
  // There are no halves of ratings: a point parts thousands.
  const isGrouped = /^\s*\d{1,3}(?:[.,]\d{3})+\s*$/.test(text);
  const count = isGrouped ? Number(text.replace(/\D/g, '')) : numberOf(rating, context, name);
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function numberOf(rating: Entity, { language }: PageContext, name: string): number | undefined {
  const text = rawText(rating, name)?.slice(0, 100);
  if (text === undefined) return undefined;
  if (/^\s*-?\d+(?:\.\d+)?\s*$/.test(text)) return Number(text);
  return coerceNumber(text, { language, unit: undefined });
}
