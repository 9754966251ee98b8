/** A site as an llms.txt (llmstxt.org): a heading, a quote, lists of links. */
import { dirname, join } from 'node:path';
import type { PlainDocument } from '../model/document.ts';
import {
  type ExportSettings,
  type LlmsTxtOptions,
  parseExportOptions,
} from '../options/export-options.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { type ListedPage, sectionsOf } from './llms-txt-sections.ts';
import { oneLine } from './one-line.ts';
import { createFile, type OpenFile } from './open-file.ts';

/**
 * Writes the list of the pages by sections of their paths; with `full`, `llms-full.txt` beside it has the
 * markdown of all pages, in the order of the documents. Titles and notes of the pages are held until the
 * end, nothing else. Gives the number of documents; rejects with `STORAGE`.
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

/** Opens the file, or both. */
export async function llmsTxtSink(
  path: string,
  settings: ExportSettings<'writeLlmsTxt'>,
): Promise<DocumentSink> {
  const file = await createFile(path);
  const full = settings.full ? await createFile(join(dirname(path), 'llms-full.txt')) : undefined;
  const pages = new Map<string, ListedPage>();
  let first: PlainDocument | undefined;
  return {
    async write(document) {
      const { url, title, description } = document.metadata;
      first ??= document;
      pages.set(url, { url, title: oneLine(title), notes: oneLine(description) });
      if (full !== undefined) await writeFull(full, document);
    },
    async finish() {
      await file.write(head(first, settings));
      for (const section of sectionsOf([...pages.values()])) {
        const lines = section.pages.map(line).join('');
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

function head(first: PlainDocument | undefined, settings: ExportSettings<'writeLlmsTxt'>): string {
  const { url, ogSiteName, description } = first?.metadata ?? {};
  const host = url === undefined ? '' : new URL(url).host;
  const title = oneLine(settings.title ?? ogSiteName) || host || 'Pages';
  const quote = oneLine(settings.description ?? description);
  return `# ${title}\n${quote === '' ? '' : `\n> ${quote}\n`}`;
}

function line({ url, title, notes }: ListedPage): string {
  return `- [${title || oneLine(url)}](${linkTarget(url)})${notes === '' ? '' : `: ${notes}`}\n`;
}

async function writeFull(file: OpenFile, { metadata, ...document }: PlainDocument): Promise<void> {
  const markdown = typeof document['markdown'] === 'string' ? document['markdown'].trim() : '';
  const heading = oneLine(metadata.title) || oneLine(metadata.url);
  await file.write(`# ${heading}\n\nSource: ${linkTarget(metadata.url)}\n\n${markdown}\n\n`);
}

/** No parenthesis in it ends the link. */
function linkTarget(url: string): string {
  return new URL(url).href.replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'));
}
