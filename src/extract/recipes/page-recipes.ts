/** The recipes that apply to a page. */
import type { CompiledSchema } from '../schema/json-schema.ts';
import { hostOf, type HostRecipes, questionKey, type SelectorStore } from './selector-store.ts';
import { shortHash } from '../../core/runtime/identifiers.ts';
import {
  longestHost,
  longestModelName,
  longestUrl,
  type Recipe,
  type RecipeSettings,
} from './recipe.ts';
import { planRecipe, type RecipeEntries, type RecipePlan, selectorSchema } from './recipe-plan.ts';

/** The question about a page. */
export interface RecipeQuestion {
  readonly schema: CompiledSchema;
  readonly prompt: string | undefined;
  readonly recipe: RecipeSettings;
}

/** A page's question, with the recipes for it. */
export interface PageRecipes {
  readonly question: RecipeQuestion;
  readonly plan: RecipePlan;
  readonly hostRecipes: HostRecipes;
  readonly host: string;
  /** True when learned recipes are stored. */
  readonly keeps: boolean;
  readonly now: () => number;
  /** The recipes that the first reading of the page tries. */
  readonly first: readonly Recipe[];
}

/** Options for opening the recipes. */
export interface RecipeOpening {
  /** True when learned recipes are stored. */
  readonly keeps: boolean;
  /** The visitor that requested the page: recipes learned from it are for the same visitor. */
  readonly identity: string | undefined;
  /** Aborts waiting for the storage. */
  readonly signal: AbortSignal;
}

/** Opens the recipes for a page. */
export async function openRecipes(
  selectorStore: SelectorStore,
  url: string,
  question: RecipeQuestion,
  { keeps, identity, signal }: RecipeOpening,
): Promise<PageRecipes> {
  const { schema, prompt } = question;
  const host = hostOf(url);
  const hostRecipes = await selectorStore.recipesOfHost(
    host,
    questionKey(schema.jsonSchema, prompt, identity),
    signal,
  );
  const plan = planRecipe(schema.jsonSchema);
  return {
    question,
    plan,
    hostRecipes,
    host,
    now: () => selectorStore.clock.now(),
    // The recipes of a document without a host could not be looked up.
    keeps: keeps && host !== '' && host.length <= longestHost,
    first: recipesOf({ question, hostRecipes, host }),
  };
}

/** The recipes to try: the caller's own first, then the newest. */
export function recipesOf({
  question,
  hostRecipes,
  host,
}: Pick<PageRecipes, 'question' | 'hostRecipes' | 'host'>): Recipe[] {
  const gone = new Set(hostRecipes.recipes.flatMap(({ supersedes }) => supersedes));
  const given = question.recipe.given.filter((one) => one.host === host && !gone.has(one.id));
  const ids = new Set(given.map(({ id }) => id));
  const stored = hostRecipes.recipes.map(({ recipe }) => recipe).filter(({ id }) => !ids.has(id));
  return [...given, ...stored];
}

/** Facts about a learned recipe. */
export interface RecipeFacts extends Pick<
  Recipe,
  'unique' | 'unproven' | 'learnedFrom' | 'model' | 'replaces'
> {
  readonly entries: RecipeEntries;
  readonly leaves: ReadonlySet<string>;
}

/** Makes the recipe. */
export function makeRecipe({ plan, host, now }: PageRecipes, facts: RecipeFacts): Recipe {
  const { entries, leaves, unique, unproven, learnedFrom, model, replaces } = facts;
  const schema = selectorSchema(plan, entries);
  const id = shortHash([host, schema]);
  return {
    format: 1,
    id,
    host,
    schema,
    leaves: plan.paths.filter((path) => leaves.has(path)),
    unique,
    unproven,
    learnedFrom: learnedFrom.slice(0, longestUrl),
    learnedAt: new Date(now()).toISOString(),
    model: model.slice(0, longestModelName),
    ...(replaces === undefined || replaces === id ? {} : { replaces }),
  };
}
