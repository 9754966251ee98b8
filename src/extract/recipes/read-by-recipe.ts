/** Reads a page by a recipe; if none fits, one page calls the model while the others wait for its answer. */
import { withSignal } from '../../core/runtime/deadline.ts';
import { ExtractError, messageOf } from '../../core/runtime/errors.ts';
import type { Model } from '../llm/model.ts';
import { type LearnedRecipe, learnRecipe } from './learn-recipe.ts';
import { makeRecipe, type PageRecipes, recipesOf } from './page-recipes.ts';
import type { RecipePage, RecipeReader, RecipeReading, RecipeResult } from './recipe-page.ts';
import { entriesOf, type RecipeEntries, type RecipePlan } from './recipe-plan.ts';
import { type Recipe, type RecipeChange, type RecipeReport, reportOf } from './recipe.ts';
import { hasNew, isFull, learnNames, mostSuperseded, type StoredRecipe } from './selector-store.ts';
import { likeness } from './template-names.ts';
import { bestFit, type RecipeFit } from './try-recipes.ts';

const limits = {
  freeCalls: 8, // model requests for one host and question, besides one per `pagesPerCall`
  pagesPerCall: 10,
  pagesPerReview: 100, // pages of a recipe after which the model may be called for new names again
  sameTemplate: 0.5, // least similarity of a page's nesting to the recipe that it replaces
};

/**
 * Throws `EXTRACT_INVALID` if no recipe fits and the model may not be called: no model is set, the page is an
 * error, or it was already called for pages like this one. Passes on the model's errors.
 */
export async function readByRecipe(
  page: RecipePage,
  recipes: PageRecipes,
  reader: RecipeReader,
): Promise<RecipeResult> {
  const { hostRecipes, question, plan } = recipes;
  const { model, signal } = reader;
  hostRecipes.pages += 1;
  let tried = recipes.first;
  let { reading } = page;
  for (;;) {
    const current = recipesOf(recipes);
    if (!areSame(current, tried)) {
      tried = current;
      const candidates = current.map(({ schema }) => schema);
      reading = await page.read({ candidates, outline: 0 });
    }
    const fit = await bestFit(plan, question.schema, tried, reading.tried);
    // A recipe was learned meanwhile.
    if (!areSame(recipesOf(recipes), tried)) continue;
    const known = fit && hostRecipes.known(fit.recipe, reading, recipes.keeps);
    const missing = fit === undefined ? [] : missingIn(plan, fit);
    const reason =
      fit === undefined || known === undefined
        ? `no recipe fitted: there ${tried.length === 1 ? 'was 1' : `were ${tried.length}`}`
        : reasonToReview(missing, known, fit.recipe, reading);
    // The learning page may find the missing values.
    if (reason !== undefined && hostRecipes.learning !== undefined) {
      await withSignal(hostRecipes.learning, signal);
      continue;
    }
    const mayReview = known === undefined || hasReviewsLeft(known);
    const usable = mayReview && mayCallModel(page, recipes, reading) ? model : undefined;
    if (
      fit !== undefined &&
      known !== undefined &&
      (reason === undefined || usable === undefined)
    ) {
      const mayLearn = recipes.keeps || !known.keeps;
      if (missing.length === 0 && mayLearn) learnNames(known.names, reading.names);
      return applied(page, fit, known, {});
    }
    if (usable === undefined || reason === undefined) throw nothingFits(page, recipes, reading);
    const done = hostRecipes.beginLearning();
    const before = hostRecipes.calls;
    try {
      const learn = async (): Promise<RecipeResult | undefined> => {
        if (recipes.keeps) await hostRecipes.refresh();
        // Another process may have added or removed a recipe meanwhile.
        if (!areSame(recipesOf(recipes), tried)) return undefined;
        if (known !== undefined) known.looks += 1;
        const outdated = fit?.recipe ?? outdatedBy(reading, tried, recipes);
        const led = { recipe: outdated, isFitting: fit !== undefined, reason, known, reading };
        return requestRecipe(page, recipes, { ...reader, model: usable }, led);
      };
      // Other pages wait: a model or storage that never answers must not block them.
      const result = await withSignal(learn(), signal);
      if (result === undefined) continue;
      if (fit === undefined || result.report.outcome !== 'notLearned') return result;
      return applied(page, fit, known, result.report);
    } catch (error) {
      // The recipe fits: the model was only called for new values.
      if (fit === undefined || signal.aborted) throw error;
      reader.warn(`json: the recipe was not looked at again: ${messageOf(error)}`);
      return applied(page, fit, known, { calls: hostRecipes.calls - before, reason });
    } finally {
      done();
    }
  }
}

