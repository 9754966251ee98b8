/** Where results go: stdout or a file. Each write waits until it is taken, so a slow reader sets the pace. */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { cannotWrite } from '../export/storage-error.ts';
import { withoutControls } from './without-controls.ts';

/** An open output. */
export interface Output {
  /** Rejects with `ClosedOutput` when the reader of stdout is gone, with `STORAGE` when a file cannot be written. */
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/** The reader of stdout is gone (`| head`): there is nothing more to do, and nothing went wrong. */
export class ClosedOutput extends Error {
  override readonly name = 'ClosedOutput';
}

/** Opens the file, which is emptied, or stdout for `-` and undefined. */
export async function openOutput(path: string | undefined): Promise<Output> {
  if (path === undefined || path === '-') return standardOutput();
  const file = createWriteStream(path);
  file.on('error', () => undefined);
  await once(file, 'open').catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
  return {
    write: (text) =>
      writeTo(file, text).catch((error: unknown) => {
        throw cannotWrite(path, error);
      }),
    close: () => new Promise((resolve) => file.end(() => resolve())),
  };
}

/** Opens, writes once and closes. */
export async function writeOutput(path: string | undefined, text: string): Promise<void> {
  const output = await openOutput(path);
  await output.write(text);
  await output.close();
}

function standardOutput(): Output {
  const { stdout } = process;
  return {
    write: (text) =>
      writeTo(stdout, stdout.isTTY ? withoutControls(text) : text).catch((error: unknown) => {
        throw (error as NodeJS.ErrnoException).code === 'EPIPE'
          ? new ClosedOutput()
          : cannotWrite('stdout', error);
      }),
    close: () => Promise.resolve(),
  };
}

function writeTo(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
