/** Stores of databases and services for the options `storage` and `cache`: `import { redisStore } from 'pagewright/storage'`. */
export { keyvStore, unstorageStore } from './key-value-stores.ts';
export { redisStore } from './redis-store.ts';
export { s3Store } from './s3-store.ts';
export { sqliteStore } from './sqlite-store.ts';
export type { KeyvLike, UnstorageLike } from './key-value-stores.ts';
export type { RedisClient, RedisStoreOptions } from './redis-store.ts';
export type { S3StoreOptions } from './s3-store.ts';
export type { SqliteStoreOptions } from './sqlite-store.ts';
