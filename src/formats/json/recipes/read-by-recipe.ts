/** A page read by a recipe; where none fits, one page asks the model and the others wait for it. */
import { ExtractError, messageOf } from '../../../errors.ts';
import { untilAborted } from '../../../llm/until-aborted.ts';
import { askForRecipe } from './ask-for-recipe.ts';
import { type PageRecipes, recipesOf } from './page-recipes.ts';
import type { RecipePlan } from './recipe-plan.ts';
import type { RecipeReader, RecipeResult } from './recipe-reader.ts';
import type { RecipePage, RecipeReading } from './recipe-reading.ts';
import { type RecipeReport, reportOf } from './recipe-report.ts';
import { hasNew, isFull, learnNames } from './recipe-shelf.ts';
import type { Recipe } from './recipe.ts';
import type { ShelvedRecipe } from './stored-recipes.ts';
import { likeness } from './template-names.ts';
import { bestFit, type Fit } from './try-recipes.ts';

/** Requests of one host and question: these, and one more for so many pages. */
const freeCalls = 8;
const pagesPerCall = 10;
/** Pages of a recipe for which its model may be asked once more, because something looks new. */
const pagesPerLook = 100;
/** How alike the nesting of a page is to that of a recipe which it replaces. */
const sameTemplate = 0.5;

/**
 * Throws `EXTRACT_INVALID` where no recipe fits and no model is to be asked: there is none, the page is
 * an error, or pages like this one were asked about before. And what the model throws.
 */
export async function readByRecipe(
  page: RecipePage,
  recipes: PageRecipes,
  reader: RecipeReader,
): Promise<RecipeResult> {
  const { shelf, question, plan } = recipes;
  const { model, signal } = reader;
  shelf.pages += 1;
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
    // Something was learned meanwhile.
    if (!areSame(recipesOf(recipes), tried)) continue;
    const known = fit && shelf.known(fit.recipe, reading, recipes.keeps);
    const missing = fit === undefined ? [] : missingIn(plan, fit);
    const reason =
      fit === undefined || known === undefined
        ? `no recipe fitted: there ${tried.length === 1 ? 'was 1' : `were ${tried.length}`}`
        : reasonToLook(missing, known, fit.recipe, reading);
    // Who learns may find what is missing here.
    if (reason !== undefined && shelf.learning !== undefined) {
      await untilAborted(shelf.learning, signal);
      continue;
    }
    const mayLook = known === undefined || looksLeft(known);
    const asked = mayLook && mayAsk(page, recipes, reading) ? model : undefined;
    if (fit !== undefined && known !== undefined && (reason === undefined || asked === undefined)) {
      const mayLearn = recipes.keeps || !known.keeps;
      if (missing.length === 0 && mayLearn) learnNames(known.names, reading.names);
      return applied(page, fit, known, {});
    }
    if (asked === undefined || reason === undefined) throw nothingFits(page, recipes, reading);
    const done = shelf.beginLearning();
    const before = shelf.calls;
    try {
      const learn = async (): Promise<RecipeResult | undefined> => {
        if (recipes.keeps) await shelf.refresh();
        // Another process may have been faster, or have removed one.
        if (!areSame(recipesOf(recipes), tried)) return undefined;
        if (known !== undefined) known.looks += 1;
        const outdated = fit?.recipe ?? outdatedBy(reading, tried, recipes);
        const led = { recipe: outdated, isFitting: fit !== undefined, reason, known, reading };
        return askForRecipe(page, recipes, { ...reader, model: asked }, led);
      };
      // The others wait: neither a model nor a storage that never answers may hold them.
      const result = await untilAborted(learn(), signal);
      if (result === undefined) continue;
      if (fit === undefined || result.report.outcome !== 'notLearned') return result;
      return applied(page, fit, known, result.report);
    } catch (error) {
      // The recipe fits: asking again was for what may be new.
      if (fit === undefined || signal.aborted) throw error;
      reader.warn(`json: the recipe was not looked at again: ${messageOf(error)}`);
      return applied(page, fit, known, { calls: shelf.calls - before, reason });
    } finally {
      done();
    }
  }
}

/** A page that a recipe fits, and that taught nothing. */
function applied(
  { url }: RecipePage,
  { recipe, extraction }: Fit,
  known: ShelvedRecipe | undefined,
  told: Partial<RecipeReport>,
): RecipeResult {
  if (known !== undefined) known.uses += 1;
  const report = reportOf(url, 'applied', recipe);
  return { extraction, report: { ...report, ...told, outcome: 'applied', id: recipe.id } };
}

function areSame(some: readonly Recipe[], others: readonly Recipe[]): boolean {
  return some.length === others.length && some.every(({ id }, at) => id === others[at]?.id);
}

/** A model may be asked about this page. */
function mayAsk(
  { isError }: RecipePage,
  { question, shelf }: PageRecipes,
  reading: RecipeReading,
): boolean {
  if (!question.recipe.learns || isError) return false;
  if (shelf.calls >= freeCalls + Math.floor(shelf.pages / pagesPerCall)) return false;
  return !shelf.hasFailed(reading);
}

/** Paths without a value; rows are counted by what is in them. */
function missingIn({ paths }: RecipePlan, { found }: Fit): string[] {
  const isRows = (path: string): boolean => paths.some((one) => one.startsWith(`${path}.`));
  return paths.filter((path) => !found.has(path) && !(path.endsWith('[]') && isRows(path)));
}

/**
 * Undefined where nothing speaks against a recipe that fits: all is found, or what is missing is missing
 * on a page that shows nothing new, so that the page does not have it.
 */
function reasonToLook(
  missing: readonly string[],
  { names: known }: ShelvedRecipe,
  { unproven }: Recipe,
  { names }: RecipeReading,
): string | undefined {
  const open = missing.filter((path) => !unproven.includes(path));
  if (open.length === 0 || isFull(known) || !hasNew(names, [known])) return undefined;
  return `not found, on a page with new names: ${open.slice(0, 10).join(', ')}`;
}

/** A model may be asked about a page that the recipe fits. */
function looksLeft({ looks, uses }: ShelvedRecipe): boolean {
  return looks < 1 + Math.floor(uses / pagesPerLook);
}

/** The recipe of the template that this page seems to be of, though it fits no more. */
function outdatedBy(
  { shape, names }: RecipeReading,
  tried: readonly Recipe[],
  { shelf }: PageRecipes,
): Recipe | undefined {
  const own = { names: new Set(names), shape: new Set(shape) };
  let best: { readonly recipe: Recipe; readonly share: number } | undefined;
  for (const recipe of tried) {
    const known = shelf.knownById(recipe.id);
    if (known === undefined) continue;
    const share = Math.max(likeness(known.shape, own.shape), likeness(known.names, own.names));
    if (share >= sameTemplate && share > (best?.share ?? 0)) best = { recipe, share };
  }
  // Nothing is known of a recipe of the caller's that never fitted.
  return best?.recipe ?? tried.find(({ id }) => shelf.knownById(id) === undefined);
}

function nothingFits(
  { url, isError }: RecipePage,
  { question, shelf }: PageRecipes,
  reading: RecipeReading,
): ExtractError {
  const why = isError
    ? 'it is an error page, from which nothing is learned'
    : !question.recipe.learns
      ? 'and no model is asked (recipe: "learn" asks the client\'s model)'
      : shelf.hasFailed(reading)
        ? 'and pages like it gave no recipe before: make optional what they do not have, or leave `recipe` out'
        : 'and the model was asked about pages of this host often enough: leave `recipe` out to have it read each page';
  return new ExtractError(`No recipe fits ${url}, ${why}.`, [], { url });
}
