/** A store in one SQLite file: the one for jobs that outlive the process. */
import { resolve } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../errors.ts';
import { afterPrefix, keyFromBytes, keyToBytes } from './key-bytes.ts';
import {
  closeDatabase,
  collectStatements,
  openDatabase,
  type SqliteDatabase,
  type SqliteStatement,
} from './sqlite-database.ts';
import { adviceForSqlite, isBusy } from './sqlite-failure.ts';
import { quoted, storageError } from './storage-error.ts';
import type { Store } from './store.ts';

/** Where a SQLite store is and how it writes. */
export interface SqliteStoreOptions {
  /** The database file, made with its folders at the first call. On a local disk, no network share. */
  readonly file: string;
  /**
   * Wait until each value is on the disk. Without it a value outlives the process from the moment
   * it is set; a loss of power may take the last seconds, and damages nothing. @default false
   */
  readonly fsync?: boolean;
  /** The time in ms since 1970; for tests. @default Date.now */
  readonly now?: () => number;
}

const pageSize = 1000;
const deletedAtOnce = 200;
const purgeEvery = 60_000;
const waitAtMost = 5000;

/** An empty value is bound as NULL by some versions. */
const statements = {
  get: 'SELECT value FROM entries WHERE key = ? AND expires_at > ?',
  set: `INSERT INTO entries (key, expires_at, value) VALUES (?, ?, coalesce(?, x''))
    ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, value = excluded.value`,
  setNew: `INSERT INTO entries (key, expires_at, value) VALUES (?, ?, coalesce(?, x''))
    ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, value = excluded.value
    WHERE entries.expires_at <= ?`,
  replace: `UPDATE entries SET expires_at = ?, value = coalesce(?, x'')
    WHERE key = ? AND expires_at > ? AND value = coalesce(?, x'')`,
  delete: 'DELETE FROM entries WHERE key = ?',
  list: `SELECT key FROM entries WHERE key >= ? AND key < ? AND expires_at > ?
    ORDER BY key LIMIT ${pageSize}`,
  deleteSome: `DELETE FROM entries WHERE key IN
    (SELECT key FROM entries WHERE key >= ? AND key < ? LIMIT ${deletedAtOnce})`,
  purge: `DELETE FROM entries WHERE key IN (SELECT key FROM entries
    WHERE expires_at <= ? AND expires_at < 9e999 LIMIT ${deletedAtOnce})`,
} as const;

type Prepared = Readonly<Record<keyof typeof statements, SqliteStatement>>;

/**
 * Keeps everything in one file, with SQLite's `-wal` and `-shm` beside it while it is open. Uses
 * node:sqlite where Node has it, else the package @photostructure/sqlite. Several processes may use
 * the file at once. Throws `STORAGE`, and `MISSING_DEPENDENCY`.
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  const { fsync = false, now = Date.now } = options;
  if (typeof options.file !== 'string' || options.file === '') {
    throw new PagewrightError('BAD_REQUEST', 'sqliteStore: file has to be the path of a file.');
  }
  const file = resolve(options.file);
  let opening:
    Promise<{ readonly database: SqliteDatabase; readonly prepared: Prepared }> | undefined;
  let purgedAt = -Infinity;

  const open = (): NonNullable<typeof opening> => {
    opening ??= openDatabase(file, fsync)
      .then((database) => ({ database, prepared: prepare(database) }))
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
    return opening;
  };

  /** True when something was open. */
  const closeOpened = async (): Promise<boolean> => {
    const opened = opening;
    opening = undefined;
    const database = (await opened?.catch(() => undefined))?.database;
    if (database !== undefined) closeDatabase(database);
    return database !== undefined;
  };

  const close = async (): Promise<void> => {
    if (await closeOpened()) await collectStatements();
  };

  /** Does `work`, again while another process holds the lock: waiting in SQLite blocks the thread. */
  const attempt = async <T>(
    verb: string,
    place: string,
    work: (prepared: Prepared) => T,
  ): Promise<T> => {
    const deadline = Date.now() + waitAtMost;
    for (;;) {
      try {
        // Closed by another client since it was opened: the next one is another.
        for (;;) {
          const opened = open();
          const { prepared } = await opened;
          if (opening === opened) return work(prepared);
        }
      } catch (error) {
        if (!isBusy(error) || Date.now() > deadline) {
          const action = { store: 'SQLite store', verb, place: `${place} in ${file}` };
          throw storageError(action, error, adviceForSqlite(error));
        }
      }
      await sleep(5 + Math.random() * 20);
    }
  };

  /** Removes some of what has expired, once a minute: more the next time where there is more. */
  const purge = (prepared: Prepared): void => {
    if (now() - purgedAt < purgeEvery) return;
    try {
      if (Number(prepared.purge.run(now()).changes) < deletedAtOnce) purgedAt = now();
    } catch (error) {
      // Only to save room: what is wrong with the file, the next call tells.
      if (!isBusy(error)) purgedAt = now();
    }
  };

  return {
    get: async (key) => {
      const id = keyToBytes(key);
      const row = await attempt('read', quoted(key), ({ get }) => get.get(id, now()));
      return (row as { readonly value: Uint8Array } | undefined)?.value;
    },
    set: async (key, value, { expiresAt = Infinity } = {}) => {
      // Copied before anything is awaited: the caller may change the value meanwhile.
      const [id, bytes] = [keyToBytes(key), new Uint8Array(value)];
      await attempt('write', quoted(key), (prepared) => {
        prepared.set.run(id, expiresAt, bytes);
        purge(prepared);
      });
    },
    delete: async (key) => {
      await attempt('remove', quoted(key), (prepared) => prepared.delete.run(keyToBytes(key)));
    },
    async *list(prefix) {
      let from = keyToBytes(prefix);
      const end = afterPrefix(from);
      for (;;) {
        const rows = (await attempt('list', `${quoted(prefix)}…`, ({ list }) =>
          list.all(from, end, now()),
        )) as readonly { readonly key: Uint8Array }[];
        for (const { key } of rows) yield keyFromBytes(key);
        const last = rows.at(-1);
        if (last === undefined || rows.length < pageSize) return;
        // The first bytes after the last key.
        from = Buffer.concat([last.key, Buffer.alloc(1)]);
      }
    },
    replace: async (key, expected, value, { expiresAt = Infinity } = {}) => {
      const [id, bytes] = [keyToBytes(key), new Uint8Array(value)];
      const old = expected && new Uint8Array(expected);
      const { changes } = await attempt('write', quoted(key), (prepared) =>
        old === undefined
          ? prepared.setNew.run(id, expiresAt, bytes, now())
          : prepared.replace.run(expiresAt, bytes, id, now(), old),
      );
      return Number(changes) === 1;
    },
    deleteAll: async (prefix) => {
      const from = keyToBytes(prefix);
      const end = afterPrefix(from);
      for (;;) {
        const { changes } = await attempt('remove', `${quoted(prefix)}…`, ({ deleteSome }) =>
          deleteSome.run(from, end),
        );
        if (Number(changes) < deletedAtOnce) return;
        await nextTurn();
      }
    },
    release: close,
    dispose: close,
  };
}

function prepare(database: SqliteDatabase): Prepared {
  const entries = Object.entries(statements).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as Prepared;
}
