/** A recipe: the selectors of one page template as JSON that people can review; its option and report. */
import { z } from 'zod';
import { ValidationError } from '../../core/runtime/errors.ts';
import { checkJsonSchema } from '../schema/compile-schema.ts';
import { isSchemaObject, type JsonSchema } from '../schema/json-schema.ts';

const limits = {
  leaves: 500, // of a recipe from a caller or a store
  characters: 500_000,
  longestSelector: 500,
  given: 50,
};

/**
 * Plain JSON: commit it, review it, pass it as the option `recipe`. Its `schema` works without
 * recipes too, as the schema of a json format.
 */
export interface Recipe {
  /** The version of this format. */
  readonly format: 1;
  /** Equal for the same host and selectors. */
  readonly id: string;
  /** Host and port of its pages. */
  readonly host: string;
  /** The leaves with selectors, each with `x-selector`, `x-attribute` and `x-transform`. */
  readonly schema: JsonSchema;
  /** The paths of the leaves: `name`, `offers[].price`; `offers[]` are the rows themselves. */
  readonly leaves: readonly string[];
  /** Leaves whose selector matched only one element: where it matches more, the recipe does not fit. */
  readonly unique: readonly string[];
  /** Paths that the model gave, but without a working selector: pages have no value there. */
  readonly unproven: readonly string[];
  /** URL of the page on which it was proven. */
  readonly learnedFrom: string;
  /** ISO 8601. */
  readonly learnedAt: string;
  /** The model's name. */
  readonly model: string;
  /** The `id` of the recipe that it replaces, which fitted no more or was completed. */
  readonly replaces?: string | undefined;
}

export const longestHost = 300;

export const longestUrl = 5000;

export const longestModelName = 300;

const paths = z.array(z.string().max(500)).max(limits.leaves);

const recipeShape = z.object({
  format: z.literal(1),
  id: z.string().min(1).max(100),
  host: z.string().min(1).max(longestHost),
  schema: z.custom<JsonSchema>(isSchemaObject, 'expected a JSON Schema'),
  leaves: paths,
  unique: paths,
  unproven: paths,
  learnedFrom: z.string().max(longestUrl),
  learnedAt: z.string().max(50),
  model: z.string().max(longestModelName),
  replaces: z.string().max(100).optional(),
});

/** Checks a possible recipe. Throws an `Error` that names the problem. */
export function checkRecipe(value: unknown): Recipe {
  const { success, data, error } = recipeShape.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    throw new Error(`${issue?.path.join('.') || 'the recipe'}: ${issue?.message ?? 'wrong'}`);
  }
  if (JSON.stringify(data).length > limits.characters) throw new Error('the recipe is too long');
  if (longest(data.schema) > limits.longestSelector) {
    throw new Error(`schema: a selector has at most ${limits.longestSelector} characters`);
  }
  try {
    checkJsonSchema(data.schema);
  } catch (failure) {
    if (!(failure instanceof ValidationError)) throw failure;
    throw new Error(`schema: ${failure.issues[0]?.message ?? failure.message}`, { cause: failure });
  }
  return data;
}

/** The longest selector in it. */
function longest(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Object.hasOwn(value, 'x-selector') ? (value as JsonSchema)['x-selector'] : undefined;
  const here = [own ?? []].flat().map((one) => String(one).length);
  return Math.max(0, ...here, ...Object.values(value).map(longest));
}

// The option `recipe`, checked.

/**
 * `learn`: stored recipes of the client are used, and where none fits its model is asked once for
 * one. `use`: only stored recipes, without a model. A recipe or several: these come first; where none
 * fits, the model is asked where the client has one.
 */
export type RecipeChoice = 'learn' | 'use' | Recipe | readonly Recipe[];

/** The choice, checked. */
export interface RecipeSettings {
  /** The caller's own recipes. */
  readonly given: readonly Recipe[];
  /** True when a model may be asked where no recipe fits. */
  readonly learns: boolean;
}

/** Throws an `Error` that begins with the option's name; the caller refuses `learn` without a model. */
export function parseRecipeChoice(choice: unknown, hasModel: boolean): RecipeSettings | undefined {
  if (choice === undefined) return undefined;
  if (choice === 'learn') return { given: [], learns: true };
  if (choice === 'use') return { given: [], learns: false };
  if (typeof choice !== 'object' || choice === null) {
    throw new Error(`recipe: expected "learn", "use", a recipe or a list of them`);
  }
  const list: readonly unknown[] = Array.isArray(choice) ? choice : [choice];
  if (list.length === 0 || list.length > limits.given) {
    throw new Error(`recipe: expected 1 to ${limits.given} recipes, got ${list.length}`);
  }
  try {
    return { given: list.map(checkRecipe), learns: hasModel };
  } catch (error) {
    throw new Error(`recipe: this is not a recipe: ${(error as Error).message}`, { cause: error });
  }
}

// The report about a page's recipe.

/** The change of one leaf. */
export interface RecipeChange {
  /** The path as in the recipe: `offers[].price`. */
  readonly path: string;
  /** Selectors of the recipe that no longer fitted; empty for a new leaf. */
  readonly before: readonly string[];
  /** The new selectors; empty for a leaf that the page no longer supports. */
  readonly after: readonly string[];
}

/**
 * The recipe's part in reading a page: `applied`, no model was asked, or in vain; `learned`, the first one of its
 * template; `completed`, leaves were added to the recipe; `healed`, selectors no longer fitted; `confirmed`, the
 * model was asked and the recipe was right; `notLearned`, the values are the model's, since none of its
 * selectors could be proven.
 */
export type RecipeOutcome =
  'applied' | 'learned' | 'completed' | 'healed' | 'confirmed' | 'notLearned';

/** The report in `document.jsonRecipe`, and for each page in the result of `extract()`. */
export interface RecipeReport {
  readonly url: string;
  readonly outcome: RecipeOutcome;
  /** The id of the current recipe; undefined for `notLearned`. */
  readonly id: string | undefined;
  /** Model requests for this page: one, or two where the first answer could not be used. */
  readonly calls: number;
  /** New and changed selectors. */
  readonly changes: readonly RecipeChange[];
  /** Paths that the model gave, but without a working selector: other pages have no value there. */
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
