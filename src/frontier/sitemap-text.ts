/** Sitemaps that are not XML: one URL a line, and JSON Feed. */
import type { EntrySink } from './sitemap-content.ts';

/** Lines that are no URL are left out. Returns warnings. */
export function readTextSitemap(text: string, sink: EntrySink): string[] {
  let found = false;
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    // Lines of an old Mac end with a carriage return alone.
    for (const line of text.slice(start, end).split('\r')) {
      if (!/^\s*https?:\/\//i.test(line)) continue;
      found = true;
      if (!sink({ link: line }, 'url')) return [tooMany];
    }
    start = end + 1;
  }
  return found ? [] : ['The text has no line that is a URL: it is no sitemap.'];
}

/** JSON Feed 1.0 and 1.1. Returns warnings. */
export function readJsonFeed(text: string, sink: EntrySink): string[] {
  let feed: unknown;
  try {
    feed = JSON.parse(text);
  } catch (error) {
    return [`The JSON is damaged: ${(error as Error).message}`];
  }
  const items = field(feed, 'items');
  if (!Array.isArray(items)) return ['The JSON is no feed.'];
  for (const item of items) {
    const link = string(item, 'url') ?? string(item, 'external_url');
    if (link === undefined) continue;
    const date = string(item, 'date_modified') ?? string(item, 'date_published');
    if (!sink({ link, date, title: string(item, 'title') }, 'url')) return [tooMany];
  }
  return [];
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
