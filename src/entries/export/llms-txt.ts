/** Writes and reads llms.txt (llmstxt.org): a heading, a quote, lists of links by section. */
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { PlainDocument } from '../../core/model/document.ts';
import {
  type ExportSettings,
  type LlmsTxtOptions,
  parseExportOptions,
  type ReadLlmsTxtOptions,
} from '../../core/options/export-options.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { markdownLine } from './markdown-links.ts';
import { createFile, type OpenFile } from './open-file.ts';
import { cannotRead, damaged } from './storage-error.ts';
import { decodePercent } from '../../core/runtime/percent-encoding.ts';
import { compact } from '../../core/runtime/compact.ts';

/**
 * Writes the list of the pages by sections of their paths; with `full`, `llms-full.txt` beside it has the
 * markdown of all pages, in the order of the documents. Only titles and notes of the pages are held in memory
 * until the end. Returns the number of documents; rejects with `STORAGE`.
 *
 * @example await writeLlmsTxt(crawl('https://example.com/docs/'), 'llms.txt', { full: true });
 */
export async function writeLlmsTxt(
  documents: Documents,
  file: string,
  options: LlmsTxtOptions = {},
): Promise<number> {
  const settings = parseExportOptions('writeLlmsTxt', options);
  return writeAll(documents, () => llmsTxtSink(file, settings));
}

const fullName = 'llms-full.txt';

/** Opens one file, or both. */
export async function llmsTxtSink(
  path: string,
  settings: ExportSettings<'writeLlmsTxt'>,
): Promise<DocumentSink> {
  if (settings.full && basename(path).toLowerCase() === fullName) {
    const message = `${path}: ${fullName} is for the text of all pages; name the list llms.txt.`;
    throw new PagewrightError('BAD_REQUEST', message);
  }
  const file = await createFile(path);
  const full = settings.full ? await createFile(join(dirname(path), fullName)) : undefined;
  const pages = new Map<string, ListedPage>();
  let first: PlainDocument | undefined;
  return {
    async write(document) {
      const { url, title, description } = document.metadata;
      first ??= document;
      pages.set(url, { url, title: markdownLine(title), notes: markdownLine(description) });
      if (full !== undefined) await writeFull(full, document);
    },
    async finish() {
      await file.write(llmsTxtHead(first, settings));
      for (const section of sectionsOf([...pages.values()])) {
        const lines = section.pages.map(linkLine).join('');
        await file.write(`\n## ${section.title}\n\n${lines}`);
      }
      await full?.finish();
      await file.finish();
    },
    async abandon() {
      await file.abandon();
      await full?.abandon();
    },
  };
}

function llmsTxtHead(
  first: PlainDocument | undefined,
  settings: ExportSettings<'writeLlmsTxt'>,
): string {
  const { url, ogSiteName, description } = first?.metadata ?? {};
  const host = url === undefined ? '' : new URL(url).host;
  const title = markdownLine(settings.title ?? ogSiteName) || host || 'Pages';
  const quote = markdownLine(settings.description ?? description);
  return `# ${title}\n${quote === '' ? '' : `\n> ${quote}\n`}`;
}

function linkLine({ url, title, notes }: ListedPage): string {
  return `- [${title || markdownLine(url)}](${escapedUrl(url)})${notes === '' ? '' : `: ${notes}`}\n`;
}

async function writeFull(file: OpenFile, { metadata, ...document }: PlainDocument): Promise<void> {
  const markdown = typeof document['markdown'] === 'string' ? document['markdown'].trim() : '';
  const heading = markdownLine(metadata.title) || markdownLine(metadata.url);
  await file.write(`# ${heading}\n\nSource: ${escapedUrl(metadata.url)}\n\n${markdown}\n\n`);
}

/** Escapes parentheses, which would end the link. */
function escapedUrl(url: string): string {
  return new URL(url).href.replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'));
}

// The pages of a site in the sections of an llms.txt.

/** A page in the list. */
interface ListedPage {
  readonly url: string;
  readonly title: string;
  readonly notes: string;
}

/** A section with its links. */
interface ListedSection {
  readonly title: string;
  readonly pages: readonly ListedPage[];
}

/**
 * Groups pages by host and first folder below the path shared by all pages; pages in no such folder
 * come first. Sections and pages are sorted by URL, independent of input order.
 */
