/** The config file: found in the working directory or named, loaded and checked. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../core/runtime/errors.ts';
import { importOwn } from '../../core/hooks/own-module.ts';
import { type ClientOptions, type FormatInput, PagewrightError } from '../../index.ts';
import { parseClientOptions } from '../../core/options/client-options.ts';

const names = ['ts', 'mts', 'js', 'mjs'].map((ending) => `pagewright.config.${ending}`);

/**
 * Loads the config file: `given`, or one of the working directory; false for none. Throws `BAD_REQUEST` with
 * the file and the key that is wrong.
 */
export async function loadConfig(
  given: string | false | undefined,
  folder: string = process.cwd(),
): Promise<ClientOptions> {
  if (given === false) return {};
  const file = given ?? names.find((name) => existsSync(resolve(folder, name)));
  if (file === undefined) return {};
  const path = resolve(folder, file);
  if (!existsSync(path)) throw badConfig(file, 'there is no such file.');
  const config = await loadModule(path, file);
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw badConfig(file, 'it must default-export an object: export default defineConfig({ … }).');
  }
  return parseClientOptions(config, file);
}

/** Node strips the types of a file from version 22.18 on; before that jiti does, where the project has it. */
async function loadModule(path: string, file: string): Promise<unknown> {
  const failed = (error: unknown): PagewrightError => {
    const { cause } = error as { readonly cause?: unknown };
    return badConfig(file, messageOf(cause instanceof Error ? cause : error), error);
  };
  const load = (module: string): Promise<Readonly<Record<string, unknown>>> =>
    importOwn(module, 'The config', file);
  try {
    return (await load(pathToFileURL(path).href))['default'];
  } catch (error) {
    const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
    if (cause?.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw failed(error);
  }
  let jiti: string;
  try {
    jiti = createRequire(path).resolve('jiti');
  } catch (error) {
    const message = `Node ${process.version} does not read TypeScript: use Node 22.18 or later, install jiti (npm install --save-dev jiti), or rename it to ${basename(file).replace('ts', 'js')}.`;
    throw badConfig(file, message, error);
  }
  try {
    const { default: createJiti } = await load(pathToFileURL(jiti).href);
    return await (createJiti as CreateJiti)(path).import(path, { default: true });
  } catch (error) {
    throw failed(error);
  }
}

/** The default export of jiti 2. */
type CreateJiti = (file: string) => {
  import(file: string, options: { readonly default: boolean }): Promise<unknown>;
};

function badConfig(file: string, problem: string, cause?: unknown): PagewrightError {
  return new PagewrightError('BAD_REQUEST', `${file}: ${problem}`, { cause });
}

/** The formats of a call that names none. */
export function configuredFormats({ defaults }: ClientOptions): readonly FormatInput[] | undefined {
  // The library checks the names.
  return defaults?.scrape?.formats as readonly FormatInput[] | undefined;
}
