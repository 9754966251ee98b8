/** metadata: title, description, language, author, dates and images that a page states about itself. */
import { parseLenientJson } from '../extraction/page-facts/lenient-json.ts';
import {
  type DomDocument,
  type DomElement,
  type DomNode,
  isElement,
  nextNode,
} from '../html/dom.ts';
import type { FetchMetadata, PageMetadata } from '../model/document.ts';
import type { HtmlPage, Page } from '../model/page.ts';
import { withoutInvisible } from '../text/plain-text.ts';
import { canParseUrl, resolveLink } from '../url/normalize-url.ts';
import { isCodeUrl } from '../url/links.ts';
import { readByline } from './byline.ts';

/** Names for facts of the fetch: metas of the page with these names are ignored. */
export const fetchMetadataNames: ReadonlySet<string> = new Set<string>(
  Object.keys({
    sourceURL: true,
    url: true,
    statusCode: true,
    truncated: true,
    contentType: true,
    error: true,
    errorCode: true,
    scrapeId: true,
    engine: true,
    engineReason: true,
    proxyUsed: true,
    cacheState: true,
    cachedAt: true,
    numPages: true,
    repeatedLines: true,
    ocrPages: true,
    ocrConfidence: true,
    creditsUsed: true,
    modelUsage: true,
    summaryMethod: true,
    highlightsMethod: true,
    timezone: true,
    redactions: true,
    depth: true,
    parentUrl: true,
    discoveredBy: true,
    score: true,
  } satisfies Record<keyof FetchMetadata, true>),
);

/**
 * Title, description and the like, and every meta tag by its own name: a string, or a list where
 * the name is repeated. Author and dates that no markup tells are read from the byline. Empty for pages
 * that are not HTML. `now`: milliseconds since 1970; no byline is from the days after.
 */
export function readMetadata(page: Page, now: number = Date.now()): PageMetadata {
  if (page.kind !== 'html') return {};
  const facts = readHeadFacts(page.document);
  const named = namedFields(facts, page, now);
  const metadata: Record<string, unknown> = {};
  for (const name of Object.keys(named)) {
    if (named[name] !== undefined) metadata[name] = named[name];
  }
  for (const [name, values] of facts.metas) {
    if (isFree(name) && !Object.hasOwn(named, name)) metadata[name] = oneOrMany(values);
  }
  return metadata;
}

