/**
 * Runs the command line as users do: built, in a process and a working directory of its own. That is
 * for what a process alone has: exit code, signals, pipes, its end; the rest is `command-line.ts`.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = join(root, 'dist/entries/cli.js');

/** For `beforeAll`: the program is there, and newer than what it was built from. */
export function requireBuild(): void {
  const built = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
  for (const name of readdirSync(join(root, 'src'), { recursive: true }) as string[]) {
    if (name.endsWith('.ts') && statSync(join(root, 'src', name)).mtimeMs > built) {
      throw new Error(
        `dist/entries/cli.js is not there, or older than src/${name}. Build it first: npm run build`,
      );
    }
  }
}

/** How a run ended. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How it is run. */
export interface RunOptions {
  /** The working directory. @default an empty folder, which goes afterwards */
  readonly cwd?: string;
  /** @default nothing */
  readonly stdin?: string | Uint8Array;
}

/** Starts the program. It is killed with the test at the latest. */
export function startPagewright(
  words: readonly string[],
  cwd: string,
): ChildProcessWithoutNullStreams {
  const child = start(words, cwd);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Runs the program to its end. Fits concurrent tests. */
export async function pagewright(words: readonly string[], options: RunOptions = {}): Promise<Run> {
  const cwd = options.cwd ?? mkdtempSync(join(tmpdir(), 'pagewright-cli-'));
  try {
    const child = start(words, cwd);
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
    const output = collect(child);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output() };
  } finally {
    if (options.cwd === undefined) rmSync(cwd, { recursive: true, force: true });
  }
}

function start(words: readonly string[], cwd: string): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...words], { cwd, timeout: 25_000 });
}

/** Gathers what the program writes; call the result for what there is so far. */
export function collect(
  child: ChildProcessWithoutNullStreams,
): () => { stdout: string; stderr: string } {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  return () => ({
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
  });
}

/** An empty folder that goes with the test. */
export function workingDirectory(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pagewright-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** All files below a folder, sorted, with `/`. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

/** `--fixtures` for the documentation site of this repository. */
export const docsSite: readonly string[] = [
  '--fixtures',
  `https://docs.test=${join(root, 'fixtures/sites/docs')}`,
];
