/** A store in one SQLite file: for jobs that outlive the process. */
import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PagewrightError } from '../../core/runtime/errors.ts';
import { requirePackages, loadPackage } from '../../core/runtime/optional-packages.ts';
import { type AttemptFailure, retry, retryPolicies } from '../../core/runtime/retry.ts';
import { afterPrefix, keyFromBytes, keyToBytes } from '../../core/storage/entry-encoding.ts';
import { privateFile, privateFolder } from '../../core/storage/entry-file.ts';
import { quoted, storageError } from '../../core/storage/storage-failures.ts';
import type { Store } from '../../core/storage/store.ts';

const settings = {
  pageSize: 1000,
  deletedAtOnce: 200,
  purgeEvery: 60_000, // milliseconds
};

/** Options of a SQLite store. */
export interface SqliteStoreOptions {
  /**
   * The database file, made with its folders at the first call. On a local disk, not a network
   * share.
   */
  readonly file: string;
  /**
   * Wait until each value is on the disk. Without it a value outlives the process from the moment
   * it is set; a power failure may lose the last seconds, and damages nothing. @default false
   */
  readonly fsync?: boolean;
  /** The time in ms since 1970; for tests. @default Date.now */
  readonly now?: () => number;
}

/** Some versions bind an empty value as NULL. */
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
    ORDER BY key LIMIT ${settings.pageSize}`,
  deleteSome: `DELETE FROM entries WHERE key IN
    (SELECT key FROM entries WHERE key >= ? AND key < ? LIMIT ${settings.deletedAtOnce})`,
  purge: `DELETE FROM entries WHERE key IN (SELECT key FROM entries
    WHERE expires_at <= ? AND expires_at < 9e999 LIMIT ${settings.deletedAtOnce})`,
} as const;

type PreparedStatements = Readonly<Record<keyof typeof statements, SqliteStatement>>;

/**
 * Keeps everything in one file, with SQLite's `-wal` and `-shm` next to it while it is open. Uses
 * node:sqlite if Node has it, else the package @photostructure/sqlite. Several processes may use
 * the file concurrently. Throws `STORAGE`, and `MISSING_DEPENDENCY`.
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  const { fsync = false, now = Date.now } = options;
  if (typeof options.file !== 'string' || options.file === '') {
    throw new PagewrightError('BAD_REQUEST', 'sqliteStore: file must be the path of a file.');
  }
  const file = resolve(options.file);
  if (builtinSqlite() === undefined) requirePackages(onNode20, '@photostructure/sqlite');
  let opening:
    | Promise<{ readonly database: SqliteDatabase; readonly prepared: PreparedStatements }>
    | undefined;
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

  /** True if a database was open. */
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

  /**
   * Runs `work`, and retries while another process holds the lock: waiting in SQLite blocks the
   * thread.
   */
  const attempt = async <T>(
    verb: string,
    target: string,
    work: (prepared: PreparedStatements) => T,
  ): Promise<T> => {
    const failureOf = (error: unknown): AttemptFailure => {
      const action = { store: 'SQLite store', verb, target: `${target} in ${file}` };
      const failure = storageError(action, error, adviceForSqlite(error));
      return { error: failure, mayRetry: isBusy(error) };
    };
    const run = async (): Promise<T> => {
      // Another client closed it since it was opened: reopen it.
      for (;;) {
        const opened = open();
        const { prepared } = await opened;
        if (opening === opened) return work(prepared);
      }
    };
    return retry(retryPolicies.sqlite, run, { failureOf });
  };

  /** Removes some expired values, once a minute; the rest next time. */
  const purge = (prepared: PreparedStatements): void => {
    if (now() - purgedAt < settings.purgeEvery) return;
    try {
      if (Number(prepared.purge.run(now()).changes) < settings.deletedAtOnce) purgedAt = now();
    } catch (error) {
      // Only to save space: the next call reports errors of the file.
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
      // Copied before the first await: the caller may change the value meanwhile.
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
        if (last === undefined || rows.length < settings.pageSize) return;
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
        if (Number(changes) < settings.deletedAtOnce) return;
        await nextTurn();
      }
    },
    release: close,
    dispose: close,
  };
}

function prepare(database: SqliteDatabase): PreparedStatements {
  const entries = Object.entries(statements).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as PreparedStatements;
}

// The database of the SQLite store: found, opened, checked and created.

/** The common part of `DatabaseSync` in node:sqlite and in the package. */
interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** A statement; a row is an object by column. */
interface SqliteStatement {
  run(...values: readonly SqliteValue[]): { readonly changes: number | bigint };
  get(...values: readonly SqliteValue[]): unknown;
  all(...values: readonly SqliteValue[]): readonly unknown[];
}

type SqliteValue = Uint8Array | number | null;

type OpenSqlite = new (file: string) => SqliteDatabase;

const applicationId = 0x50475752; // distinguishes a database of this library from any other: "PGWR"
const formatVersion = 1;

const tableSchema = `
  CREATE TABLE entries (key BLOB NOT NULL PRIMARY KEY, expires_at REAL NOT NULL, value BLOB NOT NULL);
  CREATE INDEX entries_that_expire ON entries (expires_at) WHERE expires_at < 9e999;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};
