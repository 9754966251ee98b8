/** In place of `src/reading/thread-file.ts`: the built module, because a thread cannot load TypeScript. */
import { existsSync } from 'node:fs';

/** The module that a thread runs. */
export const threadFile: URL = new URL(
  '../../dist/reading/inside-reading-thread.js',
  import.meta.url,
);

if (!existsSync(threadFile)) {
  throw new Error(`${threadFile.href} is not there. Build it first: npm run build`);
}
