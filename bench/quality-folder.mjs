/** The quality bench outside of this project: real pages with what people marked in them. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder `../shared/quality` beside this project or the one that QUALITY_BENCH names; undefined without one. */
export function qualityFolder() {
  const beside = fileURLToPath(new URL('../../shared/quality', import.meta.url));
  const folder = resolve(process.env.QUALITY_BENCH ?? beside);
  if (existsSync(join(folder, 'run.mjs'))) return folder;
  console.log(`No quality bench at ${folder}; QUALITY_BENCH names another folder.`);
  return undefined;
}
