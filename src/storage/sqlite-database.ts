/** The database of the SQLite store: found, opened, checked and made. */
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MissingDependencyError, PagewrightError } from '../errors.ts';
import { privateFile, privateFolder } from './entry-file.ts';

/** What is used of `DatabaseSync`, which node:sqlite and the package have alike. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** A statement; a row is an object by column. */
export interface SqliteStatement {
  run(...values: readonly SqliteValue[]): { readonly changes: number | bigint };
  get(...values: readonly SqliteValue[]): unknown;
  all(...values: readonly SqliteValue[]): readonly unknown[];
}

type SqliteValue = Uint8Array | number | null;

type OpenSqlite = new (file: string) => SqliteDatabase;

/** Tells a database of this library from any other: "PGWR". */
const applicationId = 0x50475752;
const formatVersion = 1;

const schema = `
  CREATE TABLE entries (key BLOB NOT NULL PRIMARY KEY, expires_at REAL NOT NULL, value BLOB NOT NULL);
  CREATE INDEX entries_that_expire ON entries (expires_at) WHERE expires_at < 9e999;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};
`;

/** Opens the file, made where it is missing. Throws what SQLite throws, and `STORAGE`. */
export async function openDatabase(file: string, fsync: boolean): Promise<SqliteDatabase> {
  const Database = await loadSqlite();
  await mkdir(dirname(file), { recursive: true, mode: privateFolder });
  // SQLite gives -wal and -shm the mode of the file, and says what is wrong with one that cannot be opened.
  await open(file, 'a', privateFile).then(
    (handle) => handle.close(),
    () => undefined,
  );
  const database = new Database(file);
  try {
    // Short: waiting blocks the thread. Who calls tries again.
    database.exec('PRAGMA busy_timeout = 20');
    if (!isOurs(database, file)) makeSchema(database, file);
    // Nothing is changed before it is known to be ours.
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${fsync ? 'FULL' : 'NORMAL'}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Closes it, with all that was written in the one file. */
export function closeDatabase(database: SqliteDatabase): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // A full disk, or a lock: what is in -wal is read from there the next time.
  }
  database.close();
}

/**
 * The package closes a file when the last of its statements is collected, and has no other way: without
 * this the file and -wal stay open, and on Windows cannot be removed. Takes some 25 ms.
 */
export async function collectStatements(): Promise<void> {
  if (process.getBuiltinModule('node:sqlite') !== undefined) return;
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([
    import('node:v8'),
    import('node:vm'),
  ]);
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  // What was collected is closed in the next turn.
  await nextTurn();
}

/** True for our database, false for an empty one; throws for any other. */
function isOurs(database: SqliteDatabase, file: string): boolean {
  const read = (pragma: string): unknown =>
    Object.values(database.prepare(pragma).get() as object)[0];
  const version = read('PRAGMA user_version') as number;
  if (read('PRAGMA application_id') !== applicationId) {
    if (read('SELECT count(*) FROM sqlite_schema') === 0 && version === 0) return false;
    throw new PagewrightError(
      'STORAGE',
      `The SQLite store was given ${file}, a database of something else. Name another file: nothing in this one was changed.`,
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
  // Looked at again: another process may have made it meanwhile.
  if (!isOurs(database, file)) database.exec(schema);
  database.exec('COMMIT');
}

async function loadSqlite(): Promise<OpenSqlite> {
  // Not an import: Node 20 has no such module, and this says so without an error.
  const builtin = process.getBuiltinModule('node:sqlite') as
    { readonly DatabaseSync: OpenSqlite } | undefined;
  if (builtin !== undefined) return builtin.DatabaseSync;
  try {
    return (await import('@photostructure/sqlite')).DatabaseSync;
  } catch (error) {
    throw new MissingDependencyError('@photostructure/sqlite', 'sqliteStore on Node 20', error);
  }
}
