/** Documents as markdown files in a folder, with their pictures. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlainDocument } from '../model/document.ts';
import {
  type ExportSettings,
  type MarkdownFolderOptions,
  parseExportOptions,
} from '../options/export-options.ts';
import { contentsLine, contentsHead, contentsName } from './contents-file.ts';
import { dataFile, moveDataFiles } from './data-files.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { type Beside, frontMatter } from './front-matter.ts';
import { createFile, type OpenFile, writeWhole } from './open-file.ts';
import { PagePaths } from './page-paths.ts';
import { linkBetween, pageKey, relateLinks } from './relative-links.ts';
import { cannotRead, cannotWrite } from './storage-error.ts';

/** Pictures of markdown texts, named after their content. */
const assetsName = 'assets';

/**
 * Writes a file for each page: a YAML head, then its markdown. `/docs/` is docs/index.md, `/docs/a.html`
 * docs/a.md. Pictures and PDFs that a document holds as `data:` URIs become files. Files of an earlier
 * time are replaced, others stay. Gives the number of documents; rejects with `STORAGE`, and then each
 * file that is there is whole.
 *
 * @example await writeMarkdownFolder(crawl('https://example.com'), 'site', { relativeLinks: true });
 */
export async function writeMarkdownFolder(
  documents: Documents,
  folder: string,
  options: MarkdownFolderOptions = {},
): Promise<number> {
  const settings = parseExportOptions('writeMarkdownFolder', options);
  return writeAll(documents, () => markdownFolder(folder, settings));
}

/** Opens a folder, which is made when it is not there. */
export async function markdownFolder(
  folder: string,
  settings: ExportSettings<'writeMarkdownFolder'>,
): Promise<DocumentSink> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  return new MarkdownFolder(
    folder,
    settings,
    settings.contents ? await createFile(join(folder, contentsName)) : undefined,
  );
}

class MarkdownFolder implements DocumentSink {
  readonly #folder: string;
  readonly #paths: PagePaths;
  readonly #relativeLinks: boolean;
  readonly #contents: OpenFile | undefined;
  /** With relative links: the file of each page. */
  readonly #pages = new Map<string, string>();
  /** Names below assets/ that are written. */
  readonly #assets = new Set<string>();
  #isEmpty = true;

  constructor(
    folder: string,
    { byHost, relativeLinks }: ExportSettings<'writeMarkdownFolder'>,
    contents: OpenFile | undefined,
  ) {
    this.#folder = folder;
    this.#paths = new PagePaths({ byHost });
    this.#paths.reserve(contentsName, 'file');
    this.#paths.reserve(assetsName, 'folder');
    this.#relativeLinks = relativeLinks;
    this.#contents = contents;
  }

  async write(document: PlainDocument): Promise<void> {
    const { metadata, warning } = document;
    const path = this.#paths.take(metadata.url);
    const beside = await this.#writePictures(document, path);
    const text = typeof document['markdown'] === 'string' ? document['markdown'] : '';
    const markdown = await this.#writeAssets(text, path);
    const end = markdown === '' || markdown.endsWith('\n') ? '' : '\n';
    await this.#write(path, `${frontMatter(metadata, { warning, ...beside })}\n${markdown}${end}`);
    if (this.#relativeLinks) {
      for (const url of [metadata.sourceURL, metadata.url]) this.#pages.set(pageKey(url), path);
    }
    await this.#contents?.write(
      (this.#isEmpty ? contentsHead : '') + contentsLine(metadata, linkBetween(contentsName, path)),
    );
    this.#isEmpty = false;
  }

  async finish(): Promise<void> {
    for (const path of new Set(this.#pages.values())) await this.#relate(path);
    if (this.#isEmpty) await this.#contents?.write(contentsHead);
    await this.#contents?.finish();
  }

  async abandon(): Promise<void> {
    await this.#contents?.abandon();
  }

  /** Pictures and PDFs beside the page; what a keeper of the caller's gave stays as it is. */
  async #writePictures(document: PlainDocument, path: string): Promise<Beside> {
    const { screenshots, pdfs } = actionsOf(document);
    const all = async (uris: readonly string[]): Promise<string[]> => {
      const files: string[] = [];
      for (const uri of uris) files.push(await this.#writePicture(uri, path));
      return files;
    };
    const [screenshot] = await all(textsOf([document['screenshot']]));
    return { screenshot, screenshots: await all(screenshots), pdfs: await all(pdfs) };
  }

  async #writePicture(uri: string, page: string): Promise<string> {
    const file = dataFile(uri);
    if (file === undefined) return uri;
    const path = this.#paths.takeBeside(page, file.extension);
    await this.#write(path, file.bytes);
    return linkBetween(page, path);
  }

  async #writeAssets(markdown: string, page: string): Promise<string> {
    const files = new Map<string, Uint8Array>();
    const moved = moveDataFiles(markdown, (name, bytes) => {
      if (!this.#assets.has(name)) files.set(name, bytes);
      return linkBetween(page, `${assetsName}/${name}`);
    });
    for (const [name, bytes] of files) {
      await this.#write(`${assetsName}/${name}`, bytes);
      this.#assets.add(name);
    }
    return moved;
  }

  /** Which pages there are is known at the end only: the file is read again. */
  async #relate(path: string): Promise<void> {
    const file = join(this.#folder, path);
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw cannotRead(file, error);
    });
    const bodyStart = text.indexOf('\n---\n') + 5;
    const markdown = text.slice(bodyStart);
    const related = relateLinks(markdown, path, (key) => this.#pages.get(key));
    if (related !== markdown) await this.#write(path, text.slice(0, bodyStart) + related);
  }

  async #write(path: string, content: string | Uint8Array): Promise<void> {
    await writeWhole(join(this.#folder, path), content);
  }
}

function actionsOf(document: PlainDocument): { screenshots: string[]; pdfs: string[] } {
  const actions = document['actions'] as Readonly<Record<string, unknown>> | null | undefined;
  return { screenshots: textsOf(actions?.['screenshots']), pdfs: textsOf(actions?.['pdfs']) };
}

function textsOf(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}