/** The fields with names of their own; undefined where the page says nothing. */
function namedFields(facts: HeadFacts, page: HtmlPage, now: number): Record<string, unknown> {
  const meta = (...names: string[]): string | undefined => facts.first(names);
  const all = (...names: string[]): string | undefined =>
    facts.values(...names).join(', ') || undefined;
  const link = (href: string | undefined): string | undefined =>
    href === undefined ? undefined : resolveLink(href, page.baseUrl)?.href;
  const jsonLd = readJsonLdFacts(facts.jsonLd);
  const alternates = facts.values('og:locale:alternate');
  const tags = facts.values('article:tag');
  const siteName = meta('og:site_name');
  const marked = [authorOfMetas(facts), jsonLd.author].filter((name) => name !== undefined);
  // Many systems write the site or an account where no author is set.
  const author = marked.find(
    (name) => name !== siteName && !/^(?:admin|administrator)$/i.test(name),
  );
  const publishedTime = meta(...publishedNames) ?? jsonLd.datePublished;
  const title = facts.title ?? meta('og:title', 'twitter:title', 'title') ?? facts.bodyTitle;
  const isProduct =
    jsonLd.isProduct === true || /^(?:og:)?product/.test(meta('og:type')?.toLowerCase() ?? '');
  // A file tells its author and dates in its own metadata, which is made of metas.
  const hasByline = !isProduct && page.file === undefined && page.mediaType.includes('html');
  const seen =
    !hasByline || (author !== undefined && publishedTime !== undefined)
      ? {}
      : readByline(page, {
          title: meta('og:title') ?? title,
          headings: facts.headings,
          language: languageWithRegion(facts.language, meta('og:locale')),
          siteNames: [siteName, hostName(page.url)],
          latest: now + 86_400_000,
          wantsAuthor: author === undefined,
          wantsDate: publishedTime === undefined,
        });
  return {
    title,
    description: all('description') ?? meta('og:description', 'twitter:description'),
    language: facts.language ?? meta('language'),
    keywords: all('keywords'),
    robots: all('robots'),
    favicon: link(facts.icon),
    canonical: link(facts.canonical),
    author: author ?? seen.author ?? marked[0],
    publishedTime: publishedTime ?? seen.published,
    modifiedTime: meta(...modifiedNames) ?? jsonLd.dateModified ?? seen.modified,
    ogTitle: meta('og:title'),
    ogDescription: meta('og:description'),
    ogUrl: meta('og:url'),
    ogImage: absolute(meta('og:image', 'og:image:url', 'og:image:secure_url'), page.baseUrl),
    ogAudio: absolute(meta('og:audio', 'og:audio:url'), page.baseUrl),
    ogVideo: absolute(meta('og:video', 'og:video:url'), page.baseUrl),
    ogDeterminer: meta('og:determiner'),
    ogLocale: meta('og:locale'),
    ogLocaleAlternate: alternates.length > 0 ? alternates : undefined,
    ogSiteName: meta('og:site_name'),
    articleTag: tags.length > 0 ? oneOrMany(tags) : undefined,
    articleSection: meta('article:section'),
    dcTitle: meta('dc.title'),
    dcCreator: meta('dc.creator'),
    dcDescription: meta('dc.description'),
    dcDate: meta('dc.date'),
    dcDateCreated: meta('dc.date.created'),
    dcSubject: meta('dc.subject'),
    dcType: meta('dc.type'),
    dcTermsCreated: meta('dcterms.created'),
    dcTermsSubject: meta('dcterms.subject'),
    dcTermsType: meta('dcterms.type'),
    dcTermsAudience: meta('dcterms.audience'),
    dcTermsKeywords: meta('dcterms.keywords'),
  } satisfies Record<Exclude<keyof NamedMetadata, number>, unknown>;
}

/** `en` and `en_GB` are `en-GB`, which tells how dates are written. */
function languageWithRegion(
  language: string | undefined,
  locale: string | undefined,
): string | undefined {
  const full = locale?.replace(/_/g, '-');
  if (language === undefined) return full;
  return full?.toLowerCase().startsWith(`${language.toLowerCase()}-`) === true ? full : language;
}

/** `www.example.co.uk` → `example`. */
function hostName(url: string): string | undefined {
  if (!canParseUrl(url)) return undefined;
  return new URL(url).hostname.replace(/^www\./, '').split('.')[0];
}

/** The fields that the model names, without the index signature for all other metas. */
type NamedMetadata = {
  [Name in keyof PageMetadata as string extends Name ? never : Name]: PageMetadata[Name];
};

/** The names of `author`, or the first name under another; an address is not a name. */
function authorOfMetas(facts: HeadFacts): string | undefined {
  const isName = (value: string): boolean => !/^https?:/i.test(value);
  const own = new Set(facts.values('author').filter(isName));
  if (own.size > 0) return [...own].join(', ');
  const other = facts.values(...authorNames).find(isName);
  if (other !== undefined) return other;
  // Yoast SEO writes it for Slack.
  return writtenBy.test(facts.first(['twitter:label1']) ?? '')
    ? facts.first(['twitter:data1'])
    : undefined;
}

const authorNames: readonly string[] = [
  'article:author',
  'dc.creator',
  'dcterms.creator',
  'parsely-author',
  'sailthru.author',
  'citation_author',
  'byl',
];

