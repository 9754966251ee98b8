/** What SQLite's error codes mean for who uses a store. */

/** True when another process holds the lock: the same call may succeed a little later. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === 5 || code === 6;
}

/** What to do about an error, by its result code: https://www.sqlite.org/rescode.html */
export function adviceForSqlite(error: unknown): string {
  switch (resultCode(error)) {
    case 3:
    case 8:
    case 14:
      return 'Let this user write to the file and to its folder, or name another file.';
    case 5:
    case 6:
      return 'Another process has held its lock for 5 s: end what holds it (a shell with an open transaction, a backup), then call again.';
    case 10:
      return 'The disk did not do its part: check its health, its quota and the limit on the size of files.';
    case 11:
      return 'The file is damaged. Move it away to start anew; "sqlite3 FILE .recover" saves what can be read.';
    case 13:
      return 'Make room on the disk and call again: what was stored before is still there.';
    case 18:
      return 'A value may have 1 GB.';
    case 26:
      return 'The file is no SQLite database: name another file. Nothing in this one was changed.';
    default:
      return 'Check the file, its folder and the room on the disk.';
  }
}

function resultCode(error: unknown): number | undefined {
  const { errcode } = error as { readonly errcode?: unknown };
  // The low byte: the rest tells more than is needed.
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}