function sectionsOf(pages: readonly ListedPage[]): readonly ListedSection[] {
  const sorted = [...pages].sort((a, b) => compareCodeUnits(a.url, b.url));
  const folders = sorted.map(({ url }) => foldersOf(url));
  const shared = sharedLength(folders);
  const sections = new Map<string, ListedPage[]>();
  sorted.forEach((page, index) => {
    const name = sectionName(folders[index] ?? [], shared);
    const section = sections.get(name);
    if (section === undefined) sections.set(name, [page]);
    else section.push(page);
  });
  return [...sections]
    .sort(
      ([a], [b]) =>
        Number(b === firstSection) - Number(a === firstSection) || compareCodeUnits(a, b),
    )
    .map(([title, own]) => ({ title, pages: own }));
}

/** For pages that are in no folder. */
const firstSection = 'Pages';

/** Host and folders, without the name of the page. */
function foldersOf(url: string): readonly string[] {
  const { host, pathname } = new URL(url);
  return [host, ...pathname.split('/').slice(1, -1)];
}

/** The number of leading folders that all pages share. */
function sharedLength(paths: readonly (readonly string[])[]): number {
  const [first = []] = paths;
  const length = first.findIndex((name, index) => paths.some((path) => path[index] !== name));
  return length < 0 ? first.length : length;
}

function sectionName(folders: readonly string[], shared: number): string {
  const folder = folders[shared];
  if (folder === undefined || folder === '') return firstSection;
  const name = markdownLine(readable(folder));
  // The specification lets readers skip a section of this name.
  return /^optional$/i.test(name) ? `${name} pages` : name || firstSection;
}

/** `getting-started` is "Getting started"; a host stays as it is. */
function readable(folder: string): string {
  if (folder.includes('.')) return folder;
  const words = decodePercent(folder)
    .replace(/[-_+]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// The content of an llms.txt (llmstxt.org).

/** A link of an llms.txt. */
export interface LlmsTxtLink {
  /** Absolute if it can be resolved. */
  readonly url: string;
  readonly title: string;
  /** The text after the colon. */
  readonly notes?: string;
}

/** A heading with the links below it. */
export interface LlmsTxtSection {
  readonly title: string;
  readonly links: readonly LlmsTxtLink[];
}

/** An llms.txt. */
export interface LlmsTxt {
  readonly title?: string;
  readonly description?: string;
  /** In document order; readers may skip one called "Optional". */
  readonly sections: readonly LlmsTxtSection[];
}

const maxBytes = 10_000_000; // bytes of a file

/** Reads a file as `parseLlmsTxt()` reads text. Rejects with `STORAGE`, also above 10 MB. */
export async function readLlmsTxt(
  file: string,
  options: ReadLlmsTxtOptions = {},
): Promise<LlmsTxt> {
  try {
    if ((await stat(file)).size > maxBytes) throw damaged(file, 'has more than 10 MB.');
    return parseLlmsTxt(await readFile(file, 'utf8'), options);
  } catch (error) {
    throw cannotRead(file, error);
  }
}

/** Parses title, quote, and the links by their headings. Ignores everything else. */
export function parseLlmsTxt(text: string, options: ReadLlmsTxtOptions = {}): LlmsTxt {
  const { url: base } = parseExportOptions('readLlmsTxt', options);
  let title: string | undefined;
  const quote: string[] = [];
  const sections: { title: string; links: LlmsTxtLink[] }[] = [];
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const [, level = '', words = ''] = /^(#{1,2})[ \t]+(\S.*)$/.exec(line) ?? [];
    if (level === '#') title ??= unescaped(words);
    else if (level === '##') sections.push({ title: unescaped(words), links: [] });
    else if (line.startsWith('>') && sections.length === 0) quote.push(line.slice(1).trim());
    else {
      const link = readLink(line, base);
      if (link === undefined) continue;
      if (sections.length === 0) sections.push({ title: '', links: [] });
      sections.at(-1)?.links.push(link);
    }
  }
  const description = unescaped(quote.join(' '));
  return compact({ title, description: description === '' ? undefined : description, sections });
}

const listItem =
  /^[ \t]{0,8}[-*+][ \t]+\[((?:[^\\[\]]|\\.){0,2000})\]\(<?([^\s<>()]{1,8000})>?\)(?:[ \t]*:[ \t]*(.*))?/;

function readLink(line: string, base: string | undefined): LlmsTxtLink | undefined {
  const [, title, target, notes = ''] = listItem.exec(line) ?? [];
  if (title === undefined || target === undefined) return undefined;
  const url = canParseUrl(target, base) ? new URL(target, base).href : target;
  return {
    url,
    title: unescaped(title),
    ...(notes.trim() === '' ? {} : { notes: unescaped(notes) }),
  };
}

/** Removes the escapes of markdown. */
function unescaped(text: string): string {
  return text.replace(/\\([\\[\]<>`()*_#])/g, '$1').trim();
}
