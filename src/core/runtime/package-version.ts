/** The version of this package. */
import { readFileSync } from 'node:fs';

/** Set in the bundle, which users may bundle again, far from package.json. */
declare const PAGEWRIGHT_VERSION: string | undefined;

let version: string | undefined;

/** `1.2.3`, as in package.json. */
export function packageVersion(): string {
  return (version ??= typeof PAGEWRIGHT_VERSION === 'string' ? PAGEWRIGHT_VERSION : readVersion());
}

/** The root is two folders up, in the source and in the build. */
function readVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
