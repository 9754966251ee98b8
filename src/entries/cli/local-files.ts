/** Files of this machine as pages. Only arguments of the command line name them: no page, redirect or list does. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { messageOf } from '../../core/runtime/errors.ts';
import { cannotRead } from '../export/storage-error.ts';
import {
  type Client,
  type Document,
  type FormatInput,
  PagewrightError,
  type ScrapeOptions,
} from '../../index.ts';

/** The path that an argument names: `./a.pdf`, `/a/b`, a `file:` URL, or the name of an existing file. */
export async function localPath(word: string): Promise<string | undefined> {
  if (/^file:/i.test(word)) return pathOf(word);
  if (/^(?:\.{1,2}(?:[\\/]|$)|[\\/](?![\\/])|[a-z]:[\\/])/i.test(word)) return word;
  // A crawl may have left a folder with the name of a host; no host is named like a file.
  const isFile = await stat(word).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile ? word : undefined;
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    const message = `${url} does not name a file of this machine: ${messageOf(error)}`;
    throw new PagewrightError('INVALID_URL', message, { url, cause: error });
  }
}

/** True for a folder. Rejects with `STORAGE` if nothing is there. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    throw cannotRead(path, error);
  });
  return found.isDirectory();
}

/** Reads a file as a page; `contentType` is known by its content and its name without one. */
export async function parseFile(
  client: Client,
  path: string,
  options: ScrapeOptions & {
    readonly contentType?: string | undefined;
    readonly url?: string | undefined;
  },
): Promise<Document<readonly FormatInput[]>> {
  const content = await readFile(path).catch((error: unknown) => {
    throw cannotRead(path, error);
  });
  return client.parse(content, {
    ...options,
    url: options.url ?? pathToFileURL(resolve(path)).href,
  });
}

/** The files in a folder and below, by name: the documents, and the number of other files. */
export async function documentsIn(folder: string): Promise<{ files: string[]; others: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      throw cannotRead(folder, error);
    },
  );
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(?:^|[\\/])\./.test(relative(folder, path)));
  const files = paths.filter((path) => documentEndings.has(extname(path).slice(1).toLowerCase()));
  return { files: files.sort(), others: paths.length - files.length };
}

/** A folder of a site has styles, scripts and pictures as well, which are not pages. */
const documentEndings: ReadonlySet<string> = new Set(
  'htm html xhtml md markdown txt pdf doc docx pptx xls xlsx odt odp ods rtf epub csv tsv json xml eml vtt srt'.split(
    ' ',
  ),
);
