/** Errors of files that cannot be written or read, each with advice. */
import { PagewrightError } from '../../core/runtime/errors.ts';

/** The `STORAGE` error of a file that cannot be written; a `PagewrightError` stays as it is. */
export function cannotWrite(path: string, error: unknown): PagewrightError {
  return storageError('write', path, error);
}

/** The `STORAGE` error of a file that cannot be read; a `PagewrightError` stays as it is. */
export function cannotRead(path: string, error: unknown): PagewrightError {
  return storageError('read', path, error);
}

/** The `STORAGE` error of a file with invalid content. */
export function damaged(where: string, what: string, cause?: unknown): PagewrightError {
  return new PagewrightError('STORAGE', `${where} ${what}`, { cause });
}

function storageError(verb: string, path: string, error: unknown): PagewrightError {
  if (error instanceof PagewrightError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  const hint = hints[`${verb} ${code}`] ?? hints[code];
  const message = `Could not ${verb} ${path} (${code}).${hint === undefined ? '' : ` ${hint}`}`;
  return new PagewrightError('STORAGE', message, { cause: error });
}

const hints: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free space, or write to another disk.',
  EDQUOT: 'The quota of the disk is used up: free space, or write to another disk.',
  EACCES: 'This user is not allowed to: change the permissions, or choose another path.',
  EPERM: 'This user is not allowed to: change the permissions, or choose another path.',
  EROFS: 'The file system is read-only: choose a path on a writable one.',
  ENOENT: 'There is no such file or folder.',
  // Node's error where a folder cannot be created.
  'write ENOENT': 'Its folder cannot be made: is the file system read-only?',
  EISDIR: 'It is a folder: name a file.',
  ENOTDIR: 'A part of the path is a file.',
  EEXIST: 'A file with this name exists.',
  Z_BUF_ERROR: 'The file is cut off.',
  Z_DATA_ERROR: 'The file is damaged.',
  ENAMETOOLONG: 'The name is too long for the disk.',
};
