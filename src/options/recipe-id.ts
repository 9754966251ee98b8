/** What a caller may say to `removeRecipe()`. */
import { z } from 'zod';

/** The `id` of a recipe. */
export const recipeIdSchema: z.ZodType<string> = z.string('expected the id of a recipe').min(1);
