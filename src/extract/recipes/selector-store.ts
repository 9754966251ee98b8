/** Stores all learned selectors of a client by host and question, in the client's storage, as readable JSON. */
import { withSignal } from '../../core/runtime/deadline.ts';
import { z } from 'zod';
import type { Clock } from '../../core/runtime/clock.ts';
import { type Store, updateStored } from '../../core/storage/store.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { checkRecipe, type Recipe } from './recipe.ts';
import { likeness } from './template-names.ts';
import { shortHash } from '../../core/runtime/identifiers.ts';
import { parseJsonBytes } from '../../core/runtime/json.ts';

const limits = {
  hosts: 200, // hosts and questions with recipes in memory; stored recipes outlast that
  recipes: 8, // one for each template and, while a site changes, two
  failures: 20,
  given: 100,
  failuresOfAKind: 2, // the model is not called again for a kind of page after these
  failuresInAll: 6,
  sameKind: 0.6, // least similarity of pages of one kind
  names: 3000, // element names per template
};

const prefix = 'recipes/';

/** Created by the client; loads nothing before its first use. */
export class SelectorStore {
  readonly clock: Clock;
  readonly #store: Store;
  readonly #hosts = new Map<string, HostRecipes>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.clock = clock;
  }

  /** Opens the recipes for a host and a question. */
  async recipesOfHost(host: string, question: string, signal: AbortSignal): Promise<HostRecipes> {
    const key = `${prefix}${host}/${question}`;
    const known = this.#hosts.get(key);
    const hostRecipes = known ?? new HostRecipes(this.#store, key);
    this.#hosts.delete(key);
    this.#hosts.set(key, hostRecipes);
    for (const [oldest, { learning }] of this.#hosts) {
      if (this.#hosts.size <= limits.hosts) break;
      if (learning === undefined) this.#hosts.delete(oldest);
    }
    await hostRecipes.open(signal);
    return hostRecipes;
  }

  /** The stored recipes of one host or of all, by host; the newest of a question first. */
  async list(host?: string): Promise<Recipe[]> {
    const recipes: Recipe[] = [];
    for await (const key of this.#store.list(host === undefined ? prefix : `${prefix}${host}/`)) {
      const storedRecipes = await readStored(this.#store, key);
      recipes.push(...storedRecipes.map(({ recipe }) => recipe));
    }
    return recipes;
  }

  /** Removes a recipe; false when there is none. Pages in progress may still use it. */
  async remove(id: string): Promise<boolean> {
    let isFound = false;
    for await (const key of this.#store.list(prefix)) {
      const storedRecipes = await readStored(this.#store, key);
      if (storedRecipes.every(({ recipe }) => recipe.id !== id)) continue;
      isFound = true;
      await updateRecipes(this.#store, key, (stored) =>
        stored.filter(({ recipe }) => recipe.id !== id),
      );
      this.#hosts.delete(key);
    }
    return isFound;
  }
}

/** The key of a question: another schema, prompt or visitor is another question. */
export function questionKey(
  schema: JsonSchema,
  prompt: string | undefined,
  identity: string | undefined,
): string {
  const question = shortHash([schema, prompt ?? null]);
  return identity === undefined ? question : `${question}-${identity}`;
}

/** Host and port of a page; `` for one without a host. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

// The recipes of one host and schema, in the client's storage, with facts about their pages.

/** Pages from which no recipe could be learned. */
interface LearningFailure {
  readonly names: Set<string>;
  readonly shape: ReadonlySet<string>;
  count: number;
}

/** Shared by all pages of a client. */
export class HostRecipes {
  /** Number of pages read for this host and question. */
  pages = 0;
  /** Number of model requests made. */
  calls = 0;
  readonly #store: Store;
  readonly #key: string;
  #recipes: StoredRecipe[] = [];
  readonly #failures: LearningFailure[] = [];
  /** Ids that are or were in the storage. */
  readonly #stored = new Set<string>();
  #opened: Promise<void> | undefined;
  #learning: Promise<void> | undefined;
  /** The caller's recipes that fitted. */
  readonly #given = new Map<string, StoredRecipe>();

  constructor(store: Store, key: string) {
    this.#store = store;
    this.#key = key;
  }

  /** The newest recipe first. */
  get recipes(): readonly StoredRecipe[] {
    return this.#recipes;
  }

  /** Reads the stored recipes once. Errors of the store are passed on; the next page tries again. */
  async open(signal: AbortSignal): Promise<void> {
    const opened = (this.#opened ??= this.refresh());
    try {
      await withSignal(opened, signal);
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  /** Applies the additions and removals of other processes. */
  async refresh(): Promise<void> {
    const stored = await readStored(this.#store, this.#key);
    this.#recipes = this.#joined(stored);
    this.#remember(stored);
  }

  /** Makes other pages wait until the returned function is called. */
  beginLearning(): () => void {
    let release: () => void = () => undefined;
    this.#learning = new Promise((resolve) => (release = resolve));
    return () => {
      this.#learning = undefined;
      release();
    };
  }

  /** Settles when learning has ended; undefined while no page is learning. */
  get learning(): Promise<void> | undefined {
    return this.#learning;
  }

  /** Adds a recipe in front. `writes` stores it, with the others that may be stored. */
  async add(added: StoredRecipe, writes: boolean): Promise<void> {
    this.#recipes = bounded([added, ...this.#recipes], added);
    if (!writes) return;
    let written: readonly StoredRecipe[] = [];
    await updateRecipes(this.#store, this.#key, (stored) => {
      const others = this.#joined(stored).filter(({ keeps }) => keeps);
      return (written = bounded([added, ...others], added));
    });
    this.#remember(written);
  }

  /** The facts about a recipe; a caller's recipe has them from its first page on. */
  known(recipe: Recipe, { names, shape }: PageNames, keeps: boolean): StoredRecipe {
    const known = this.knownById(recipe.id);
    if (known !== undefined) return known;
    const sets = { names: new Set(names), shape: new Set(shape) };
    const given = { recipe, ...sets, looks: 0, uses: 0, supersedes: [], keeps };
    if (this.#given.size >= limits.given) this.#given.clear();
    this.#given.set(recipe.id, given);
    return given;
  }

  knownById(id: string): StoredRecipe | undefined {
    return this.#recipes.find(({ recipe }) => recipe.id === id) ?? this.#given.get(id);
  }

  /** True for a page of a kind that failed often enough, without new names. */
  hasFailed(page: PageNames): boolean {
    const failure = this.#failureLike(page);
    if (failure === undefined || failure.count < limits.failuresOfAKind) return false;
    return failure.count >= limits.failuresInAll || !hasNew(page.names, [failure.names]);
  }

  /** Counts a page from which nothing could be learned. */
  fail(page: PageNames): void {
    const failure = this.#failureLike(page);
    if (failure === undefined) {
      this.#failures.unshift({ names: new Set(page.names), shape: new Set(page.shape), count: 1 });
      this.#failures.splice(limits.failures);
      return;
    }
    failure.count += 1;
    learnNames(failure.names, page.names);
  }

  #failureLike({ names, shape }: PageNames): LearningFailure | undefined {
    const own = new Set(names);
    const nested = new Set(shape);
    return this.#failures.find(
      (one) =>
        likeness(one.names, own) >= limits.sameKind &&
        likeness(one.shape, nested) >= limits.sameKind,
    );
  }

  #remember(stored: readonly StoredRecipe[]): void {
    for (const { recipe } of stored) this.#stored.add(recipe.id);
  }

  /**
   * The stored recipes, with this client's own facts about them; then recipes that only this client has.
   * A recipe that was stored and is missing now was removed: it is not added again.
   */
  #joined(stored: readonly StoredRecipe[]): StoredRecipe[] {
    const own = new Map(this.#recipes.map((one) => [one.recipe.id, one]));
    const joined = stored.map((one) => {
      const known = own.get(one.recipe.id);
      return known?.keeps === true ? known : one;
    });
    const ids = new Set([...this.#stored, ...stored.map(({ recipe }) => recipe.id)]);
    return [...joined, ...this.#recipes.filter(({ recipe }) => !ids.has(recipe.id))];
  }
}

/** The names and shape by which a page is recognised. */
export interface PageNames {
  readonly names: readonly string[];
  readonly shape: readonly string[];
}

/** True when a page has names that none of the known pages have. */
export function hasNew(names: readonly string[], known: readonly ReadonlySet<string>[]): boolean {
  return names.some((name) => !known.some((one) => one.has(name)));
}

/** Adds names, up to the limit. */
export function learnNames(known: Set<string>, names: readonly string[]): void {
  for (const name of names) if (known.size < limits.names) known.add(name);
}

/** True if the set has reached its limit, so that new names prove nothing. */
export function isFull(known: ReadonlySet<string>): boolean {
  return known.size >= limits.names;
}

/** Drops the recipes that the new one supersedes, and the excess over the limit. */
function bounded(recipes: readonly StoredRecipe[], added: StoredRecipe): StoredRecipe[] {
  const seen = new Set<string>(added.supersedes);
  seen.delete(added.recipe.id);
  const remaining = recipes.filter(({ recipe: { id } }) => {
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
  return remaining.slice(0, limits.recipes);
}

// Recipes as they are in the client's storage: JSON that people can read.

/** A recipe, with facts about the pages that it fits. */
export interface StoredRecipe {
  readonly recipe: Recipe;
  /** Names of elements on its pages so far. */
  readonly names: Set<string>;
  /** The nesting of elements on the page on which it was proven. */
  readonly shape: ReadonlySet<string>;
  /** How often a model was called for a page that it fitted, because of new names. */
  looks: number;
  /** Pages to which this client applied it. */
  uses: number;
  /** Recipes that it fully covers and makes redundant. */
  readonly supersedes: readonly string[];
  /** True when it was learned from a page that may be stored. */
  readonly keeps: boolean;
}

/** Limit of recipes that one supersedes. */
export const mostSuperseded = 100;

const storedShape = z.object({
  format: z.literal(1),
  recipes: z
    .array(
      z.object({
        recipe: z.unknown(),
        names: z.array(z.string()).max(limits.names),
        shape: z.array(z.string()).max(limits.names),
        looks: z.number().min(0),
        supersedes: z.array(z.string()).max(mostSuperseded),
      }),
    )
    .max(100),
});

/** The recipes of a key; errors of the store are passed on. */
export async function readStored(store: Store, key: string): Promise<StoredRecipe[]> {
  return parsed(await store.get(key));
}

/** Updates the stored recipes despite concurrent writers. Throws `STORAGE` when other writers always win. */
function updateRecipes(
  store: Store,
  key: string,
  change: (stored: readonly StoredRecipe[]) => readonly StoredRecipe[],
): Promise<void> {
  return updateStored(store, key, (bytes) => written(change(parsed(bytes))));
}

/** Entries that cannot be parsed or used are dropped. */
function parsed(bytes: Uint8Array | undefined): StoredRecipe[] {
  const { data } = storedShape.safeParse(bytes && parseJsonBytes(bytes));
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

/** The stored form: JSON for people to read. */
function written(recipes: readonly StoredRecipe[]): Uint8Array {
  const stored = recipes.map(({ recipe, names, shape, looks, supersedes }) => ({
    recipe,
    names: [...names],
    shape: [...shape],
    looks,
    supersedes,
  }));
  return new TextEncoder().encode(`${JSON.stringify({ format: 1, recipes: stored }, null, 1)}\n`);
}
