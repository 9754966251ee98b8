/** What became of a page's recipe. */
import type { Recipe } from './recipe.ts';

/** Of one leaf. */
export interface RecipeChange {
  /** As in the recipe: `offers[].price`. */
  readonly path: string;
  /** Selectors of the recipe that fitted no more; empty for a new leaf. */
  readonly before: readonly string[];
  /** Empty for a leaf that the page gives no evidence of any more. */
  readonly after: readonly string[];
}

/**
 * What a page's recipe did: `applied`, no model was asked, or to no end; `learned`, the first one of its template;
 * `completed`, leaves that the recipe did not have yet; `healed`, selectors fitted no more; `confirmed`,
 * the model was asked and the recipe was right; `notLearned`, the values are the model's, since no
 * selectors of it could be proven.
 */
export type RecipeOutcome =
  'applied' | 'learned' | 'completed' | 'healed' | 'confirmed' | 'notLearned';

/** In `document.jsonRecipe`, and for each page in the result of `extract()`. */
export interface RecipeReport {
  readonly url: string;
  readonly outcome: RecipeOutcome;
  /** Of the recipe that holds now; undefined for `notLearned`. */
  readonly id: string | undefined;
  /** Requests of the model for this page: one, or two where its first answer could not be used. */
  readonly calls: number;
  /** Selectors that are new or others now. */
  readonly changes: readonly RecipeChange[];
  /** Paths that the model gave, but no selector of it: other pages have no value there. */
  readonly unproven: readonly string[];
  /** Why the model was asked. */
  readonly reason?: string | undefined;
}

/** A report without requests and changes. */
export function reportOf(
  url: string,
  outcome: RecipeReport['outcome'],
  recipe?: Recipe,
): RecipeReport {
  return { url, outcome, id: recipe?.id, calls: 0, changes: [], unproven: recipe?.unproven ?? [] };
}
