/** Runs the command line as users do: compiled, in a process and a working directory of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Inside of node_modules, so that the program finds its dependencies; beside a copy of package.json, as dist/ is. */
const build = join(root, 'node_modules/.cache/pagewright-cli-test');

/** Compiles what changed, file by file and without type checks: seconds the first time, then nothing. */
export function compileCommandLine(): void {
  mkdirSync(build, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(build, 'package.json'));
  for (const name of shuffled(readdirSync(join(root, 'src'), { recursive: true }) as string[])) {
    if (!name.endsWith('.ts')) continue;
    const source = join(root, 'src', name);
    const target = join(build, 'dist', name.replace(/\.ts$/, '.js'));
    // A compiled file has the time of its source, as that was when it was read.
    const { atime, mtime } = statSync(source);
    if (statSync(target, { throwIfNoEntry: false })?.mtimeMs === mtime.getTime()) continue;
    const { outputText } = ts.transpileModule(readFileSync(source, 'utf8'), { compilerOptions });
    mkdirSync(dirname(target), { recursive: true });
    // A file appears whole or not at all: another test may be about to run it.
    const partial = `${target}.${randomUUID()}`;
    writeFileSync(partial, outputText);
    utimesSync(partial, atime, mtime);
    renameSync(partial, target);
  }
}

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
};

/** Test files that start together come to different files first, and so share the work. */
function shuffled(names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ name }) => name);
}

/** How a run ended. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
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

/** Runs the program to its end, in an empty folder if no other is given. Fits concurrent tests. */
export async function pagewright(
  words: readonly string[],
  options: { readonly cwd?: string; readonly stdin?: string | Uint8Array } = {},
): Promise<Run> {
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
  const program = join(build, 'dist/cli.js');
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