`;

/** Opens the file, creating it if it is missing. Throws SQLite's errors, and `STORAGE`. */
async function openDatabase(file: string, fsync: boolean): Promise<SqliteDatabase> {
  const Database = await loadSqlite();
  await mkdir(dirname(file), { recursive: true, mode: privateFolder });
  // SQLite gives -wal and -shm the mode of the file, and reports the error of one that cannot be
  // opened.
  await open(file, 'a', privateFile).then(
    (handle) => handle.close(),
    () => undefined,
  );
  const database = new Database(file);
  try {
    // Short: waiting blocks the thread. The caller retries.
    database.exec('PRAGMA busy_timeout = 20');
    if (!isOurs(database, file)) makeSchema(database, file);
    // The file is not changed before it is known to be ours.
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${fsync ? 'FULL' : 'NORMAL'}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Closes it, with all data in the one file. */
function closeDatabase(database: SqliteDatabase): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // A full disk, or a lock: the data in -wal is read from there the next time.
  }
  database.close();
}

/**
 * The package closes a file only when the last of its statements is garbage-collected: without this
 * the file and -wal stay open, and on Windows cannot be removed. Takes some 25 ms.
 */
async function collectStatements(): Promise<void> {
  if (builtinSqlite() !== undefined) return;
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([
    import('node:v8'),
    import('node:vm'),
  ]);
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  // Collected statements are closed in the next turn.
  await nextTurn();
}

/** True for a database of this library, false for an empty one; throws for any other. */
function isOurs(database: SqliteDatabase, file: string): boolean {
  const read = (pragma: string): unknown =>
    Object.values(database.prepare(pragma).get() as object)[0];
  const version = read('PRAGMA user_version') as number;
  if (read('PRAGMA application_id') !== applicationId) {
    if (read('SELECT count(*) FROM sqlite_schema') === 0 && version === 0) return false;
    throw new PagewrightError(
      'STORAGE',
      `The SQLite store was given ${file}, a database of another program. Choose another file: nothing in this one was changed.`,
    );
  }
  if (version === formatVersion) return true;
  throw new PagewrightError(
    'STORAGE',
    `${file} has version ${version} of the SQLite store, and this release reads version ${formatVersion}. Use the release of pagewright that wrote it, or name another file: nothing in this one was changed.`,
  );
}

function makeSchema(database: SqliteDatabase, file: string): void {
  database.exec('BEGIN IMMEDIATE');
  // Checked again: another process may have created it meanwhile.
  if (!isOurs(database, file)) database.exec(tableSchema);
  database.exec('COMMIT');
}

const onNode20 = 'sqliteStore() on Node 20';

/** Not an import: Node 20 lacks the module, and this reports that without an error. */
function builtinSqlite(): { readonly DatabaseSync: OpenSqlite } | undefined {
  return process.getBuiltinModule('node:sqlite') as
    { readonly DatabaseSync: OpenSqlite } | undefined;
}

async function loadSqlite(): Promise<OpenSqlite> {
  const builtin = builtinSqlite();
  if (builtin !== undefined) return builtin.DatabaseSync;
  const load = (): Promise<typeof import('@photostructure/sqlite')> =>
    import('@photostructure/sqlite');
  return (await loadPackage(onNode20, '@photostructure/sqlite', load)).DatabaseSync;
}

// Maps SQLite's error codes to advice for users of a store.

/** True when another process holds the lock: the same call may succeed a little later. */
function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === 5 || code === 6;
}

/** Advice for an error, by its result code: https://www.sqlite.org/rescode.html */
function adviceForSqlite(error: unknown): string {
  switch (resultCode(error)) {
    case 3:
    case 8:
    case 14:
      return 'Give this user write access to the file and its folder, or choose another file.';
    case 5:
    case 6:
      return 'Another process has held its lock for 5 s: end what holds it (a shell with an open transaction, a backup), then call again.';
    case 10:
      return 'The disk failed: check its health, its quota and the limit on the size of files.';
    case 11:
      return 'The file is damaged. Move it away to start again; "sqlite3 FILE .recover" saves what can be read.';
    case 13:
      return 'Free space on the disk and call again: what was stored before is still there.';
    case 18:
      return 'A value may have at most 1 GB.';
    case 26:
      return 'The file is not an SQLite database: choose another file. Nothing in this one was changed.';
    default:
      return 'Check the file, its folder and the free space on the disk.';
  }
}

function resultCode(error: unknown): number | undefined {
  const { errcode } = error as { readonly errcode?: unknown };
  // The low byte is the primary code.
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}
