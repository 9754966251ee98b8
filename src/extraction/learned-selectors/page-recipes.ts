/** The recipes that a page may be read by. */
import type { CompiledSchema } from '../schema/json-schema.ts';
import {
  hostOf,
  type HostRecipes,
  questionKey,
  type SelectorStore,
  shortHash,
} from './selector-store.ts';
import {
  longestHost,
  longestModelName,
  longestUrl,
  type Recipe,
  type RecipeSettings,
} from './recipe.ts';
import { planRecipe, type RecipeEntries, type RecipePlan, selectorSchema } from './recipe-plan.ts';

/** What is asked of a page. */
export interface RecipeQuestion {
  readonly schema: CompiledSchema;
  readonly prompt: string | undefined;
  readonly recipe: RecipeSettings;
}

/** A page's question, with the recipes that there are for it. */
export interface PageRecipes {
  readonly question: RecipeQuestion;
  readonly plan: RecipePlan;
  readonly hostRecipes: HostRecipes;
  readonly host: string;
  /** What is learned is stored. */
  readonly keeps: boolean;
  readonly now: () => number;
  /** Those that the first reading of the page tries. */
  readonly first: readonly Recipe[];
}

/** How they are opened. */
export interface RecipeOpening {
  /** What is learned is stored. */
  readonly keeps: boolean;
  /** Who asked for the page: what is learned of it is for the same visitor. */
  readonly identity: string | undefined;
  /** Ends the waiting for the storage. */
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
    // Nobody could ask for the recipes of a document without a host.
    keeps: keeps && host !== '' && host.length <= longestHost,
    first: recipesOf({ question, hostRecipes, host }),
  };
}

/** The recipes to be tried now: the caller's own first, then the newest. */
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

/** What is known of a recipe that was learned. */
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
