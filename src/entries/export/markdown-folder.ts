/** Documents as markdown files in a folder, with their pictures and a list of contents, and back. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import type { Metadata, PlainDocument } from '../../core/model/document.ts';
import {
  type ExportSettings,
  type MarkdownFolderOptions,
  parseExportOptions,
  type ReadAsset,
} from '../../core/options/export-options.ts';
import { isUrl } from '../../core/url/normalize-url.ts';
import { fileExtension } from '../../core/url/path-kind.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { assetsOf, type DocumentAsset } from './document-assets.ts';
import { frontMatter, type PageFacts, parseFrontMatter } from './front-matter.ts';
import { linkBetween, markdownLine, pageKey, relateLinks } from './markdown-links.ts';
import { createFile, type OpenFile, writeWhole } from './open-file.ts';
import { assetName, PagePaths } from './page-paths.ts';
import { cannotRead, cannotWrite, damaged } from './storage-error.ts';
import { sha256Of } from '../../core/runtime/identifiers.ts';

/** Pictures of markdown texts, named after their content. */
const assetsName = 'assets';

/**
 * Writes a file for each page: a YAML head, then its markdown. `/docs/` is docs/index.md, `/docs/a.html`
 * docs/a.md. Pictures and PDFs that a document holds as `data:` URIs become files, and so do those of the
 * option `assets`, with `readAsset`. Files of an earlier run are replaced, others stay. Returns the number of
 * documents; rejects with `STORAGE`, and then each file in the folder is complete. A page whose path cannot be written
 * ends nothing: the error that names it comes when all others are written.
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

/** Opens a folder; creates it if it does not exist. Paths of URLs below `below` begin there. */
export async function markdownFolder(
  folder: string,
  settings: ExportSettings<'writeMarkdownFolder'>,
  below = '/',
): Promise<DocumentSink> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  return new MarkdownFolder(
    folder,
    settings,
    below,
    settings.contents ? await createFile(join(folder, contentsName)) : undefined,
  );
}

class MarkdownFolder implements DocumentSink {
  readonly #folder: string;
  readonly #paths: PagePaths;
  readonly #relativeLinks: boolean;
  readonly #contents: OpenFile | undefined;
  readonly #readAsset: ReadAsset | undefined;
  /** With relative links: the file of each page. */
  readonly #pages = new Map<string, string>();
  /** Names of written files below assets/. */
  readonly #assets = new Set<string>();
  /** Their paths by the hash of their content. */
  readonly #assetPaths = new Map<string, string>();
  /** The first page, as a path from the working directory. */
  first: string | undefined;
  #isEmpty = true;
  #count = 0;
  /** Pages that could not be written. */
  #failed = 0;
  #firstFailure: { readonly url: string; readonly error: unknown } | undefined;

  constructor(
    folder: string,
    { byHost, relativeLinks, readAsset }: ExportSettings<'writeMarkdownFolder'>,
    below: string,
    contents: OpenFile | undefined,
  ) {
    this.#folder = folder;
    this.#paths = new PagePaths({ byHost, below });
    this.#paths.reserve(contentsName, 'file');
    this.#paths.reserve(assetsName, 'folder');
    this.#relativeLinks = relativeLinks;
    this.#contents = contents;
    this.#readAsset = readAsset;
  }

  async write(document: PlainDocument): Promise<void> {
    this.#count += 1;
    try {
      await this.#writePage(document);
    } catch (error) {
      if (!isOfPath(error)) throw error;
      this.#failed += 1;
      this.#firstFailure ??= { url: document.metadata.url, error };
    }
  }

