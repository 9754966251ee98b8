/** Documents from a folder of markdown files. */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PlainDocument } from '../model/document.ts';

import { contentsMark, contentsName } from './contents-file.ts';
import { cannotRead, damaged } from './storage-error.ts';
import { parseHead } from './parse-head.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/** Bytes of a file: no page is longer. */
const maxFileBytes = 64 * 1024 * 1024;

/**
 * The documents of a folder that `writeMarkdownFolder()` wrote, or of any other markdown files, by their
 * paths. Facts of the YAML head are metadata; a file without a `url` there has a `file:` URL. Links stay
 * as they are in the file. Rejects with `STORAGE` when a file cannot be read.
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

/** Links to other places are not followed. */
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
      : await parseHead(file, text.slice(match[0].length, end.at));
  if (facts === undefined) return document(file, {}, text);
  return document(file, facts, text.slice(end?.after).replace(/^\r?\n/, ''));
}

/** The line that ends the head: where it begins, and where it is over. */
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

function isUrl(value: unknown): value is string {
  return typeof value === 'string' && canParseUrl(value);
}
