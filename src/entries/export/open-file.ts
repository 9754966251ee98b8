/** A file that is written piece by piece, and is complete or absent. */
import { randomUUID } from 'node:crypto';
import {
  type FileHandle,
  mkdir,
  open,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { cannotWrite } from './storage-error.ts';

/** An open file. The opener must call `finish` or `abandon`. */
export interface OpenFile {
  /** Rejects with `STORAGE`. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** Resolves when the file is on the disk under its name. */
  finish(): Promise<void>;
  /** Removes the written data; an earlier file is unchanged. Never rejects. */
  abandon(): Promise<void>;
}

/** Writes a partial file in the same folder, and renames it at the end. Makes the folder. */
export async function createFile(path: string): Promise<OpenFile> {
  return attempt(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    // Replaces the target of a link, not the link; writes to other kinds of files (a pipe) directly.
    const target = await realpath(path).catch(() => path);
    const before = await stat(target).catch(() => undefined);
    if (before !== undefined && !before.isFile()) {
      const handle = await open(target, 'w');
      return openFile(path, handle, { finish: nothing, abandon: nothing });
    }
    const partial = partialName(target);
    const handle = await open(partial, 'wx', before?.mode);
    return openFile(path, handle, {
      async finish() {
        await handle.sync();
        await handle.close();
        await rename(partial, target);
      },
      abandon: () => rm(partial, { force: true }),
    });
  });
}

/** Writes a small file whole or not at all, with the folders it needs. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const partial = partialName(path);
  await attempt(path, async () => {
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(partial, content);
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true }).catch(nothing);
      throw error;
    }
  });
}

/** Appends to a file of lines, on a new line. */
export async function appendToFile(path: string): Promise<OpenFile> {
  return attempt(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    const handle = await open(path, 'a+');
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    if (size > 0 && last.toString() !== '\n') await handle.appendFile('\n');
    return openFile(path, handle, {
      finish: () => handle.sync(),
      abandon: () => handle.truncate(size),
    });
  });
}

/** A file to be written, or a stream of the caller. */
export async function openTarget(file: string | Writable): Promise<OpenFile> {
  return typeof file === 'string' ? createFile(file) : openStream(file);
}

/** Writes to a stream of the caller: it is not ended, and written data stays. */
function openStream(stream: Writable): OpenFile {
  // Each write reports its error; without a listener the error event would be thrown as well.
  stream.on('error', ignore);
  return {
    write: (bytes) =>
      attempt(
        'the stream',
        () =>
          new Promise((resolve, reject) => {
            stream.write(bytes, (error) => (error ? reject(error) : resolve()));
          }),
      ),
    async finish() {
      stream.off('error', ignore);
      await nothing();
    },
    // The error event may still come: the listener stays.
    abandon: nothing,
  };
}

/** In the same folder, so that it can be renamed; hidden, so that readers do not take it for a page. */
function partialName(path: string): string {
  return join(dirname(path), `.${randomUUID()}.partial`);
}

function openFile(
  path: string,
  handle: FileHandle,
  ending: { finish(): Promise<void>; abandon(): Promise<void> },
): OpenFile {
  const close = (): Promise<void> => handle.close().catch(nothing);
  return {
    write: (bytes) => attempt(path, () => handle.appendFile(bytes)),
    async finish() {
      await attempt(path, () => ending.finish());
      await close();
    },
    async abandon() {
      await ending.abandon().catch(nothing);
      await close();
    },
  };
}

async function attempt<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

function ignore(): void {
  // Reported by the write.
}