  async #writePage(document: PlainDocument): Promise<void> {
    const { metadata, warning } = document;
    const path = this.#paths.take(metadata.url);
    const beside = await this.#writePictures(document, path);
    const text = typeof document['markdown'] === 'string' ? document['markdown'] : '';
    const files = await this.#writeFiles(document);
    const moved = await this.#writeAssets(text, path);
    const markdown = files.size === 0 ? moved : relateLinks(moved, path, (key) => files.get(key));
    const end = markdown === '' || markdown.endsWith('\n') ? '' : '\n';
    await this.#write(path, `${frontMatter(metadata, { warning, ...beside })}\n${markdown}${end}`);
    this.first ??= join(this.#folder, path);
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
    if (this.#firstFailure === undefined) return;
    const { url, error } = this.#firstFailure;
    const message = `${this.#failed} of ${this.#count} pages could not be written, the others are in ${this.#folder}. The first is ${url}: ${messageOf(error)}`;
    throw new PagewrightError('STORAGE', message, { url, cause: error });
  }

  async abandon(): Promise<void> {
    await this.#contents?.abandon();
  }

  /** Writes pictures and PDFs beside the page; values that are not `data:` URIs stay as they are. */
  async #writePictures(document: PlainDocument, path: string): Promise<PageFacts> {
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

  /** Writes the files in `document.assets`; gives their paths by the URLs in the markdown. */
  async #writeFiles(document: PlainDocument): Promise<Map<string, string>> {
    const paths = new Map<string, string>();
    for await (const asset of assetsOf(document, this.#readAsset)) {
      const { url, urls, sha256, bytes } = asset;
      const known = this.#assetPaths.get(sha256);
      const path = known ?? `${assetsName}/${assetName(url, sha256, endingOf(asset))}`;
      if (known === undefined) await this.#write(path, bytes);
      this.#assetPaths.set(sha256, path);
      for (const one of urls) paths.set(pageKey(one), path);
    }
    return paths;
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

  /** Makes links relative. Runs at the end, when all pages are known: reads the file again. */
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

/** True for an error that concerns one path only: an earlier run left a folder there, a name is not allowed. */
function isOfPath(error: unknown): boolean {
  const { cause } = error as Error;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  return /^(?:EEXIST|EILSEQ|EINVAL|EISDIR|ELOOP|ENAMETOOLONG|ENOENT|ENOTDIR|ENOTEMPTY)$/.test(code);
}

function actionsOf(document: PlainDocument): { screenshots: string[]; pdfs: string[] } {
  const actions = document['actions'] as Readonly<Record<string, unknown>> | null | undefined;
  return { screenshots: textsOf(actions?.['screenshots']), pdfs: textsOf(actions?.['pdfs']) };
}

function textsOf(values: unknown): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}

// Files that a document holds as `data:` URIs.

/** A file in a `data:` URI. */
interface DataFile {
  readonly bytes: Buffer;
  /** `.png`; only scripts in `.svg` may run when the file is opened. */
  readonly extension: string;
}

/** The file of a URI; undefined for other text, and for other types than pictures and PDF. */
function dataFile(uri: string): DataFile | undefined {
  const comma = uri.indexOf(',');
  const [, type = '', base64] =
    /^data:([^;,\s]+)(?:;[^;,\s]*)*?(;base64)?$/i.exec(uri.slice(0, Math.min(comma, 200))) ?? [];
  const extension = extensions[type.toLowerCase()];
  if (comma < 0 || extension === undefined) return undefined;
  const text = unescaped(uri.slice(comma + 1));
  return { bytes: Buffer.from(text, base64 === undefined ? 'utf8' : 'base64'), extension };
}

/**
 * Replaces each `data:` URI of a picture in the markdown by the result of `store`. `store` gets
 * a name made of a hash of the content: two equal pictures are one file.
 */
function moveDataFiles(
  markdown: string,
  store: (name: string, bytes: Uint8Array) => string,
): string {
  return markdown.replace(dataTarget, (whole, open: string, angled?: string, plain?: string) => {
    const file = dataFile((angled ?? plain ?? '').replaceAll('&amp;', '&'));
    if (file === undefined) return whole;
    const hash = sha256Of(file.bytes).slice(0, 32);
    return open + store(hash + file.extension, file.bytes);
  });
}

/** The target of a link or an image, without the text after the URI. */
const dataTarget =
  /(\]\(<?)(?:(?<=<)(data:[^<>\n]+)|(?<!<)(data:[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*){0,99}))/g;

/** By type for images, whose names may be wrong; of other files as in the URL. */
function endingOf({ url, contentType }: DocumentAsset): string {
  const known = extensions[contentType];
  const named = fileExtension(new URL(url).pathname) ?? '';
  return known ?? (/^[a-z0-9]{1,10}$/.test(named) ? `.${named}` : '.bin');
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/avif': '.avif',
  'image/heic': '.heic',
  'image/tiff': '.tiff',
  'image/jxl': '.jxl',
  'image/bmp': '.bmp',
  'image/svg+xml': '.svg',
  'image/x-icon': '.ico',
  'image/vnd.microsoft.icon': '.ico',
  'application/pdf': '.pdf',
};

function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Documents from a folder of markdown files.

const maxFileBytes = 64 * 1024 * 1024; // bytes of a file: pages are shorter

/**
 * The documents of a folder written by `writeMarkdownFolder()`, or of any other markdown files, by their
 * paths. Facts of the YAML head are metadata; a file without a `url` there has a `file:` URL. Links stay
 * as they are in the file. Rejects with `STORAGE` if a file cannot be read.
 *
 * @example for await (const page of readMarkdownFolder('site')) console.log(page.markdown);
 */
export async function* readMarkdownFolder(
  folder: string,
): AsyncGenerator<PlainDocument & { markdown: string }, void, undefined> {
  for await (const path of markdownFiles(folder, '')) {
    const file = join(folder, path);
    const text = await textOf(file);
    if (path === contentsName && text.startsWith(contentsMark)) continue;
    yield await documentOf(file, text);
  }
}

/** Symbolic links are not followed. */
async function* markdownFiles(
  folder: string,
  below: string,
): AsyncGenerator<string, void, undefined> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error) => {
    throw cannotRead(join(folder, below), error);
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* markdownFiles(folder, path);
    else if (entry.isFile() && /\.(?:md|markdown)$/i.test(entry.name)) yield path;
  }
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > maxFileBytes) throw damaged(file, `has more than ${maxFileBytes} bytes.`);
    return (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
  } catch (error) {
    throw cannotRead(file, error);
  }
}

