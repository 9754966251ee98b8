/** The optional packages: the versions that work, and the check that one is installed before use. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, MissingDependencyError } from './errors.ts';
import { isOutOfDescriptors, tooManyOpenFiles } from './file-descriptors.ts';
import { loadModule } from './load-module.ts';

/**
 * Packages that may be missing: `got-scraping`, which npm installs unless run with `--omit=optional`, and the
 * peers. package.json has no ranges for these: npm would refuse to install pagewright beside another version of a
 * package that it may never load. The tests pass with the least version of each.
 */
export const supportedVersions = {
  '@duckduckgo/autoconsent': '>=16.0.0',
  '@e965/xlsx': '>=0.20.3',
  '@ghostery/adblocker': '>=2.0.0',
  '@langchain/core': '>=1.4.0',
  '@llamaindex/core': '>=0.6.23',
  '@mozilla/readability': '>=0.5.0',
  '@opentelemetry/api': '>=1.9.0',
  '@photostructure/sqlite': '>=1.2.0',
  aws4fetch: '>=1.0.0',
  bullmq: '>=6.7.0',
  defuddle: '>=0.19.0',
  'got-scraping': '>=4.2.1',
  'hyparquet-writer': '>=0.17.0',
  impit: '>=0.14.0',
  keyv: '>=4.5.0',
  linkedom: '>=0.16.0',
  minisearch: '>=7.0.0 <8.0.0',
  'patchright-core': '>=1.60.0',
  'pdfjs-dist': '>=3.11.0',
  'playwright-core': '>=1.50.0',
  redis: '>=5.0.0',
  'tesseract.js': '>=4.0.0 <8.0.0',
  turndown: '>=7.0.0',
  unstorage: '>=1.10.0',
  yaml: '>=2.0.0',
} as const;

/** The name of an optional package on npm. */
export type OptionalPackage = keyof typeof supportedVersions;

/**
 * Throws `MISSING_DEPENDENCY` for the first package that is missing or has a version that does not work; its message
 * has the command that installs all of them. Loads no package. Passes if a bundler moved this code: the packages may be
 * in the bundle, and loading them decides.
 */
export function requirePackages(purpose: string, ...names: readonly OptionalPackage[]): void {
  const error = missingPackage(purpose, ...names);
  if (error !== undefined) throw error;
}

/** The error of `requirePackages`; undefined if it passes. */
export function missingPackage(
  purpose: string,
  ...names: readonly OptionalPackage[]
): MissingDependencyError | undefined {
  const problems = names.flatMap((name) => {
    const problem = problemOf(name);
    return problem === undefined ? [] : [{ name, ...problem }];
  });
  const [first] = problems;
  if (first === undefined || isMoved()) return undefined;
  return missing(
    purpose,
    first,
    problems.map(({ name }) => name),
  );
}

/** Loads an optional package. Rejects as `requirePackages` throws, also if the package fails to load. */
export async function loadPackage<Module>(
  purpose: string,
  name: OptionalPackage,
  load: () => Promise<Module>,
): Promise<Module> {
  requirePackages(purpose, name);
  try {
    return await loadModule(load);
  } catch (cause) {
    throw unloadable(purpose, name, cause);
  }
}

/** Loads an optional package at once, as CommonJS. Throws like `requirePackages`, also if the package fails to load. */
export function requirePackage<Module>(purpose: string, name: OptionalPackage): Module {
  requirePackages(purpose, name);
  try {
    return createRequire(import.meta.url)(name) as Module;
  } catch (cause) {
    throw unloadable(purpose, name, cause);
  }
}

/** The state of an optional package. */
export interface PackageState {
  /** Undefined if it is not installed. */
  readonly installedVersion?: string | undefined;
  /** True if its version works. */
  readonly isUsable: boolean;
  /** The command that installs a working version. */
  readonly install: string;
}

/** Finds a package, without loading it. */
export function packageState(name: OptionalPackage): PackageState {
  const isUsable = problemOf(name) === undefined;
  return { installedVersion: findVersion(name), isUsable, install: installCommand([name]) };
}

