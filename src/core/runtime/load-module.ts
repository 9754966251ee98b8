/** Loads modules when they are first needed: the only `import()` calls. */
import { freeDescriptors, isOutOfDescriptors, tooManyOpenFiles } from './file-descriptors.ts';

const neededDescriptors = 24; // required before a module's files are opened in parallel

/** The loaders of loaded modules, as text: the same `import()` is a new function in each call. */
const loaded = new Set<string>();

/**
 * Loads a module by a function that imports it. Node caches the failure of an import for good, so nothing is imported
 * while no file can be opened: it waits, and rejects with `TOO_MANY_OPEN_FILES`. `key` names the module if the function
 * computes its specifier.
 */
export async function loadModule<Module>(
  load: () => Promise<Module>,
  key: string = String(load),
): Promise<Module> {
  if (loaded.has(key)) return load();
  await freeDescriptors(neededDescriptors);
  try {
    const module = await load();
    loaded.add(key);
    return module;
  } catch (error) {
    throw isOutOfDescriptors(error) ? tooManyOpenFiles(error) : error;
  }
}

/** A value created when first needed; after a failure it is created again. */
export class Lazy<Value> {
  readonly #make: () => Promise<Value>;
  #value: Promise<Value> | undefined;

  constructor(make: () => Promise<Value>) {
    this.#make = make;
  }

  /** Rejects as its function does. */
  get(): Promise<Value> {
    this.#value ??= this.#make().catch((error: unknown) => {
      this.#value = undefined;
      throw error;
    });
    return this.#value;
  }

  /** The value, if it was needed and created: to close it. */
  async made(): Promise<Value | undefined> {
    return this.#value?.catch(() => undefined);
  }
}
