/** Where the jobs of the matrix live. */
import { type Client, type ClientOptions, createClient, type Store } from 'pagewright';
import { fleet } from 'pagewright/fleet';
import { TestFleet } from '../../../entries/fleet/test-fleet.ts';
import { childStores, type ChildStores } from '../../../durability/child-stores.ts';
import { listed } from '../../../durability/chain.ts';
import type { StoreInChild } from '../../../durability/job-process.ts';

export const placeNames = ['memory', 'files', 'SQLite', 'Redis', 'fleet'] as const;
export type PlaceName = (typeof placeNames)[number];

/** What one cell of the matrix has for its own. */
export interface Place extends AsyncDisposable {
  readonly name: PlaceName;
  /** A further client of the same jobs, as another process has it. */
  client(options?: ClientOptions): Client;
  /** The keys of a job in the store; none where there is no store. */
  keys(id: string): Promise<string[]>;
  /** The store, for a process of its own. */
  readonly store: StoreInChild;
}

/** The servers and workers that all cells of a file share. */
export class Places implements AsyncDisposable {
  readonly #stores: ChildStores;
  #fleet: Promise<TestFleet> | undefined;
  #opened = 0;

  private constructor(stores: ChildStores) {
    this.#stores = stores;
  }

  static async start(): Promise<Places> {
    return new Places(await childStores());
  }

  async open(name: PlaceName): Promise<Place> {
    const clients: Client[] = [];
    const open: Store[] = [];
    const store = await this.#storeOf(name);
    const workers = name === 'fleet' ? (await this.#workers()).settings : undefined;
    const openStore = (): Store | undefined => {
      const opened = store?.open();
      if (opened !== undefined) open.push(opened);
      return opened;
    };
    return {
      name,
      get store() {
        if (store === undefined) throw new TypeError('There is no store.');
        return { ...store, ...(workers && { fleet: workers }) };
      },
      client: (options = {}) => {
        const storage = openStore();
        const client = createClient({
          cache: false,
          network: { allow: ['127.0.0.1'] },
          logger: { warn: () => undefined },
          ...(storage && { storage }),
          ...(workers && { fleet: fleet(workers) }),
          ...options,
        });
        clients.push(client);
        return client;
      },
      keys: async (id) => {
        const storage = openStore();
        return storage === undefined
          ? []
          : [
              ...(await listed(storage, `jobs/${id}`)),
              ...(await listed(storage, `job-index/${id}`)),
            ];
      },
      [Symbol.asyncDispose]: async () => {
        await Promise.all(clients.map((client) => client.close()));
        for (const one of open) await one.dispose?.();
      },
    };
  }

  async #storeOf(name: PlaceName) {
    if (name === 'memory') return undefined;
    if (name !== 'fleet') return this.#stores[name](`cell-${(this.#opened += 1)}`);
    const { prefix } = (await this.#workers()).settings;
    return this.#stores.Redis(prefix.slice(0, -1));
  }

  /** Two workers for the jobs of all cells: what a job has of them does not depend on other jobs. */
  #workers(): Promise<TestFleet> {
    this.#fleet ??= (async () => {
      const started = new TestFleet(this.#stores.redis);
      await Promise.all([started.work(), started.work()]);
      return started;
    })();
    return this.#fleet;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#fleet)?.[Symbol.asyncDispose]();
    await this.#stores.close();
  }
}
