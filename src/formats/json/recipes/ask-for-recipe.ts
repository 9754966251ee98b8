/** A page about which the model is asked for a recipe: what is kept of the answer, and what is told. */
import { ExtractError, messageOf } from '../../../errors.ts';
import type { Model } from '../../../llm/model.ts';
import { learnRecipe, type Learned } from './learn-recipe.ts';
import { makeRecipe, type PageRecipes } from './page-recipes.ts';
import { entriesOf, type RecipeEntries } from './recipe-plan.ts';
import type { RecipePage, RecipeReading } from './recipe-reading.ts';
import { type RecipeChange, reportOf } from './recipe-report.ts';
import type { RecipeReader, RecipeResult } from './recipe-reader.ts';
import { learnNames } from './recipe-shelf.ts';
import type { Recipe } from './recipe.ts';
import { mostSuperseded, type ShelvedRecipe } from './stored-recipes.ts';

/** What led to the question. */
export interface Asked {
  readonly recipe: Recipe | undefined;
  readonly isFitting: boolean;
  readonly reason: string;
  readonly known: ShelvedRecipe | undefined;
  readonly reading: RecipeReading;
}

/**
 * Asks the model about a page, and keeps what is proven. Throws what asking throws; a page whose answers
 * cannot be used is counted.
 */
export async function askForRecipe(
  page: RecipePage,
  recipes: PageRecipes,
  reader: RecipeReader & { readonly model: Model },
  { recipe: old, isFitting, reason, known, reading }: Asked,
): Promise<RecipeResult> {
  const { shelf, plan, question } = recipes;
  const entries = old === undefined ? undefined : entriesOf(old.schema);
  // What a page taught of which nothing may be stored is not stored by way of another.
  const isTaught = recipes.keeps && (known ?? (old && shelf.knownById(old.id)))?.keeps === false;
  const mayTake = isFitting && !isTaught;
  let calls = 0;
  const learned = await learnRecipe(
    page,
    {
      ...{ ...reader, plan, schema: question.schema, prompt: question.prompt },
      onAnswer: () => {
        calls += 1;
        shelf.calls += 1;
      },
    },
    entries && { entries, isFitting: mayTake, unique: old?.unique ?? [] },
  ).catch((error: unknown) => {
    if (error instanceof ExtractError && !isFitting) shelf.fail(reading);
    throw error;
  });
  const before = isFitting ? (old?.unproven ?? []) : [];
  const unproven = [...new Set([...before, ...learned.unproven])].filter(
    (path) => learned.recipe?.leaves.has(path) !== true,
  );
  const told = { calls, reason, unproven };
  if (learned.recipe === undefined) {
    if (!isFitting) shelf.fail(reading);
    if (!isFitting) tellUnproven(learned, reader);
    return {
      extraction: learned.extraction,
      report: { ...reportOf(page.url, 'notLearned'), ...told },
    };
  }
  const made = makeRecipe(recipes, {
    ...learned.recipe,
    unproven,
    learnedFrom: page.url,
    model: reader.model.name,
    replaces: old?.id,
  });
  const changes = changesBetween(plan.paths, entries ?? new Map(), learned.recipe.entries);
  const isSame = old !== undefined && changes.length === 0;
  const isStored = isSame && known?.keeps === true;
  // Of a recipe that is stored, a page that leaves no trace says nothing.
  const isTraceless = isStored && !recipes.keeps;
  const names = new Set(mayTake ? known?.names : []);
  if (!isTraceless) learnNames(names, reading.names);
  const shelved: ShelvedRecipe = {
    recipe: !isSame || isTaught ? made : isTraceless ? old : { ...old, unproven },
    names,
    shape: new Set(isTraceless ? known.shape : reading.shape),
    // A second try is a request too.
    looks: (isFitting ? (known?.looks ?? 0) : 0) + (calls - 1),
    uses: (isFitting ? (known?.uses ?? 0) : 0) + 1,
    supersedes: isFitting && !isSame ? superseded(made.id, old, known) : [],
    keeps: recipes.keeps || isStored,
  };
  await keep(shelved, recipes, reader.warn);
  tellUnproven(learned, reader);
  const outcome = isSame
    ? 'confirmed'
    : old === undefined
      ? 'learned'
      : changes.some(({ before }) => before.length > 0)
        ? 'healed'
        : 'completed';
  if (outcome === 'healed') reader.warn(healedWarning(changes));
  return {
    extraction: learned.extraction,
    report: { ...reportOf(page.url, outcome, shelved.recipe), ...told, changes },
  };
}

/** Without the recipe's own id: sites go back to what they were. */
function superseded(
  id: string,
  old: Recipe | undefined,
  known: ShelvedRecipe | undefined,
): string[] {
  const all = [...(old === undefined ? [] : [old.id]), ...(known?.supersedes ?? [])];
  return all.filter((one) => one !== id).slice(0, mostSuperseded);
}

/** A storage that fails loses the recipe for other processes, not the page. */
async function keep(
  shelved: ShelvedRecipe,
  { shelf, keeps }: PageRecipes,
  warn: (sentence: string) => void,
): Promise<void> {
  try {
    await shelf.add(shelved, keeps);
  } catch (error) {
    await shelf.add(shelved, false);
    warn(`json: the recipe could not be stored: ${messageOf(error)}`);
  }
}

function changesBetween(
  paths: readonly string[],
  before: RecipeEntries,
  after: RecipeEntries,
): RecipeChange[] {
  return paths.flatMap((path) => {
    const [old, fresh] = [before.get(path), after.get(path)];
    if (JSON.stringify(old) === JSON.stringify(fresh)) return [];
    return [{ path, before: old?.selectors ?? [], after: fresh?.selectors ?? [] }];
  });
}

function tellUnproven({ unproven }: Learned, { warn }: RecipeReader): void {
  if (unproven.length === 0) return;
  warn(
    `json: given by the model, and by no selector that proves it: ${unproven.slice(0, 20).join(', ')}.`,
  );
}

function healedWarning(changes: readonly RecipeChange[]): string {
  const told = changes
    .slice(0, 10)
    .map(({ path, before, after }) => `${path}: ${shown(before)} → ${shown(after)}`);
  return `json: the recipe was healed: ${told.join('; ')}.`;
}

function shown(selectors: readonly string[]): string {
  return selectors.length === 0 ? 'none' : selectors.join(' or ');
}
