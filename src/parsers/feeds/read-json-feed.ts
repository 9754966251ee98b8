/** JSON Feed 1.0 and 1.1 to what it says. */
import type { Enclosure, Feed, FeedEntry } from './feed.ts';

/** Characters; parsing more only to find out whether it is a feed would hold up the process. */
const longest = 20_000_000;

/** Undefined for all other JSON. */
export function readJsonFeed(source: string): Feed | undefined {
  if (source.length > longest || !source.slice(0, 2_000).includes('jsonfeed.org')) {
    return undefined;
  }
  const feed = objectOf(parsed(source));
  if (
    feed === undefined ||
    !/^https?:\/\/jsonfeed\.org\/version\//.test(text(feed, 'version') ?? '')
  )
    return undefined;
  const entries = listOf(feed, 'items').map(readEntry);
  return {
    title: text(feed, 'title'),
    description: text(feed, 'description'),
    link: text(feed, 'home_page_url'),
    author: authorsOf(feed),
    language: text(feed, 'language'),
    published: undefined,
    updated: undefined,
    next: text(feed, 'next_url'),
    entries,
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

function readEntry(item: JsonObject): FeedEntry {
  const html = text(item, 'content_html');
  const plain = text(item, 'content_text') ?? text(item, 'summary');
  const id = text(item, 'id');
  return {
    title: text(item, 'title'),
    link:
      text(item, 'url') ??
      text(item, 'external_url') ??
      (id !== undefined && /^https?:/.test(id) ? id : undefined),
    author: authorsOf(item),
    published: text(item, 'date_published'),
    updated: text(item, 'date_modified'),
    tags: own(item, 'tags', Array.isArray)?.filter((tag) => typeof tag === 'string') ?? [],
    content:
      html !== undefined
        ? { kind: 'html', text: html }
        : plain === undefined
          ? undefined
          : { kind: 'text', text: plain },
    enclosures: listOf(item, 'attachments').flatMap(readAttachment),
  };
}

function readAttachment(file: JsonObject): Enclosure[] {
  const url = text(file, 'url');
  const size = file['size_in_bytes'];
  if (url === undefined) return [];
  return [
    {
      url,
      title: text(file, 'title'),
      type: text(file, 'mime_type'),
      size: typeof size === 'number' && size > 0 ? Math.round(size) : undefined,
    },
  ];
}

/** Version 1.0 has one author, 1.1 a list. */
function authorsOf(parent: JsonObject): string | undefined {
  const one = objectOf(parent['author']);
  const names = [...listOf(parent, 'authors'), ...(one === undefined ? [] : [one])].map(
    (author) => text(author, 'name') ?? text(author, 'url'),
  );
  return [...new Set(names.filter((name) => name !== undefined))].join(', ') || undefined;
}

function parsed(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

function listOf(parent: JsonObject, name: string): JsonObject[] {
  return (own(parent, name, Array.isArray) ?? [])
    .map(objectOf)
    .filter((one): one is JsonObject => one !== undefined);
}

function own(
  parent: JsonObject,
  name: string,
  isKind: (value: unknown) => value is unknown[],
): unknown[] | undefined {
  const value = parent[name];
  return isKind(value) ? value : undefined;
}

function text(parent: JsonObject, name: string): string | undefined {
  const value = parent[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
