/** The store of all learned selectors of a client, by host and by question: in the client's storage, as JSON that people can read. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PagewrightError } from '../../errors.ts';
import { untilAborted } from '../../llm/ask-model.ts';
import type { Clock } from '../../model/clock.ts';
import { sameBytes, type Store } from '../../storage/store.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { checkRecipe, type Recipe } from './recipe.ts';
import { likeness } from './template-names.ts';

const prefix = 'recipes/';

/** Hosts and questions whose recipes are remembered; what is stored outlasts that. */
const mostHosts = 200;

/** Made by the client; loads nothing before it is asked. */
export class SelectorStore {
  readonly clock: Clock;
  readonly #store: Store;
  readonly #hosts = new Map<string, HostRecipes>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.clock = clock;
  }

  /** The recipes for a host and a question; opened. */
  async recipesOfHost(host: string, question: string, signal: AbortSignal): Promise<HostRecipes> {
    const key = `${prefix}${host}/${question}`;
    const known = this.#hosts.get(key);
    const hostRecipes = known ?? new HostRecipes(this.#store, key);
    this.#hosts.delete(key);
    this.#hosts.set(key, hostRecipes);
    for (const [oldest, { learning }] of this.#hosts) {
      if (this.#hosts.size <= mostHosts) break;
      if (learning === undefined) this.#hosts.delete(oldest);
    }
    await hostRecipes.open(signal);
    return hostRecipes;
  }

  /** What is stored, of one host or of all, by host; the newest of a question first. */
  async list(host?: string): Promise<Recipe[]> {
    const recipes: Recipe[] = [];
    for await (const key of this.#store.list(host === undefined ? prefix : `${prefix}${host}/`)) {
      const storedRecipes = await readStored(this.#store, key);
      recipes.push(...storedRecipes.map(({ recipe }) => recipe));
    }
    return recipes;
  }

  /** False when there is none. Pages that are being read may still use it. */
  async remove(id: string): Promise<boolean> {
    let isFound = false;
    for await (const key of this.#store.list(prefix)) {
      const storedRecipes = await readStored(this.#store, key);
      if (storedRecipes.every(({ recipe }) => recipe.id !== id)) continue;
      isFound = true;
      await updateStored(this.#store, key, (stored) =>
        stored.filter(({ recipe }) => recipe.id !== id),
      );
      this.#hosts.delete(key);
    }
    return isFound;
  }
}

/** Names what was asked for, and by whom: another schema, prompt or visitor is another question. */
export function questionKey(
  schema: JsonSchema,
  prompt: string | undefined,
  identity: string | undefined,
): string {
  const question = shortHash([schema, prompt ?? null]);
  return identity === undefined ? question : `${question}-${identity}`;
}

/** Names a recipe. */
export function shortHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

/** Host and port of a page; `` for one without. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

// The recipes of one host and schema: in the client's storage, with what is known of their pages.

/** Pages that no recipe could be learned from. */
interface LearningFailure {
  readonly names: Set<string>;
  readonly shape: ReadonlySet<string>;
  count: number;
}

/** Recipes that are kept: one for each template and, while a site changes, two. */
const mostRecipes = 8;

const mostFailures = 20;

const mostGiven = 100;

/** How often a kind of page may fail before it is not asked about again. */
const failuresOfAKind = 2;

const failuresInAll = 6;

/** How alike pages of one kind are. */
const sameKind = 0.6;

/** Shared by all pages of a client. */
export class HostRecipes {
  /** Pages that came here. */
  pages = 0;
  /** Requests of a model that were made. */
  calls = 0;
  readonly #store: Store;
  readonly #key: string;
  #recipes: StoredRecipe[] = [];
  readonly #failures: LearningFailure[] = [];
  /** Ids that were in the storage when it was last looked at, or before. */
  readonly #stored = new Set<string>();
  #opened: Promise<void> | undefined;
  #learning: Promise<void> | undefined;
  /** Of recipes that the caller brought, and that fitted. */
  readonly #given = new Map<string, StoredRecipe>();

  constructor(store: Store, key: string) {
    this.#store = store;
    this.#key = key;
  }

  /** The newest first. */
  get recipes(): readonly StoredRecipe[] {
    return this.#recipes;
  }

  /** Reads what is stored, once. What the store throws is thrown on; the next page asks it again. */
  async open(signal: AbortSignal): Promise<void> {
    const opened = (this.#opened ??= this.refresh());
    try {
      await untilAborted(opened, signal);
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  /** Takes over what other processes have learned, and removed. */
  async refresh(): Promise<void> {
    const stored = await readStored(this.#store, this.#key);
    this.#recipes = this.#joined(stored);
    this.#remember(stored);
  }

  /** Lets the others wait until the returned function is called. */
  beginLearning(): () => void {
    let release: () => void = () => undefined;
    this.#learning = new Promise((resolve) => (release = resolve));
    return () => {
      this.#learning = undefined;
      release();
    };
  }

  /** Settles when nobody learns any more; undefined while nobody does. */
  get learning(): Promise<void> | undefined {
    return this.#learning;
  }

  /** A new one stands first. `writes` stores it, with those others that may be stored. */
  async add(added: StoredRecipe, writes: boolean): Promise<void> {
    this.#recipes = bounded([added, ...this.#recipes], added);
    if (!writes) return;
    let written: readonly StoredRecipe[] = [];
    await updateStored(this.#store, this.#key, (stored) => {
      const others = this.#joined(stored).filter(({ keeps }) => keeps);
      return (written = bounded([added, ...others], added));
    });
    this.#remember(written);
  }

  /** What is known of it here; a recipe of the caller's is known from its first page on. */
  known(recipe: Recipe, { names, shape }: PageNames, keeps: boolean): StoredRecipe {
    const known = this.knownById(recipe.id);
    if (known !== undefined) return known;
    const sets = { names: new Set(names), shape: new Set(shape) };
    const given = { recipe, ...sets, looks: 0, uses: 0, supersedes: [], keeps };
    if (this.#given.size >= mostGiven) this.#given.clear();
    this.#given.set(recipe.id, given);
    return given;
  }

  knownById(id: string): StoredRecipe | undefined {
    return this.#recipes.find(({ recipe }) => recipe.id === id) ?? this.#given.get(id);
  }

  /** True for a page of a kind that was asked about often enough, and shows nothing new. */
  hasFailed(page: PageNames): boolean {
    const failure = this.#failureLike(page);
    if (failure === undefined || failure.count < failuresOfAKind) return false;
    return failure.count >= failuresInAll || !hasNew(page.names, [failure.names]);
  }

  /** Counts a page that nothing could be learned from. */
  fail(page: PageNames): void {
    const failure = this.#failureLike(page);
    if (failure === undefined) {
      this.#failures.unshift({ names: new Set(page.names), shape: new Set(page.shape), count: 1 });
      this.#failures.splice(mostFailures);
      return;
    }
    failure.count += 1;
    learnNames(failure.names, page.names);
  }

  #failureLike({ names, shape }: PageNames): LearningFailure | undefined {
    const own = new Set(names);
    const nested = new Set(shape);
    return this.#failures.find(
      (one) => likeness(one.names, own) >= sameKind && likeness(one.shape, nested) >= sameKind,
    );
  }

  #remember(stored: readonly StoredRecipe[]): void {
    for (const { recipe } of stored) this.#stored.add(recipe.id);
  }

  /**
   * Those of the storage, with what this client knows more about them; then those it has alone. What was
   * stored once and is no more was removed: it does not come back.
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

/** What a page is recognised by. */
export interface PageNames {
  readonly names: readonly string[];
  readonly shape: readonly string[];
}

/** True when a page has names that none of these have. */
export function hasNew(names: readonly string[], known: readonly ReadonlySet<string>[]): boolean {
  return names.some((name) => !known.some((one) => one.has(name)));
}

/** Adds names, as many as are kept. */
export function learnNames(known: Set<string>, names: readonly string[]): void {
  for (const name of names) if (known.size < mostNames) known.add(name);
}

/** True when there are so many that a new one says nothing. */
export function isFull(known: ReadonlySet<string>): boolean {
  return known.size >= mostNames;
}

/** Without those that the new one stands for, and no more than are kept. */
function bounded(recipes: readonly StoredRecipe[], added: StoredRecipe): StoredRecipe[] {
  const seen = new Set<string>(added.supersedes);
  seen.delete(added.recipe.id);
  const kept = recipes.filter(({ recipe: { id } }) => {
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
  return kept.slice(0, mostRecipes);
}

// Recipes as they are in the client's storage: JSON that people can read.

/** A recipe, and what is known of the pages that it fits. */
export interface StoredRecipe {
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
const mostNames = 3000;

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
export async function readStored(store: Store, key: string): Promise<StoredRecipe[]> {
  return parsed(await store.get(key));
}

/** Changes what is stored, whoever else does so. Throws `STORAGE` when others are always faster. */
async function updateStored(
  store: Store,
  key: string,
  change: (stored: readonly StoredRecipe[]) => readonly StoredRecipe[],
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
function parsed(bytes: Uint8Array | undefined): StoredRecipe[] {
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
