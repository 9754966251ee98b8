/** In place of `src/core/page/worker-file.ts`: the compiled module, because a worker cannot load TypeScript. */
import { existsSync } from 'node:fs';

/** The module that a worker runs. */
export function workerFile(): URL {
  const file = new URL('../../build/core/page/worker.js', import.meta.url);
  if (existsSync(file)) return file;
  throw new Error(`${file.href} is not there. Build it first: npm run build`);
}
