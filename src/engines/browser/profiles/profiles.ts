/** Profiles: the browser state that visits of one name share, kept in the client's store. */
import type { BrowserContext } from 'playwright-core';
import { messageOf } from '../../../errors.ts';
import type { Rendering } from '../../../model/request.ts';
import type { Store } from '../../../storage/store.ts';
import type { Vault } from '../../../storage/vault.ts';
import { emptyState, mergeStates } from './merge-states.ts';
import { type BrowserState, packState, unpackState } from './stored-state.ts';

/** One visit with a profile. */
export interface ProfileVisit {
  /** For `browser.newContext({ storageState })`; undefined when nothing is stored yet. */
  readonly storageState: BrowserState | undefined;
  /** Whether the profile has a cookie or a stored value for the page's site. */
  knows(url: string): boolean;
  /**
   * Stores what the visit changed, unless `saveChanges` is false. For visits that went well: a
   * failed one would overwrite a login that works. Resolves with warnings; rejects with the
   * store's error.
   */
  save(context: BrowserContext): Promise<readonly string[]>;
}

/** Where a profile is in the store. Different names have different keys. */
export function profileKey(name: string): string {
  // Over UTF-8, for half a surrogate pair has no URI form.
  const wellFormed = Buffer.from(name).toString('utf8');
  return `profiles/${encodeURIComponent(wellFormed).replaceAll('.', '%2E')}`;
}

/**
 * The profiles of one client. Visits with the same profile may run at once: each begins with what is
 * stored then, and its changes are merged into what the others have stored meanwhile, one save at a
 * time. Two processes on one store do not wait for each other.
 */
export class Profiles {
  readonly #store: Store;
  readonly #vault: Vault | undefined;
  /** The last save of each profile that is under way. */
  readonly #saves = new Map<string, Promise<unknown>>();

  constructor(store: Store, vault?: Vault) {
    this.#store = store;
    this.#vault = vault;
  }

  /** Begins a visit. Rejects with `STORAGE` when what is stored cannot be read. */
  async open({ name, saveChanges }: NonNullable<Rendering['profile']>): Promise<ProfileVisit> {
    const key = profileKey(name);
    await this.#saves.get(key);
    const storageState = await this.#load(key);
    return {
      storageState,
      knows: (url) => storageState !== undefined && hasStateFor(storageState, new URL(url)),
      save: async (context) => {
        if (saveChanges === false) return [];
        const { state, warnings } = await capture(context);
        await this.#inTurn(key, async () => {
          const stored = (await this.#load(key)) ?? emptyState;
          const merged = mergeStates(stored, storageState ?? emptyState, state);
          await this.#store.set(key, packState(merged, key, this.#vault));
        });
        return warnings;
      },
    };
  }

  async #load(key: string): Promise<BrowserState | undefined> {
    const bytes = await this.#store.get(key);
    return bytes === undefined ? undefined : unpackState(bytes, key, this.#vault);
  }

  async #inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#saves.get(key) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => undefined);
    this.#saves.set(key, settled);
    try {
      await turn;
    } finally {
      if (this.#saves.get(key) === settled) this.#saves.delete(key);
    }
  }
}

/** What the context holds. A database that cannot be read does not cost the cookies. */
async function capture(
  context: BrowserContext,
): Promise<{ readonly state: BrowserState; readonly warnings: readonly string[] }> {
  try {
    return { state: await context.storageState({ indexedDB: true }), warnings: [] };
  } catch (error) {
    const reason = messageOf(error).split('\n', 1)[0] ?? '';
    const warning = `The profile was saved without IndexedDB, which could not be read (${reason.slice(0, 100)}).`;
    return { state: await context.storageState(), warnings: [warning] };
  }
}

function hasStateFor({ cookies, origins }: BrowserState, url: URL): boolean {
  const isOwn = (domain: string): boolean =>
    domain === url.hostname || (domain.startsWith('.') && `.${url.hostname}`.endsWith(domain));
  return (
    cookies.some(({ domain }) => isOwn(domain)) ||
    origins.some(({ origin }) => origin === url.origin)
  );
}
