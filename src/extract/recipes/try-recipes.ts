/** Finds the recipe that fits a page best, with its data. */
import { type CompiledSchema, isSchemaObject } from '../schema/json-schema.ts';
import type { PageExtraction } from '../heuristics/extract-without-model.ts';
import { tidyAnswer } from '../with-model/answer-schema.ts';
import { type PlanPart, planPath, type RecipePlan } from './recipe-plan.ts';
import type { TriedSchema } from './recipe-page.ts';
import type { Recipe } from './recipe.ts';
import { compact } from '../../core/runtime/compact.ts';

/** A recipe that fits. */
export interface RecipeFit {
  readonly recipe: Recipe;
  /** The extraction in the form of the caller's schema. */
  readonly extraction: PageExtraction;
  /** Paths with a value. */
  readonly found: ReadonlySet<string>;
}

const leastShare = 0.5; // of the recipe's proven values that a page must have

/** The recipe with the most values, the first of equals; undefined when none fits. */
export async function bestFit(
  plan: RecipePlan,
  schema: CompiledSchema,
  recipes: readonly Recipe[],
  tried: readonly (TriedSchema | undefined)[],
): Promise<RecipeFit | undefined> {
  let best: RecipeFit | undefined;
  for (const [index, recipe] of recipes.entries()) {
    const result = tried[index];
    const fit = result === undefined ? undefined : fitOf(plan, recipe, result);
    if (fit === undefined || fit.found.size <= (best?.found.size ?? 0)) continue;
    if ('value' in (await schema.validate(fit.extraction.value))) best = fit;
  }
  return best;
}

function fitOf(
  plan: RecipePlan,
  recipe: Recipe,
  { extraction, matches }: TriedSchema,
): RecipeFit | undefined {
  const found = foundPaths(extraction);
  const leaves = recipe.leaves.filter((path) => !path.endsWith('[]') || isPlainList(plan, path));
  const given = leaves.filter((path) => found.has(path)).length;
  if (given < Math.max(1, leaves.length * leastShare)) return undefined;
  // On a list page the recipe would take the first entry for the page's subject.
  if (recipe.unique.some((path) => (matches[path] ?? 0) > 1)) return undefined;
  return { recipe, extraction: ownForm(plan, extraction, new Set(recipe.leaves)), found };
}

/** In the form of the caller's schema: null where it allows null; an empty list stays a list. */
export function ownForm(
  { root, schema }: RecipePlan,
  { value, sources, selectors }: PageExtraction,
  leaves: ReadonlySet<string>,
): PageExtraction {
  const filled = root === undefined ? value : withEmptyLists(root, value, leaves);
  const tidied = tidyAnswer(filled ?? {}, schema);
  return compact({ value: tidied.value, notFound: tidied.notFound, sources, selectors });
}

/** Paths with a value, in the plan's form. */
function foundPaths({ sources }: PageExtraction): ReadonlySet<string> {
  return new Set(Object.keys(sources).map(planPath));
}

function withEmptyLists(part: PlanPart, value: unknown, leaves: ReadonlySet<string>): unknown {
  const { kind, path, shape } = part;
  if (kind === 'values' || kind === 'rows') {
    return value === undefined && leaves.has(path) && !shape.nullable ? [] : value;
  }
  if (kind !== 'object' || (value !== undefined && !isSchemaObject(value))) return value;
  const members = new Map(Object.entries(value ?? {}));
  for (const [name, member] of part.members) {
    const own = withEmptyLists(member, members.get(name), leaves);
    if (own !== undefined) members.set(name, own);
  }
  return value === undefined && members.size === 0 ? undefined : Object.fromEntries(members);
}

/** Rows are counted by their values. */
function isPlainList({ paths }: RecipePlan, path: string): boolean {
  return !paths.some((one) => one.startsWith(`${path}.`));
}