/** The result for a page that a recipe fits, and from which nothing was learned. */
function applied(
  { url }: RecipePage,
  { recipe, extraction }: RecipeFit,
  known: StoredRecipe | undefined,
  details: Partial<RecipeReport>,
): RecipeResult {
  if (known !== undefined) known.uses += 1;
  const report = reportOf(url, 'applied', recipe);
  return { extraction, report: { ...report, ...details, outcome: 'applied', id: recipe.id } };
}

function areSame(some: readonly Recipe[], others: readonly Recipe[]): boolean {
  return some.length === others.length && some.every(({ id }, at) => id === others[at]?.id);
}

/** True if a model may be called for this page. */
function mayCallModel(
  { isError }: RecipePage,
  { question, hostRecipes }: PageRecipes,
  reading: RecipeReading,
): boolean {
  if (!question.recipe.learns || isError) return false;
  if (hostRecipes.calls >= limits.freeCalls + Math.floor(hostRecipes.pages / limits.pagesPerCall))
    return false;
  return !hostRecipes.hasFailed(reading);
}

/** Paths without a value; rows are counted by their values. */
function missingIn({ paths }: RecipePlan, { found }: RecipeFit): string[] {
  const isRows = (path: string): boolean => paths.some((one) => one.startsWith(`${path}.`));
  return paths.filter((path) => !found.has(path) && !(path.endsWith('[]') && isRows(path)));
}

/**
 * Undefined if a fitting recipe needs no review: all values are found, or values are missing on a page
 * without new names, which means that the page does not have them.
 */
function reasonToReview(
  missing: readonly string[],
  { names: known }: StoredRecipe,
  { unproven }: Recipe,
  { names }: RecipeReading,
): string | undefined {
  const open = missing.filter((path) => !unproven.includes(path));
  if (open.length === 0 || isFull(known) || !hasNew(names, [known])) return undefined;
  return `not found, on a page with new names: ${open.slice(0, 10).join(', ')}`;
}

/** True if a model may be called for a page that the recipe fits. */
function hasReviewsLeft({ looks, uses }: StoredRecipe): boolean {
  return looks < 1 + Math.floor(uses / limits.pagesPerReview);
}

/** The outdated recipe of this page's probable template. */
function outdatedBy(
  { shape, names }: RecipeReading,
  tried: readonly Recipe[],
  { hostRecipes }: PageRecipes,
): Recipe | undefined {
  const own = { names: new Set(names), shape: new Set(shape) };
  let best: { readonly recipe: Recipe; readonly share: number } | undefined;
  for (const recipe of tried) {
    const known = hostRecipes.knownById(recipe.id);
    if (known === undefined) continue;
    const share = Math.max(likeness(known.shape, own.shape), likeness(known.names, own.names));
    if (share >= limits.sameTemplate && share > (best?.share ?? 0)) best = { recipe, share };
  }
  // Nothing is known of a caller's recipe that never fitted.
  return best?.recipe ?? tried.find(({ id }) => hostRecipes.knownById(id) === undefined);
}

function nothingFits(
  { url, isError }: RecipePage,
  { question, hostRecipes }: PageRecipes,
  reading: RecipeReading,
): ExtractError {
  const why = isError
    ? 'it is an error page, from which nothing is learned'
    : !question.recipe.learns
      ? 'and no model is asked (recipe: "learn" asks the client\'s model)'
      : hostRecipes.hasFailed(reading)
        ? 'and pages like it gave no recipe before: make optional what they do not have, or leave `recipe` out'
        : 'and the model was asked about pages of this host often enough: leave `recipe` out to have it read each page';
  return new ExtractError(`No recipe fits ${url}, ${why}.`, [], { url });
}

// Requests a recipe for a page: the proven part of the answer, and the report.

/** The circumstances of the question. */
export interface LearnedPage {
  readonly recipe: Recipe | undefined;
  readonly isFitting: boolean;
  readonly reason: string;
  readonly known: StoredRecipe | undefined;
  readonly reading: RecipeReading;
}