// Every shell accepts double quotes, on Windows too.
function installCommand(names: readonly OptionalPackage[]): string {
  const specifiers = names.map((name) => `"${name}@${supportedVersions[name]}"`);
  return `npm install ${specifiers.join(' ')}`;
}

/** The problem with a package. */
interface PackageProblem {
  /** The end of a sentence that starts with the package name. */
  readonly found: string;
  readonly installedVersion?: string;
}

function missing(
  purpose: string,
  { name, found, installedVersion }: PackageProblem & { readonly name: OptionalPackage },
  toInstall: readonly OptionalPackage[],
  cause?: unknown,
): MissingDependencyError {
  const message = `${purpose} needs the package "${name}", which ${found} Run: ${installCommand(toInstall)}`;
  return new MissingDependencyError(name, message, { cause, installedVersion });
}

function unloadable(purpose: string, name: OptionalPackage, cause: unknown): unknown {
  if (isOutOfDescriptors(cause)) return cause;
  const [reason = ''] = messageOf(cause).split(/\.?\n|\.$/, 1);
  // Packages read files beside their code, and require Node modules.
  const bundled = isMoved() ? ' If it was bundled, mark it as external.' : '';
  const found = `cannot be loaded: ${reason}.${bundled}`;
  return missing(purpose, { name, found }, [name], cause);
}

/** Cached: some packages are loaded on each request. */
const usable = new Set<OptionalPackage>();

/** Undefined if the package is usable. */
function problemOf(name: OptionalPackage): PackageProblem | undefined {
  if (usable.has(name)) return undefined;
  const installedVersion = findVersion(name);
  if (installedVersion === undefined) return { found: 'is not installed.' };
  const range: string = supportedVersions[name];
  if (installedVersion === unknownVersion || isWithin(installedVersion, range)) {
    usable.add(name);
    return undefined;
  }
  return {
    found: `is installed in version ${installedVersion}; supported are ${range.replace(' ', ' and ')}.`,
    installedVersion,
  };
}

const unknownVersion = 'unknown';

/** The version in a package's package.json as resolved from this file; undefined if it is not installed. */
function findVersion(name: string): string | undefined {
  const require = ownRequire();
  // Not resolved by name: the `exports` of most packages hide their package.json.
  for (const folder of require?.resolve.paths(name) ?? []) {
    try {
      const text = readFileSync(join(folder, name, 'package.json'), 'utf8');
      const { version } = JSON.parse(text) as { readonly version?: unknown };
      return typeof version === 'string' ? version : unknownVersion;
    } catch (error) {
      if (isOutOfDescriptors(error)) throw tooManyOpenFiles(error);
      // It may be in a parent folder.
    }
  }
  try {
    require?.resolve(name);
    return unknownVersion;
  } catch (error) {
    // Any other code means that the package exists, for `import` only.
    const { code } = error as NodeJS.ErrnoException;
    return code === 'MODULE_NOT_FOUND' ? undefined : unknownVersion;
  }
}

/** True if this code has left the folder of its package: a bundler copied it elsewhere. */
function isMoved(): boolean {
  try {
    const own = ownRequire()?.resolve('pagewright/package.json');
    return own === undefined || !fileURLToPath(import.meta.url).startsWith(dirname(own) + sep);
  } catch {
    return true;
  }
}

/** Undefined in a CommonJS bundle, which has no `import.meta.url`. */
function ownRequire(): NodeJS.Require | undefined {
  try {
    return createRequire(import.meta.url);
  } catch {
    return undefined;
  }
}

/** True for a version in a range such as `>=1.2.3 <4.0.0`. A pre-release counts as its release. */
function isWithin(version: string, range: string): boolean {
  return range.split(' ').every((bound) => {
    const isLeast = bound.startsWith('>=');
    const isAtLeast = compareVersions(version, bound.replace(/^[<>=]+/, '')) >= 0;
    return isAtLeast === isLeast;
  });
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(/[-+]/, 1)[0]?.split('.') ?? []);
  const differences = (left ?? []).map((part, index) => Number(part) - Number(right?.[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
