/** Stores that outlive a process, each as a child opens it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore } from '../../src/core/storage/file-store.ts';
import { redisStore } from '../../src/entries/storage/redis-store.ts';
import { s3Store } from '../../src/entries/storage/s3-store.ts';
import { sqliteStore } from '../../src/entries/storage/sqlite-store.ts';
import type { Store } from '../../src/core/storage/store.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { startS3 } from '../support/s3.ts';
import type { StoreInChild } from './job-process.ts';

/** One store; another name is another store, or with Redis another part of it. */
type NamedStore = (name: string) => StoreInChild & {
  /** The same store, opened in this process. */
  open(): Store;
};

/** Stores of one test file. */
export interface ChildStores {
  /** Where files and databases are. */
  readonly folder: string;
  readonly files: NamedStore;
  readonly SQLite: NamedStore;
  readonly Redis: NamedStore;
  readonly S3: NamedStore;
  /** The server of the stores on Redis. */
  readonly redis: RedisServer;
  close(): Promise<void>;
}

/** A store on files. */
export function filesIn(directory: string): ReturnType<NamedStore> {
  return {
    expression: `fileStore(${JSON.stringify(directory)})`,
    open: () => fileStore(directory),
  };
}

/** A store in a database. */
export function databaseAt(file: string): ReturnType<NamedStore> {
  const options = { file };
  return {
    expression: `sqliteStore(${JSON.stringify(options)})`,
    open: () => sqliteStore(options),
  };
}

/** Makes room for them, and starts servers. */
export async function childStores(): Promise<ChildStores> {
  const folder = await mkdtemp(join(tmpdir(), 'pagewright-jobs-'));
  const redis = await startRedis();
  const s3 = await startS3();
  return {
    folder,
    redis,
    files: (name) => filesIn(join(folder, name)),
    SQLite: (name) => databaseAt(join(folder, `${name}.sqlite`)),
    Redis: (name) => {
      const options = { url: redis.url, prefix: `${name}:` };
      return {
        expression: `redisStore(${JSON.stringify(options)})`,
        open: () => redisStore(options),
      };
    },
    S3: (name) => {
      const options = { ...s3.access, prefix: `${name}/` };
      return {
        expression: `s3Store(${JSON.stringify(options)})`,
        open: () => s3Store(options),
      };
    },
    close: async () => {
      await redis.stop();
      await s3[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
