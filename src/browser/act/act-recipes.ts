/** Stores recipes of acts by host and prompt in the client's storage, as readable JSON. */
import { withSignal } from '../../core/runtime/deadline.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { type Store, updateStored } from '../../core/storage/store.ts';
import { parseJsonBytes } from '../../core/runtime/json.ts';
import { type ActRecipe, checkActRecipe } from '../actions/act-recipe.ts';
import { shortHash } from '../../core/runtime/identifiers.ts';

const prefix = 'acts/';

const mostRecipes = 8; // recipes of one host and prompt: pages of one site differ
const mostBytes = 2_000_000;

/** Shared by all pages of a client. */
export class ActRecipes {
  readonly clock: Clock;
  readonly #store: Store;
  readonly #learning = new Map<string, Promise<void>>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.clock = clock;
  }

  /** Key of one task, newest recipe first; `identity` separates visitors. */
  key(host: string, prompt: string, identity: string | undefined): string {
    const task = shortHash(prompt);
    return `${prefix}${host}/${identity === undefined ? task : `${task}-${identity}`}`;
  }

  /** The recipes of a key. Unusable ones are left out; errors of the store are passed on. */
  async read(key: string): Promise<ActRecipe[]> {
    return parsed(await this.#store.get(key));
  }

  /** Puts a recipe first, replacing the one it supersedes. */
  async add(key: string, added: ActRecipe): Promise<void> {
    await updateStored(this.#store, key, (bytes) => {
      const remaining = parsed(bytes).filter(({ id }) => id !== added.replaces && id !== added.id);
      return written([added, ...remaining].slice(0, mostRecipes));
    });
  }

  /** The stored recipes of one host or of all. */
  async list(host?: string): Promise<ActRecipe[]> {
    const recipes: ActRecipe[] = [];
    for await (const key of this.#store.list(host === undefined ? prefix : `${prefix}${host}/`)) {
      recipes.push(...(await this.read(key)));
    }
    return recipes;
  }

  /** Removes a recipe; false if there is none. */
  async remove(id: string): Promise<boolean> {
    const isOther = (recipe: ActRecipe): boolean => recipe.id !== id;
    let isFound = false;
    for await (const key of this.#store.list(prefix)) {
      const stored = await this.read(key);
      const remaining = stored.filter(isOther);
      if (remaining.length === stored.length) continue;
      isFound = true;
      if (remaining.length === 0) await this.#store.delete(key);
      else await updateStored(this.#store, key, (bytes) => written(parsed(bytes).filter(isOther)));
    }
    return isFound;
  }

  /** Runs `learn` after other pages that learn the same task, so that later ones find the recipe. */
  async inTurn<T>(key: string, signal: AbortSignal, learn: () => Promise<T>): Promise<T> {
    for (;;) {
      const before = this.#learning.get(key);
      if (before === undefined) break;
      await withSignal(before, signal);
    }
    const learning = learn();
    const settled = learning.then(
      () => undefined,
      () => undefined,
    );
    this.#learning.set(key, settled);
    try {
      return await learning;
    } finally {
      this.#learning.delete(key);
    }
  }
}

/** Unusable recipes are left out. */
function parsed(bytes: Uint8Array | undefined): ActRecipe[] {
  if (bytes === undefined || bytes.length > mostBytes) return [];
  const stored = parseJsonBytes(bytes);
  return Array.isArray(stored) ? stored.slice(0, mostRecipes).flatMap(usable) : [];
}

/** The stored form: JSON for people to read. */
function written(recipes: readonly ActRecipe[]): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(recipes, null, 1)}\n`);
}

function usable(value: unknown): ActRecipe[] {
  try {
    return [checkActRecipe(value)];
  } catch {
    return [];
  }
}
