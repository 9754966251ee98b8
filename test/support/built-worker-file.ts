/** In place of `src/processing/worker-file.ts`: the compiled module, because a worker cannot load TypeScript. */
import { existsSync } from 'node:fs';

/** The module that a worker runs. */
export const workerFile: URL = new URL('../../build/processing/worker.js', import.meta.url);

if (!existsSync(workerFile)) {
  throw new Error(`${workerFile.href} is not there. Build it first: npm run build`);
}
