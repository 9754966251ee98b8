/** All learned recipes of a client, by host and by what was asked for. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../model/clock.ts';
import type { Store } from '../../../storage/store.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Recipe } from './recipe.ts';
import { RecipeShelf } from './recipe-shelf.ts';
import { readStored, updateStored } from './stored-recipes.ts';

const prefix = 'recipes/';
/** Shelves that are remembered; what is stored outlasts that. */
const mostShelves = 200;

/** Made by the client; loads nothing before it is asked. */
export class RecipeBook {
  readonly clock: Clock;
  readonly #store: Store;
  readonly #shelves = new Map<string, RecipeShelf>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.clock = clock;
  }

  /** The recipes for a host and a question; opened. */
  async shelf(host: string, question: string, signal: AbortSignal): Promise<RecipeShelf> {
    const key = `${prefix}${host}/${question}`;
    const known = this.#shelves.get(key);
    const shelf = known ?? new RecipeShelf(this.#store, key);
    this.#shelves.delete(key);
    this.#shelves.set(key, shelf);
    for (const [oldest, { learning }] of this.#shelves) {
      if (this.#shelves.size <= mostShelves) break;
      if (learning === undefined) this.#shelves.delete(oldest);
    }
    await shelf.open(signal);
    return shelf;
  }

  /** What is stored, of one host or of all, by host; the newest of a question first. */
  async list(host?: string): Promise<Recipe[]> {
    const recipes: Recipe[] = [];
    for await (const key of this.#store.list(host === undefined ? prefix : `${prefix}${host}/`)) {
      const shelved = await readStored(this.#store, key);
      recipes.push(...shelved.map(({ recipe }) => recipe));
    }
    return recipes;
  }

  /** False when there is none. Pages that are being read may still use it. */
  async remove(id: string): Promise<boolean> {
    let isFound = false;
    for await (const key of this.#store.list(prefix)) {
      const shelved = await readStored(this.#store, key);
      if (shelved.every(({ recipe }) => recipe.id !== id)) continue;
      isFound = true;
      await updateStored(this.#store, key, (stored) =>
        stored.filter(({ recipe }) => recipe.id !== id),
      );
      this.#shelves.delete(key);
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
  const question = digest([schema, prompt ?? null]);
  return identity === undefined ? question : `${question}-${identity}`;
}

/** Names a recipe. */
export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

/** Host and port of a page; `` for one without. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
