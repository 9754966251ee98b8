/** Checks that the packages of an extractor are installed, before any fetch. */
import { createRequire } from 'node:module';
import { MissingDependencyError } from '../../../errors.ts';
import type { ExtractorName } from '../../../model/page.ts';

/** The version of linkedom that is tested; 0.18.15 depends on a package that cannot be installed everywhere. */
const linkedom = { name: 'linkedom', version: '0.18.14' };

const packagesOf: Readonly<Record<ExtractorName, readonly RequiredPackage[]>> = {
  readability: [{ name: '@mozilla/readability' }, linkedom],
  defuddle: [{ name: 'defuddle' }, linkedom],
};

interface RequiredPackage {
  readonly name: string;
  readonly version?: string;
}

/** Looks for the packages without loading them; throws `MissingDependencyError` for the first that is missing. */
export function requirePackages(extractor: ExtractorName): void {
  const { resolve } = createRequire(import.meta.url);
  const missing = packagesOf[extractor].filter(({ name }) => !isInstalled(name, resolve));
  const [first] = missing;
  if (first === undefined) return;
  const install = missing.map(({ name, version }) => (version ? `${name}@${version}` : name));
  const purpose = `mainContent: '${extractor}'`;
  throw new MissingDependencyError(first.name, purpose, undefined, install.join(' '));
}

function isInstalled(name: string, resolve: (name: string) => string): boolean {
  try {
    resolve(name);
    return true;
  } catch (error) {
    // Any other code means that the package is there, for `import` only.
    return (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND';
  }
}
