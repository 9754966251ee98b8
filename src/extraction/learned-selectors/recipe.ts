/** A recipe: the learned selectors of one page template as JSON that people can review; the option for it, and the report about it. */
import { z } from 'zod';
import { ValidationError } from '../../errors.ts';
import { checkJsonSchema } from '../schema/compile-schema.ts';
import { isSchemaObject, type JsonSchema } from '../schema/json-schema.ts';

/**
 * Plain JSON: commit it, review it, hand it over as the option `recipe`. Its `schema` works without
 * recipes too, as the schema of a json format.
 */
export interface Recipe {
  /** Of this form. */
  readonly format: 1;
  /** The same for the same host and selectors. */
  readonly id: string;
  /** Host and port of the pages that it is for. */
  readonly host: string;
  /** The leaves that selectors give, each with `x-selector`, `x-attribute` and `x-transform`. */
  readonly schema: JsonSchema;
  /** Their paths: `name`, `offers[].price`; `offers[]` are the rows themselves. */
  readonly leaves: readonly string[];
  /** Of them, those whose selector matched one element only: where it matches more, the recipe does not fit. */
  readonly unique: readonly string[];
  /** Paths that the model gave, but no selector of it: pages have no value there. */
  readonly unproven: readonly string[];
  /** The page that it was proven on. */
  readonly learnedFrom: string;
  /** ISO 8601. */
  readonly learnedAt: string;
  /** The model's name. */
  readonly model: string;
  /** The `id` of the recipe that it was made from when that fitted no more, or was completed. */
  readonly replaces?: string | undefined;
}

/** Of a recipe that a caller or a store brings. */
const mostLeaves = 500;

const mostCharacters = 500_000;

const longestSelector = 500;

export const longestHost = 300;

export const longestUrl = 5000;

export const longestModelName = 300;

const paths = z.array(z.string().max(500)).max(mostLeaves);

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

/** Checks what may be a recipe. Throws an `Error` that says what is wrong. */
export function checkRecipe(value: unknown): Recipe {
  const { success, data, error } = recipeShape.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    throw new Error(`${issue?.path.join('.') || 'the recipe'}: ${issue?.message ?? 'wrong'}`);
  }
  if (JSON.stringify(data).length > mostCharacters) throw new Error('the recipe is too long');
  if (longest(data.schema) > longestSelector) {
    throw new Error(`schema: a selector has at most ${longestSelector} characters`);
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

// The report about a page's recipe.

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
