/** The version of this package. */
import { readFileSync } from 'node:fs';

let version: string | undefined;

/** `1.2.3`, as in package.json. */
export function packageVersion(): string {
  return (version ??= readVersion());
}

/** The root is two folders up from here, in the source, in the build and in the bundle. */
function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
