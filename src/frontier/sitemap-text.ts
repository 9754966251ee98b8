/** Sitemaps that are not XML: one URL a line, and JSON Feed. */
import { readPartialJson } from '../text/partial-json.ts';
import type { EntrySink, SitemapReader } from './sitemap-content.ts';

/** Characters of a line; longer ones are no URL that a server would take. */
const lineLimit = 8_192;

/** Lines that are no URL are left out. */
export class TextSitemapReader implements SitemapReader {
  isReading = true;
  readonly #sink: EntrySink;
  #line = '';
  #hasFound = false;

  constructor(sink: EntrySink) {
    this.#sink = sink;
  }

  write(text: string): void {
    // Lines of an old Mac end with a carriage return alone.
    const lines = (this.#line + text).split(/[\r\n]/);
    // One character too many shows that the line is too long, however it goes on.
    this.#line = lines.pop()?.slice(0, lineLimit + 1) ?? '';
    for (const line of lines) this.#read(line);
  }

  end(isCut: boolean): string[] {
    // Half a URL is another URL.
    if (!isCut) this.#read(this.#line);
    if (!this.isReading) return [tooMany];
    return this.#hasFound ? [] : ['The text has no line that is a URL: it is no sitemap.'];
  }

  #read(line: string): void {
    if (!this.isReading || line.length > lineLimit || !/^\s*https?:\/\//i.test(line)) return;
    this.#hasFound = true;
    this.isReading = this.#sink({ link: line }, 'url');
  }
}

/** JSON is read in one go: more of it would hold up the process. */
const jsonLimit = 2_000_000;
const itemLimit = 5_000;

/** JSON Feed 1.0 and 1.1, up to 2 million characters and 5,000 items. */
export class JsonFeedReader implements SitemapReader {
  isReading = true;
  readonly #sink: EntrySink;
  readonly #parts: string[] = [];
  #length = 0;

  constructor(sink: EntrySink) {
    this.#sink = sink;
  }

  write(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    this.isReading = this.#length <= jsonLimit;
  }

  end(): string[] {
    const text = this.#parts.join('');
    const warnings: string[] = [];
    let feed: unknown;
    try {
      if (this.isReading) feed = JSON.parse(text);
      else warnings.push(`The JSON is longer than ${jsonLimit} characters; the rest was not read.`);
    } catch (error) {
      const message = (error as Error).message.slice(0, 200);
      warnings.push(`The JSON is damaged, and was read up to there: ${message}`);
    }
    feed ??= readPartialJson(text);
    const items = field(feed, 'items');
    if (!Array.isArray(items)) return warnings.length > 0 ? warnings : ['The JSON is no feed.'];
    if (warnings.length > 0) items.pop();
    for (const [index, item] of items.entries()) {
      if (index === itemLimit) return [...warnings, tooMany];
      const link = string(item, 'url') ?? string(item, 'external_url');
      if (link === undefined) continue;
      const date = string(item, 'date_modified') ?? string(item, 'date_published');
      const [title, description] = [string(item, 'title'), string(item, 'summary')];
      if (!this.#sink({ link, date, title, description }, 'url')) return [...warnings, tooMany];
    }
    return warnings;
  }
}

const tooMany = 'The sitemap has too many entries; the rest was not read.';

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function string(value: unknown, name: string): string | undefined {
  const text = field(value, name);
  return typeof text === 'string' && text !== '' ? text : undefined;
}
