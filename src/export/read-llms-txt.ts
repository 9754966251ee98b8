/** What an llms.txt (llmstxt.org) says. */
import { readFile, stat } from 'node:fs/promises';
import { parseExportOptions, type ReadLlmsTxtOptions } from '../options/export-options.ts';
import { cannotRead, damaged } from './storage-error.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/** A link of an llms.txt. */
export interface LlmsTxtLink {
  /** Absolute where it can be. */
  readonly url: string;
  readonly title: string;
  /** What stands after the colon. */
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
  /** In their order; one called "Optional" may be skipped. */
  readonly sections: readonly LlmsTxtSection[];
}

/** Bytes of a file. */
const maxBytes = 10_000_000;

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

/** Title, quote, and the links by their headings. Everything else is passed over. */
export function parseLlmsTxt(text: string, options: ReadLlmsTxtOptions = {}): LlmsTxt {
  const { url: base } = parseExportOptions('readLlmsTxt', options);
  let title: string | undefined;
  const quote: string[] = [];
  const sections: { title: string; links: LlmsTxtLink[] }[] = [];
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const [, level = '', words = ''] = /^(#{1,2})[ \t]+(\S.*)$/.exec(line) ?? [];
    if (level === '#') title ??= plain(words);
    else if (level === '##') sections.push({ title: plain(words), links: [] });
    else if (line.startsWith('>') && sections.length === 0) quote.push(line.slice(1).trim());
    else {
      const link = readLink(line, base);
      if (link === undefined) continue;
      if (sections.length === 0) sections.push({ title: '', links: [] });
      sections.at(-1)?.links.push(link);
    }
  }
  const description = plain(quote.join(' '));
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === '' ? {} : { description }),
    sections,
  };
}

const listItem =
  /^[ \t]{0,8}[-*+][ \t]+\[((?:[^\\[\]]|\\.){0,2000})\]\(<?([^\s<>()]{1,8000})>?\)(?:[ \t]*:[ \t]*(.*))?/;

function readLink(line: string, base: string | undefined): LlmsTxtLink | undefined {
  const [, title, target, notes = ''] = listItem.exec(line) ?? [];
  if (title === undefined || target === undefined) return undefined;
  const url = canParseUrl(target, base) ? new URL(target, base).href : target;
  return { url, title: plain(title), ...(notes.trim() === '' ? {} : { notes: plain(notes) }) };
}

/** Without the escapes of markdown. */
function plain(text: string): string {
  return text.replace(/\\([\\[\]<>`()*_#])/g, '$1').trim();
}
