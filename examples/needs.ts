// For the other examples: prints what to install where it is missing, and ends.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function needs(...packages: readonly string[]): void {
  if (packages.every((name) => isThere(name.replace(/(?!^)@.*/, '')))) return;
  console.error(`This example needs: npm i ${packages.join(' ')}`);
  process.exit(1);
}

function isThere(name: string): boolean {
  try {
    require.resolve(`${name}/package.json`);
    return true;
  } catch (error) {
    // Other errors mean that the package is there, and does not show this file.
    return (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND';
  }
}