async function documentOf(
  file: string,
  text: string,
): Promise<PlainDocument & { markdown: string }> {
  const match = /^---[ \t]*\r?\n/.exec(text);
  const end = match === null ? null : headEnd(text, match[0].length);
  const facts =
    match === null || end === null
      ? undefined
      : await parseFrontMatter(file, text.slice(match[0].length, end.at));
  if (facts === undefined) return document(file, {}, text);
  return document(file, facts, text.slice(end?.after).replace(/^\r?\n/, ''));
}

/** Start and end of the `---` line that closes the front matter. */
function headEnd(text: string, start: number): { at: number; after: number } | null {
  const line = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/gm;
  line.lastIndex = start;
  const match = line.exec(text);
  return match === null ? null : { at: match.index, after: match.index + match[0].length };
}

function document(
  file: string,
  { warning, screenshot, ...facts }: Readonly<Record<string, unknown>>,
  markdown: string,
): PlainDocument & { markdown: string } {
  const url = isUrl(facts['url']) ? facts['url'] : pathToFileURL(file).href;
  const { sourceURL, statusCode, contentType } = facts;
  return {
    markdown,
    ...(typeof screenshot === 'string' ? { screenshot } : {}),
    ...(typeof warning === 'string' ? { warning } : {}),
    metadata: {
      ...facts,
      url,
      sourceURL: isUrl(sourceURL) ? sourceURL : url,
      statusCode: typeof statusCode === 'number' ? statusCode : 200,
      contentType: typeof contentType === 'string' ? contentType : 'text/markdown',
      scrapeId: randomUUID(),
      engine: 'none',
      engineReason: 'read from a file',
      proxyUsed: 'basic',
      creditsUsed: 0,
    },
  };
}

// The list of pages in a folder of markdown files.

/** At the top of the folder; `PagePaths` reserves this name. */
const contentsName = 'contents.md';

/** The first line, which distinguishes the file from a page. */
const contentsMark = '<!-- pagewright: contents -->';

/** The text before the lines. */
const contentsHead: string = `${contentsMark}\n\n# Contents\n\n`;

/** The line of a page. */
function contentsLine(metadata: Metadata, link: string): string {
  return `- [${markdownLine(metadata.title) || markdownLine(metadata.url)}](${link})\n`;
}
