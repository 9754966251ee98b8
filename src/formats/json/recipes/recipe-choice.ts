/** What a caller says about recipes, checked. */
import { checkRecipe, type Recipe } from './recipe.ts';

/**
 * `learn`: recipes of the client's storage are used, and where none fits its model is asked once for
 * one. `use`: stored recipes, and no model for this. A recipe or several: these come first; where none
 * fits, the model is asked where the client has one.
 */
export type RecipeChoice = 'learn' | 'use' | Recipe | readonly Recipe[];

/** The choice, checked. */
export interface RecipeSettings {
  /** The caller's own. */
  readonly given: readonly Recipe[];
  /** A model may be asked for what no recipe fits. */
  readonly learns: boolean;
}

const mostGiven = 50;

/** Throws an `Error` that begins with the option's name; `learn` without a model is the caller's to refuse. */
export function parseRecipeChoice(choice: unknown, hasModel: boolean): RecipeSettings | undefined {
  if (choice === undefined) return undefined;
  if (choice === 'learn') return { given: [], learns: true };
  if (choice === 'use') return { given: [], learns: false };
  if (typeof choice !== 'object' || choice === null) {
    throw new Error(`recipe: expected "learn", "use", a recipe or a list of them`);
  }
  const list: readonly unknown[] = Array.isArray(choice) ? choice : [choice];
  if (list.length === 0 || list.length > mostGiven) {
    throw new Error(`recipe: expected 1 to ${mostGiven} recipes, got ${list.length}`);
  }
  try {
    return { given: list.map(checkRecipe), learns: hasModel };
  } catch (error) {
    throw new Error(`recipe: this is no recipe: ${(error as Error).message}`, { cause: error });
  }
}
