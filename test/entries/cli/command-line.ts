/** Runs the command line inside of this process: what it says of options and pages takes no new one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../../src/entries/cli/run-command-line.ts';
import type { Run, RunOptions } from './run-pagewright.ts';

let isRunning = false;

/**
 * As `pagewright`, but from the source and without a process of its own: its streams and its working
 * directory stand in for those of this process, so runs come one after the other.
 */
export async function commandLine(
  words: readonly string[],
  options: RunOptions = {},
): Promise<Run> {
  if (isRunning) throw new Error('Another command line has the streams of this process.');
  isRunning = true;
  const cwd = options.cwd ?? mkdtempSync(join(tmpdir(), 'pagewright-cli-'));
  const before = process.cwd();
  const stdout = kept();
  const stderr = kept();
  const stdin = Readable.from([Buffer.from(options.stdin ?? '')]);
  const giveBack = standIn({ stdin, stdout: stdout.stream, stderr: stderr.stream });
  try {
    process.chdir(cwd);
    const code = await runCommandLine(words);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before);
    giveBack();
    if (options.cwd === undefined) rmSync(cwd, { recursive: true, force: true });
    isRunning = false;
  }
}

/** A stream that keeps what it is given. */
function kept(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** Puts streams into the place of those of the process; the result puts these back. */
function standIn(streams: Readonly<Record<'stdin' | 'stdout' | 'stderr', unknown>>): () => void {
  const own = Object.getOwnPropertyDescriptors(process);
  const names = ['stdin', 'stdout', 'stderr'] as const;
  for (const name of names) {
    Object.defineProperty(process, name, { value: streams[name], configurable: true });
  }
  return () => {
    for (const name of names) Object.defineProperty(process, name, own[name]);
  };
}