const writtenBy =
  /^(?:written by|verfasst von|geschrieben von|escrito por|écrit par|scritto da|geschreven door|skriven av|skrevet af|skrevet av|kirjoittanut|napisane przez|автор|автор:|yazan|執筆者|作者)$/i;

/** Names of publication dates, the most reliable first. */
const publishedNames: readonly string[] = [
  'article:published_time',
  'datepublished',
  'og:published_time',
  'parsely-pub-date',
  'publish-date',
  'publish_date',
  'pubdate',
  'date',
  'sailthru.date',
  'citation_publication_date',
  'dc.date.issued',
  'dcterms.issued',
  'dc.date',
  'dcterms.date',
];

const modifiedNames: readonly string[] = [
  'article:modified_time',
  'datemodified',
  'og:updated_time',
  'last-modified',
];

/** False for facts of the fetch and for names that every object has: `__proto__`, `toString`. */
function isFree(name: string): boolean {
  return !fetchMetadataNames.has(name) && !(name in Object.prototype);
}

function oneOrMany(values: readonly string[]): string | string[] {
  const [only = ''] = values;
  return values.length > 1 ? [...values] : only;
}

/** An absolute URL stays as the page gives it. */
function absolute(url: string | undefined, baseUrl: string): string | undefined {
  if (url === undefined || canParseUrl(url)) return url;
  return resolveLink(url, baseUrl)?.href ?? url;
}

// The facts that metadata is made of: title, language, metas, icons and JSON-LD, gathered in one walk.

/** The raw facts of one page. Texts are trimmed; empty ones are undefined. */
interface HeadFacts {
  /** The first title of the head. */
  readonly title: string | undefined;
  /** The first title outside of the head that does not belong to an SVG. */
  readonly bodyTitle: string | undefined;
  readonly language: string | undefined;
  readonly icon: string | undefined;
  readonly canonical: string | undefined;
  /** The first headings of level 1, then of level 2. */
  readonly headings: readonly DomElement[];
  /** The contents of metas by name as written, in document order. */
  readonly metas: ReadonlyMap<string, string[]>;
  /** The sources of JSON-LD scripts. */
  readonly jsonLd: readonly string[];
  /** Non-empty contents of metas with these lower-case names, in the order of the names; `.` also matches `:`. */
  values(...names: readonly string[]): string[];
  /** The first of these values. */
  first(names: readonly string[]): string | undefined;
}

/** Walks the whole document: some pages have metas in their body. */
export function readHeadFacts(document: DomDocument): HeadFacts {
  const metas = new Map<string, string[]>();
  const byLowerName = new Map<string, string[]>();
  const titles: { head?: string; body?: string } = {};
  const icons: { icon?: string; other?: string } = {};
  const jsonLd: string[] = [];
  const headings: DomElement[] = [];
  const others: DomElement[] = [];
  let canonical: string | undefined;
  let contentLanguage: string | undefined;

  const top = document.documentElement;
  for (let element: DomNode | null = top; element !== null; element = nextNode(element, top)) {
    if (!isElement(element)) continue;
    switch (element.localName) {
      case 'title':
        readTitle(element, document.head, titles);
        break;
      case 'meta': {
        if (attribute(element, 'http-equiv').toLowerCase() === 'content-language') {
          contentLanguage ??= attribute(element, 'content') || undefined;
        }
        readMeta(element, metas, byLowerName);
        break;
      }
      case 'link': {
        const relations = attribute(element, 'rel').toLowerCase().split(/\s+/);
        const href = attribute(element, 'href');
        if (href === '') break;
        if (relations.includes('icon')) icons.icon ??= href;
        else if (relations.some((relation) => relation.includes('icon'))) icons.other ??= href;
        if (relations.includes('canonical')) canonical ??= href;
        break;
      }
      case 'h1':
        if (headings.length < 10) headings.push(element);
        break;
      case 'h2':
        if (others.length < 30) others.push(element);
        break;
      case 'script':
        if (/^application\/ld\+json\b/i.test(attribute(element, 'type'))) {
          jsonLd.push(element.textContent ?? '');
        }
    }
  }
  return {
    title: titles.head,
    bodyTitle: titles.body,
    language: attribute(top, 'lang') || attribute(top, 'xml:lang') || contentLanguage,
    icon: icons.icon ?? icons.other,
    canonical,
    headings: [...headings, ...others],
    metas,
    jsonLd,
    values: (...names) => names.flatMap((name) => byLowerName.get(name) ?? []),
    first: (names) => {
      for (const name of names) {
        const values = byLowerName.get(name);
        if (values !== undefined) return values[0];
      }
      return undefined;
    },
  };
}

