/** The recipes of one host and schema: in the client's storage, with what is known of their pages. */
import { untilAborted } from '../../../llm/until-aborted.ts';
import type { Store } from '../../../storage/store.ts';
import type { Recipe } from './recipe.ts';
import { mostNames, readStored, type ShelvedRecipe, updateStored } from './stored-recipes.ts';
import { likeness } from './template-names.ts';

/** Pages that no recipe could be learned from. */
interface Failure {
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
export class RecipeShelf {
  /** Pages that came here. */
  pages = 0;
  /** Requests of a model that were made. */
  calls = 0;
  readonly #store: Store;
  readonly #key: string;
  #recipes: ShelvedRecipe[] = [];
  readonly #failures: Failure[] = [];
  /** Ids that were in the storage when it was last looked at, or before. */
  readonly #stored = new Set<string>();
  #opened: Promise<void> | undefined;
  #learning: Promise<void> | undefined;
  /** Of recipes that the caller brought, and that fitted. */
  readonly #given = new Map<string, ShelvedRecipe>();

  constructor(store: Store, key: string) {
    this.#store = store;
    this.#key = key;
  }

  /** The newest first. */
  get recipes(): readonly ShelvedRecipe[] {
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
  async add(added: ShelvedRecipe, writes: boolean): Promise<void> {
    this.#recipes = bounded([added, ...this.#recipes], added);
    if (!writes) return;
    let written: readonly ShelvedRecipe[] = [];
    await updateStored(this.#store, this.#key, (stored) => {
      const others = this.#joined(stored).filter(({ keeps }) => keeps);
      return (written = bounded([added, ...others], added));
    });
    this.#remember(written);
  }

  /** What is known of it here; a recipe of the caller's is known from its first page on. */
  known(recipe: Recipe, { names, shape }: PageNames, keeps: boolean): ShelvedRecipe {
    const known = this.knownById(recipe.id);
    if (known !== undefined) return known;
    const sets = { names: new Set(names), shape: new Set(shape) };
    const given = { recipe, ...sets, looks: 0, uses: 0, supersedes: [], keeps };
    if (this.#given.size >= mostGiven) this.#given.clear();
    this.#given.set(recipe.id, given);
    return given;
  }

  knownById(id: string): ShelvedRecipe | undefined {
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

  #failureLike({ names, shape }: PageNames): Failure | undefined {
    const own = new Set(names);
    const nested = new Set(shape);
    return this.#failures.find(
      (one) => likeness(one.names, own) >= sameKind && likeness(one.shape, nested) >= sameKind,
    );
  }

  #remember(stored: readonly ShelvedRecipe[]): void {
    for (const { recipe } of stored) this.#stored.add(recipe.id);
  }

  /**
   * Those of the storage, with what this client knows more about them; then those it has alone. What was
   * stored once and is no more was removed: it does not come back.
   */
  #joined(stored: readonly ShelvedRecipe[]): ShelvedRecipe[] {
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
function bounded(recipes: readonly ShelvedRecipe[], added: ShelvedRecipe): ShelvedRecipe[] {
  const seen = new Set<string>(added.supersedes);
  seen.delete(added.recipe.id);
  const kept = recipes.filter(({ recipe: { id } }) => {
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
  return kept.slice(0, mostRecipes);
}
