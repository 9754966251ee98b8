/**
 * Tables that tell what the codes of Chinese, Japanese and Korean fonts mean that are not in a file, such as
 * `90ms-RKSJ-H`. unpdf does not bring them; the package pdfjs-dist does, where it is installed.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What pdf.js asks for. */
interface Wanted {
  readonly kind: string;
  readonly filename: string;
}

/** One for each file that is read. */
export interface CharacterMaps {
  /** For the option of pdf.js of this name. */
  readonly BinaryDataFactory: new () => { fetch: (wanted: Wanted) => Promise<Uint8Array> };
  /** Names of the tables that a file needed and that are not there. */
  readonly missing: ReadonlySet<string>;
}

const packageName = 'pdfjs-dist';

/** @param folder - where the tables are; undefined where there are none */
export function characterMaps(folder: string | undefined = installedFolder()): CharacterMaps {
  const missing = new Set<string>();
  const fetch = async ({ kind, filename }: Wanted): Promise<Uint8Array> => {
    if (kind !== 'cMapUrl') throw new Error(`There are no files of the kind ${kind}.`);
    const name = filename.replace(/\.bcmap$/, '');
    try {
      if (folder === undefined || !/^[\w-]{1,60}$/.test(name)) throw new Error('not there');
      return new Uint8Array(await readFile(join(folder, `${name}.bcmap`)));
    } catch (error) {
      missing.add(name);
      throw new Error(`The table of characters ${name} is not there.`, { cause: error });
    }
  };
  class BinaryDataFactory {
    readonly fetch = fetch;
  }
  return { BinaryDataFactory, missing };
}

function installedFolder(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    return join(dirname(resolve(`${packageName}/package.json`)), 'cmaps');
  } catch {
    return undefined;
  }
}
