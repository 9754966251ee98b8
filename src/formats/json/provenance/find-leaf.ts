/** Where on the page a leaf may come from. */
import { wordsOf } from '../names.ts';
import { wantedUnit } from '../units.ts';
import { firstPlace } from './candidates.ts';
import type { Sighting } from './sighting.ts';
import { findBoolean } from './find-boolean.ts';
import { findText } from './find-text.ts';
import type { Leaf } from './leaves.ts';
import { numberWords } from './number-words.ts';
import type { PageIndex } from './page-index.ts';

/** Looks for one leaf. */
export function findLeaf(leaf: Leaf, page: PageIndex): Sighting {
  const { value, shape } = leaf;
  const { schema } = shape;
  page.budget.steps -= 1 + (typeof value === 'string' ? value.length >> 2 : 0);
  if (page.budget.steps < 0) return { otherwise: 'unverified' };
  const sighting =
    typeof value === 'boolean'
      ? findBoolean(leaf.name, value, schema.title, page)
      : typeof value === 'number'
        ? findNumber(leaf, value, page)
        : findText({ ...leaf, value }, page);
  if (sighting.candidates !== undefined) return sighting;
  // A choice among the schema's words need not be a word of the page.
  const isOpen = schema.enum !== undefined || !page.isWhole || page.budget.steps < 0;
  return isOpen ? { otherwise: 'unverified' } : sighting;
}

function findNumber(leaf: Leaf, value: number, page: PageIndex): Sighting {
  const { numbers, texts } = page;
  const unit = wantedUnit(wordsOf(leaf.name), leaf.shape.schema.description ?? '');
  const places = numbers.find(value, unit);
  if (places.count > 0) return { candidates: places, otherwise: 'notFound' };
  for (const word of numberWords(value, page.language)) {
    const candidates = texts.find(word);
    if (candidates !== undefined && firstPlace(candidates) !== undefined) {
      return { candidates, otherwise: 'notFound' };
    }
  }
  return { otherwise: numbers.isComplete ? 'notFound' : 'unverified' };
}