function readTitle(
  element: DomElement,
  head: DomElement,
  titles: { head?: string; body?: string },
): void {
  const text = withoutInvisible(element.textContent ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text === '') return;
  if (element.parentElement === head) titles.head ??= text;
  else if (element.closest('svg') === null) titles.body ??= text;
}

/** Records the content under each distinct name of the meta. */
function readMeta(
  element: DomElement,
  metas: Map<string, string[]>,
  byLowerName: Map<string, string[]>,
): void {
  const given = element.getAttribute('content');
  if (given === null) return;
  const content = withoutInvisible(given).trim();
  const names = new Set(['name', 'property', 'itemprop'].map((key) => attribute(element, key)));
  for (const name of names) {
    if (name === '' || (isCodeUrl(content) && namesUrl.test(name))) continue;
    append(metas, name, content);
    // Dublin Core is written with dots and with colons.
    const lower = name.toLowerCase().replace(/^(dc|dcterms):/, '$1.');
    if (content !== '') append(byLowerName, lower, content);
  }
}

/** Names of metas whose value is a URL to follow or load. */
const namesUrl = /(?:^|[:.-])(?:url|image|audio|video|player|stream|src|secure_url)\b/i;

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function attribute(element: DomElement, name: string): string {
  return element.getAttribute(name)?.trim() ?? '';
}

// The few facts of JSON-LD that metadata falls back on.

/** Each fact comes from the first object that has it. */
interface JsonLdFacts {
  /** The page is about a product. */
  isProduct?: boolean;
  author?: string;
  datePublished?: string;
  dateModified?: string;
}

/** Reads top-level objects and the objects in an `@graph`; skips scripts that are not JSON. */
function readJsonLdFacts(sources: readonly string[]): JsonLdFacts {
  const facts: JsonLdFacts = {};
  const objects = sources.flatMap(topObjects);
  const byId = new Map(objects.map((object) => [object['@id'], object]));
  for (const object of objects) {
    const author = nameOfEntity(object['author'], byId);
    const { datePublished, dateModified } = object;
    if (/^Product(?:Group)?$/.test(String(object['@type']))) facts.isProduct = true;
    if (author !== undefined) facts.author ??= author;
    if (typeof datePublished === 'string') facts.datePublished ??= datePublished;
    if (typeof dateModified === 'string') facts.dateModified ??= dateModified;
  }
  return facts;
}

type JsonObject = Readonly<Record<string, unknown>>;

function topObjects(source: string): JsonObject[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch {
    parsed = parseLenientJson(source);
  }
  return objectsIn(parsed).flatMap((object) => [object, ...objectsIn(object['@graph'])]);
}

function objectsIn(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isObject);
  return isObject(value) ? [value] : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `"Ann"`, `{ "name": "Ann" }`, the `@id` of such an object, or a list of them. */
function nameOfEntity(value: unknown, byId: ReadonlyMap<unknown, JsonObject>): string | undefined {
  const people: readonly unknown[] = Array.isArray(value) ? value : [value];
  const names = people
    .map((person) =>
      isObject(person) ? (person['name'] ?? byId.get(person['@id'])?.['name']) : person,
    )
    .filter((name): name is string => typeof name === 'string' && name.trim() !== '');
  return names.join(', ') || undefined;
}
