/** What Tesseract knows of a language: a file that is on this machine, or nothing. Nothing is downloaded. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { MissingDependencyError, messageOf, PagewrightError } from '../../errors.ts';

/** Bytes of one language, unpacked; the largest have 50 MB. */
const mostBytes = 200e6;

/** Folders in `@tesseract.js-data` packages, the better ones first. */
const editions = ['4.0.0_best_int', '4.0.0'];

/**
 * Reads `<language>.traineddata`, packed or not, from the folder or else from the npm package
 * `@tesseract.js-data/<language>`. Throws `MISSING_DEPENDENCY` where there is none.
 */
export async function readLanguage(
  language: string,
  folder: string | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const folders = folder === undefined ? packageFolders(language) : [folder];
  for (const one of folders) {
    for (const ending of ['.gz', '']) {
      const bytes = await readIfThere(join(one, `${language}.traineddata${ending}`));
      if (bytes !== undefined) return unpacked(bytes, language);
    }
  }
  if (folder === undefined) {
    const name = `@tesseract.js-data/${language}`;
    throw new MissingDependencyError(name, `OCR in the language "${language}" without dataFolder`);
  }
  throw new PagewrightError(
    'MISSING_DEPENDENCY',
    `There is neither ${language}.traineddata.gz nor ${language}.traineddata in the dataFolder ${folder}.`,
  );
}

/** As seen from here, and from where the process runs: one of them has the application's packages. */
function packageFolders(language: string): string[] {
  const places = [import.meta.url, join(process.cwd(), 'package.json')];
  return places.flatMap((place) => {
    try {
      const entry = createRequire(place).resolve(`@tesseract.js-data/${language}`);
      return editions.map((edition) => join(dirname(entry), edition));
    } catch {
      return [];
    }
  });
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new PagewrightError('MISSING_DEPENDENCY', `${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function unpacked(bytes: Buffer, language: string): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new Uint8Array(bytes);
  try {
    return new Uint8Array(await promisify(gunzip)(bytes, { maxOutputLength: mostBytes }));
  } catch (error) {
    const message = `The data of the language "${language}" is damaged: ${messageOf(error)}`;
    throw new PagewrightError('MISSING_DEPENDENCY', message, { cause: error });
  }
}
