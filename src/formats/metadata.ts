/** metadata: what a page says about itself. */
import type { FetchMetadata, PageMetadata } from '../model/metadata.ts';
import type { HtmlPage, Page } from '../model/page.ts';
import { resolveLink } from '../url/normalize-url.ts';
import { type HeadFacts, readHeadFacts } from './head-facts.ts';
import { readJsonLdFacts } from './json-ld-facts.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/** Facts of the fetch: a page that names its metas like this is not listened to. */
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
    ocrPages: true,
    ocrConfidence: true,
    creditsUsed: true,
    modelUsage: true,
    summaryMethod: true,
    highlightsMethod: true,
    timezone: true,
    depth: true,
    parentUrl: true,
    discoveredBy: true,
    score: true,
  } satisfies Record<keyof FetchMetadata, true>),
);

/**
 * Title, description and the like, and every meta tag by its own name: a string, or a list where
 * the name is repeated. Pages that are no HTML say nothing about themselves.
 */
export function readMetadata(page: Page): PageMetadata {
  if (page.kind !== 'html') return {};
  const facts = readHeadFacts(page.document);
  const named = namedFields(facts, page);
  const raw = [...facts.metas].filter(([name]) => isFree(name) && !Object.hasOwn(named, name));
  return {
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(raw.map(([name, values]) => [name, oneOrMany(values)])),
  };
}

/** The fields with names of their own; undefined where the page says nothing. */
function namedFields(facts: HeadFacts, page: HtmlPage): Record<string, unknown> {
  const meta = (...names: string[]): string | undefined => facts.values(...names)[0];
  const all = (...names: string[]): string | undefined =>
    facts.values(...names).join(', ') || undefined;
  const link = (href: string | undefined): string | undefined =>
    href === undefined ? undefined : resolveLink(href, page.baseUrl)?.href;
  const jsonLd = readJsonLdFacts(facts.jsonLd);
  const alternates = facts.values('og:locale:alternate');
  const tags = facts.values('article:tag');
  return {
    title: facts.title ?? meta('og:title', 'twitter:title', 'title') ?? facts.bodyTitle,
    description: all('description') ?? meta('og:description', 'twitter:description'),
    language: facts.language ?? meta('language'),
    keywords: all('keywords'),
    robots: all('robots'),
    favicon: link(facts.icon),
    canonical: link(facts.canonical),
    author:
      all('author') ??
      facts.values('article:author', 'dc.creator').find((name) => !/^https?:/i.test(name)) ??
      jsonLd.author,
    publishedTime: meta(...publishedNames) ?? jsonLd.datePublished,
    modifiedTime: meta(...modifiedNames) ?? jsonLd.dateModified,
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

/** The fields that the model names, without the index signature for all other metas. */
type NamedMetadata = {
  [Name in keyof PageMetadata as string extends Name ? never : Name]: PageMetadata[Name];
};

/** In the order of trust. */
const publishedNames: readonly string[] = [
  'article:published_time',
  'datepublished',
  'og:published_time',
  'parsely-pub-date',
  'publish-date',
  'publish_date',
  'pubdate',
  'date',
];
const modifiedNames: readonly string[] = [
  'article:modified_time',
  'datemodified',
  'og:updated_time',
  'last-modified',
];

/** Not a fact of the fetch, and not a name that every object has: `__proto__`, `toString`. */
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
