import {
  type Client,
  createClient,
  type ExtractOptions,
  type Recipe,
  type RecipeReport,
  scrape,
} from 'pagewright';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

const schema = z.object({ name: z.string() });

export async function aRecipeIsToldBesideTheData(): Promise<void> {
  const learned = await scrape('https://a.test', {
    formats: [{ type: 'json', schema, recipe: 'learn' }],
  });
  expectTypeOf(learned.json).toEqualTypeOf<{ name: string }>();
  expectTypeOf(learned.jsonRecipe).toEqualTypeOf<RecipeReport | undefined>();
  const plain = await scrape('https://a.test', { formats: [{ type: 'json', schema }] });
  // @ts-expect-error -- it was not asked for
  void plain.jsonRecipe;
  // @ts-expect-error -- no such choice
  await scrape('https://a.test', { formats: [{ type: 'json', schema, recipe: 'teach' }] });
}

export async function storedRecipesAreTakenBack(client: Client): Promise<void> {
  const recipes = await client.recipes.list();
  expectTypeOf(recipes).toEqualTypeOf<Recipe[]>();
  expectTypeOf(recipes).toExtend<ExtractOptions['recipe']>();
  const { data, recipes: reports } = await createClient().extract({
    urls: ['https://a.test'],
    schema,
    recipe: recipes,
  });
  expectTypeOf(data).toEqualTypeOf<{ name: string }>();
  expectTypeOf(reports).toEqualTypeOf<readonly RecipeReport[] | undefined>();
}
