/** Recipes as they are in the client's storage: JSON that people can read. */
import { z } from 'zod';
import { PagewrightError } from '../../../errors.ts';
import { sameBytes } from '../../../storage/same-bytes.ts';
import type { Store } from '../../../storage/store.ts';
import { checkRecipe, type Recipe } from './recipe.ts';

/** A recipe, and what is known of the pages that it fits. */
export interface ShelvedRecipe {
  readonly recipe: Recipe;
  /** Names of elements that its pages had so far. */
  readonly names: Set<string>;
  /** How elements of the page are nested that it was proven on. */
  readonly shape: ReadonlySet<string>;
  /** How often a model was asked about a page that it fitted, because something looked new. */
  looks: number;
  /** Pages that it was applied to by this client. */
  uses: number;
  /** Recipes that it has everything of, and which are not needed beside it. */
  readonly supersedes: readonly string[];
  /** Taught by a page of which something may be stored. */
  readonly keeps: boolean;
}

/** Names of elements that are kept of a template. */
export const mostNames = 3000;
/** Recipes that one stands for. */
export const mostSuperseded = 100;

const storedShape = z.object({
  format: z.literal(1),
  recipes: z
    .array(
      z.object({
        recipe: z.unknown(),
        names: z.array(z.string()).max(mostNames),
        shape: z.array(z.string()).max(mostNames),
        looks: z.number().min(0),
        supersedes: z.array(z.string()).max(mostSuperseded),
      }),
    )
    .max(100),
});

/** How often the storage is written again because another process did so. */
const attempts = 20;

/** The recipes of a key; what the store throws is thrown on. */
export async function readStored(store: Store, key: string): Promise<ShelvedRecipe[]> {
  return parsed(await store.get(key));
}

/** Changes what is stored, whoever else does so. Throws `STORAGE` when others are always faster. */
export async function updateStored(
  store: Store,
  key: string,
  change: (stored: readonly ShelvedRecipe[]) => readonly ShelvedRecipe[],
): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = await store.get(key);
    if (await replace(store, key, before, written(change(parsed(before))))) return;
  }
  throw new PagewrightError('STORAGE', `The recipes ${key} are written by others all the time.`);
}

async function replace(
  store: Store,
  key: string,
  before: Uint8Array | undefined,
  bytes: Uint8Array,
): Promise<boolean> {
  if (store.replace !== undefined) return store.replace(key, before, bytes);
  if (!sameBytes(await store.get(key), before)) return false;
  await store.set(key, bytes);
  return true;
}

/** What cannot be read or used is none. */
function parsed(bytes: Uint8Array | undefined): ShelvedRecipe[] {
  if (bytes === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return [];
  }
  const { data } = storedShape.safeParse(value);
  return (data?.recipes ?? []).flatMap(({ recipe, names, shape, looks, supersedes }) => {
    try {
      const sets = { names: new Set(names), shape: new Set(shape) };
      const recipeOf = checkRecipe(recipe);
      return [{ recipe: recipeOf, ...sets, looks, uses: 0, supersedes, keeps: true }];
    } catch {
      return [];
    }
  });
}

/** As it is stored: to be read by people. */
function written(recipes: readonly ShelvedRecipe[]): Uint8Array {
  const stored = recipes.map(({ recipe, names, shape, looks, supersedes }) => ({
    recipe,
    names: [...names],
    shape: [...shape],
    looks,
    supersedes,
  }));
  return new TextEncoder().encode(`${JSON.stringify({ format: 1, recipes: stored }, null, 1)}\n`);
}
