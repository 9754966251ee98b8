/** A page that recipes read: its first reading, and those that come while one is learned. */
import {
  type PageRecipes,
  openRecipes,
  type RecipeOpening,
  type RecipeQuestion,
} from '../formats/json/recipes/page-recipes.ts';
import type { RecipeBook } from '../formats/json/recipes/recipe-book.ts';
import type { RecipeReader, RecipeResult } from '../formats/json/recipes/recipe-reader.ts';
import type {
  RecipePage,
  RecipeReading,
  RecipeWish,
} from '../formats/json/recipes/recipe-reading.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { PageReading, ReadingPlan } from './read-page.ts';
import { type ReadersOfPages, readWhereItFits } from './read-where-it-fits.ts';

/** What the first reading tries. */
export function recipeWish(recipes: PageRecipes): RecipeWish {
  const candidates = recipes.first.map(({ schema }) => schema);
  return { candidates, outline: 0, asksModel: recipes.question.recipe.learns };
}

/** Opens the recipes for a page; undefined where none are wanted. */
export async function openPageRecipes(
  book: RecipeBook | undefined,
  url: string,
  question: WantedRecipe | undefined,
  opening: RecipeOpening,
): Promise<PageRecipes | undefined> {
  if (book === undefined || question?.recipe === undefined) return undefined;
  const { recipe } = question;
  return openRecipes(book, url, { ...question, recipe }, opening);
}

type WantedRecipe = Omit<RecipeQuestion, 'recipe'> & {
  readonly recipe: RecipeQuestion['recipe'] | undefined;
};

/** A page after its first reading. */
export interface ReadPage {
  readonly snapshot: Snapshot;
  readonly plan: Pick<ReadingPlan, 'clean' | 'limits' | 'pdf' | 'archive'>;
  readonly reading: PageReading;
  readonly recipes: PageRecipes | undefined;
}

/** Undefined where no recipe is wanted, and for a page that has no elements. */
export async function readByRecipe(
  readers: ReadersOfPages,
  { snapshot, plan, reading, recipes }: ReadPage,
  reader: RecipeReader,
): Promise<RecipeResult | undefined> {
  const { recipe: first } = reading;
  if (first === undefined || recipes === undefined) return undefined;
  const { clean, limits, pdf, archive } = plan;
  const read: RecipePage['read'] = async (wish) => {
    const again: ReadingPlan = {
      ...{ clean, limits, pdf, archive, formats: [] },
      recipe: { ...wish, asksModel: false },
    };
    const hooked = asHooked(snapshot, first);
    const { recipe } = await readWhereItFits(readers, hooked, again, reader.signal);
    return recipe ?? { ...first, tried: [] };
  };
  const { url, statusCode } = snapshot;
  const page = { url, isError: statusCode >= 400, reading: first, read };
  const { readByRecipe: run } = await import('../formats/json/recipes/read-by-recipe.ts');
  return run(page, recipes, reader);
}

/** Hooks are not asked twice: what they made of the page is read. */
function asHooked(snapshot: Snapshot, { html }: RecipeReading): Snapshot {
  if (html === undefined) return snapshot;
  const headers = { ...snapshot.headers, 'content-type': 'text/html; charset=utf-8' };
  return { ...snapshot, headers, body: new TextEncoder().encode(html) };
}
