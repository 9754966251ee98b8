/** A fleet of a test: clients and workers that meet each other and no others. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Document, type Store } from 'pagewright';
import { redisStore } from 'pagewright/storage';
import { fleet, type FleetWorker, startWorker } from 'pagewright/fleet';
import { expect } from 'vitest';
import type { SiteHandlers } from '../../../src/entries/testing/serve.ts';
import type { RedisServer } from '../../support/redis.ts';
import { killWorker, startWorkerProcess, type WorkerInChild } from './worker-process.ts';

export const network: { readonly allow: readonly string[] } = { allow: ['127.0.0.1'] };

let prefixes = 0;

export class TestFleet implements AsyncDisposable {
  readonly prefix: string = `test-${(prefixes += 1)}:`;
  readonly settings: WorkerInChild['fleet'];
  readonly #redis: RedisServer;
  readonly #open: AsyncDisposable[] = [];
  readonly #children: ChildProcess[] = [];

  constructor(redis: RedisServer, recovery = 1000) {
    this.#redis = redis;
    this.settings = { redis: redis.url, prefix: this.prefix, recovery };
  }

  /** A store of its own for each client and worker, as in processes of their own. */
  storage(): Store {
    return redisStore({ url: this.#redis.url, prefix: this.prefix });
  }

  async work(options: Partial<Parameters<typeof startWorker>[0]> = {}): Promise<FleetWorker> {
    const own = { fleet: this.settings, storage: this.storage(), network, cache: false as const };
    const worker = await startWorker({ ...own, ...options });
    this.#open.push(worker);
    return worker;
  }

  /** A worker that can be killed. */
  async child(options: Omit<WorkerInChild, 'fleet'> = {}): Promise<ChildProcess> {
    const child = await startWorkerProcess({ fleet: this.settings, ...options });
    this.#children.push(child);
    this.#open.push({ [Symbol.asyncDispose]: () => killWorker(child) });
    return child;
  }

  /** The child that runs a crawl, once one does. */
  async coordinator(id: string): Promise<ChildProcess> {
    const storage = this.storage();
    try {
      for (;;) {
        const lease = await storage.get(`jobs/${id}/lease`);
        const by = /process (\d+) on/.exec(Buffer.from(lease ?? []).toString())?.[1];
        const child = this.#children.find(({ pid }) => pid === Number(by));
        if (child?.exitCode === null && child.signalCode === null) return child;
        await sleep(50);
      }
    } finally {
      await storage.dispose?.();
    }
  }

  client(options: Parameters<typeof createClient>[0] = {}): ReturnType<typeof createClient> {
    const storage = this.storage();
    const own = { storage, network, cache: false as const, fleet: fleet(this.settings) };
    const client = createClient({ ...own, ...options });
    this.#open.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#open.reverse()) await one[Symbol.asyncDispose]();
  }
}

/** Documents without what differs from run to run. */
export function plain(documents: readonly Document<never>[]): unknown {
  return documents.map(({ metadata, ...rest }) => {
    const { scrapeId, ...same } = metadata as unknown as Record<string, unknown>;
    expect(scrapeId).toBeTypeOf('string');
    return { ...rest, metadata: same };
  });
}

/** The same site, each page `delay` ms late. */
export function slowly(site: SiteHandlers, delay: number): SiteHandlers {
  return Object.fromEntries(
    Object.entries(site).map(([path, page]) => [
      path,
      async () => {
        await sleep(delay);
        return page;
      },
    ]),
  );
}
