/** A learned recipe: where the pages of one template have their values, as JSON that people can review. */
import { z } from 'zod';
import { ValidationError } from '../../../errors.ts';
import { checkJsonSchema } from '../check-json-schema.ts';
import { isSchemaObject, type JsonSchema } from '../json-schema.ts';

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