/**
 * Calls the model for a page, and stores the proven part. Passes on the model's errors; a page whose answers
 * cannot be used is counted.
 */
async function requestRecipe(
  page: RecipePage,
  recipes: PageRecipes,
  reader: RecipeReader & { readonly model: Model },
  { recipe: old, isFitting, reason, known, reading }: LearnedPage,
): Promise<RecipeResult> {
  const { hostRecipes, plan, question } = recipes;
  const entries = old === undefined ? undefined : entriesOf(old.schema);
  // Recipes from pages that must not be stored are not stored through another page either.
  const isTaught =
    recipes.keeps && (known ?? (old && hostRecipes.knownById(old.id)))?.keeps === false;
  const mayTake = isFitting && !isTaught;
  let calls = 0;
  const learned = await learnRecipe(
    page,
    {
      ...reader,
      plan,
      schema: question.schema,
      prompt: question.prompt,
      onAnswer: () => {
        calls += 1;
        hostRecipes.calls += 1;
      },
    },
    entries && { entries, isFitting: mayTake, unique: old?.unique ?? [] },
  ).catch((error: unknown) => {
    if (error instanceof ExtractError && !isFitting) hostRecipes.fail(reading);
    throw error;
  });
  const before = isFitting ? (old?.unproven ?? []) : [];
  const unproven = [...new Set([...before, ...learned.unproven])].filter(
    (path) => learned.recipe?.leaves.has(path) !== true,
  );
  const details = { calls, reason, unproven };
  if (learned.recipe === undefined) {
    if (!isFitting) hostRecipes.fail(reading);
    if (!isFitting) warnUnproven(learned, reader);
    return {
      extraction: learned.extraction,
      report: { ...reportOf(page.url, 'notLearned'), ...details },
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
  // A page that leaves no trace does not change a stored recipe.
  const isTraceless = isStored && !recipes.keeps;
  const names = new Set(mayTake ? known?.names : []);
  if (!isTraceless) learnNames(names, reading.names);
  const storedRecipe: StoredRecipe = {
    recipe: !isSame || isTaught ? made : isTraceless ? old : { ...old, unproven },
    names,
    shape: new Set(isTraceless ? known.shape : reading.shape),
    // A second try is a request, too.
    looks: (isFitting ? (known?.looks ?? 0) : 0) + (calls - 1),
    uses: (isFitting ? (known?.uses ?? 0) : 0) + 1,
    supersedes: isFitting && !isSame ? superseded(made.id, old, known) : [],
    keeps: recipes.keeps || isStored,
  };
  await keep(storedRecipe, recipes, reader.warn);
  warnUnproven(learned, reader);
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
    report: { ...reportOf(page.url, outcome, storedRecipe.recipe), ...details, changes },
  };
}

/** Without the recipe's own id: a site may return to an earlier version. */
function superseded(
  id: string,
  old: Recipe | undefined,
  known: StoredRecipe | undefined,
): string[] {
  const all = [...(old === undefined ? [] : [old.id]), ...(known?.supersedes ?? [])];
  return all.filter((one) => one !== id).slice(0, mostSuperseded);
}

/** A failing storage loses the recipe for other processes, not the page. */
async function keep(
  storedRecipe: StoredRecipe,
  { hostRecipes, keeps }: PageRecipes,
  warn: (sentence: string) => void,
): Promise<void> {
  try {
    await hostRecipes.add(storedRecipe, keeps);
  } catch (error) {
    await hostRecipes.add(storedRecipe, false);
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

function warnUnproven({ unproven }: LearnedRecipe, { warn }: RecipeReader): void {
  if (unproven.length === 0) return;
  warn(
    `json: given by the model, and by no selector that proves it: ${unproven.slice(0, 20).join(', ')}.`,
  );
}

function healedWarning(changes: readonly RecipeChange[]): string {
  const details = changes
    .slice(0, 10)
    .map(({ path, before, after }) => `${path}: ${listed(before)} → ${listed(after)}`);
  return `json: the recipe was healed: ${details.join('; ')}.`;
}

function listed(selectors: readonly string[]): string {
  return selectors.length === 0 ? 'none' : selectors.join(' or ');
}
