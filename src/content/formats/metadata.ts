/** metadata: title, description, language, author, dates and images that a page states about itself. */
import { attributeTokens, elementText } from '../../extract/facts/element-text.ts';
import { entitiesOf } from '../../extract/facts/entities.ts';
import { parseJsonLdText } from '../../extract/facts/json-ld.ts';
import { readMicrodata } from '../../extract/facts/microdata.ts';
import { readRdfa } from '../../extract/facts/rdfa.ts';
import {
  type DomDocument,
  type DomElement,
  type DomNode,
  isElement,
  nextNode,
} from '../html/dom.ts';
import type { FetchMetadata, PageMetadata } from '../../core/model/document.ts';
import type { HtmlPage, Page } from '../../core/model/page.ts';
import { isUnfilled } from '../text/placeholder.ts';
import { withoutInvisible } from '../text/plain-text.ts';
import { canParseUrl, resolveLink, urlOf } from '../../core/url/normalize-url.ts';
import { isCodeUrl } from '../../core/url/links.ts';
import { namesInValue } from './author-values.ts';
import { readByline } from './byline.ts';
import { isDateValue } from './date-values.ts';
import { type PageIdentity, type StatedFacts, statedFacts } from './stated-facts.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

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
    label: true,
    data: true,
  } satisfies Record<keyof FetchMetadata, true>),
);

/**
 * Title, description and the like, and every meta tag by its own name; repeated ones are joined with
 * ", ". Author and dates that no markup states are read from the byline. Empty for pages
 * that are not HTML. `now`: milliseconds since 1970; later dates of bylines are ignored.
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
    if (isFree(name) && !Object.hasOwn(named, name)) metadata[name] = values.join(', ');
  }
  return metadata;
}

/** The fields with names of their own; undefined where the page has none. */
function namedFields(facts: HeadFacts, page: HtmlPage, now: number): Record<string, unknown> {
  const meta = (...names: string[]): string | undefined => facts.first(names);
  const all = (...names: string[]): string | undefined =>
    facts.values(...names).join(', ') || undefined;
  const link = (href: string | undefined): string | undefined =>
    href === undefined ? undefined : resolveLink(href, page.baseUrl)?.href;
  const alternates = facts.values('og:locale:alternate');
  const siteName = meta('og:site_name');
  const ogTitle = meta('og:title');
  const heading = firstText(facts.headings);
  const stated = readStatedFacts(page, facts, link(facts.canonical), heading);
  const title = [
    facts.title,
    ogTitle,
    meta('twitter:title', 'title', 'dc.title'),
    facts.bodyTitle,
    stated.headline,
    heading,
  ].find((text) => text !== undefined && !isUnfilled(text));
  const marked = [authorsOfMetas(facts), stated.authors]
    .filter((names) => names.length > 0)
    .map((names) => names.join(', '));
  // Many systems write the site or an account where no author is set.
  const author = marked.find(
    (name) => name !== siteName && !/^(?:admin|administrator)$/i.test(name),
  );
  const dateMeta = (names: readonly string[]): string | undefined =>
    facts.values(...names).find(isDateValue);
  const publishedTime = dateMeta(publishedNames) ?? stated.published;
  const isProduct =
    stated.isProduct || /^(?:og:)?product/.test(meta('og:type')?.toLowerCase() ?? '');
  // A file states its author and dates in its own metadata, which consists of metas.
  const hasByline = !isProduct && page.file === undefined && page.mediaType.includes('html');
  const seen =
    !hasByline || (author !== undefined && publishedTime !== undefined)
      ? {}
      : readByline(page, {
          title: ogTitle ?? title,
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
    modifiedTime: dateMeta(modifiedNames) ?? stated.modified ?? seen.modified,
    ogTitle,
    ogDescription: meta('og:description'),
    ogUrl: meta('og:url'),
    ogImage: absolute(meta('og:image', 'og:image:url', 'og:image:secure_url'), page.baseUrl),
    ogAudio: absolute(meta('og:audio', 'og:audio:url'), page.baseUrl),
    ogVideo: absolute(meta('og:video', 'og:video:url'), page.baseUrl),
    ogDeterminer: meta('og:determiner'),
    ogLocale: meta('og:locale'),
    ogLocaleAlternate: alternates.length > 0 ? alternates : undefined,
    ogSiteName: siteName,
    articleTag: all('article:tag'),
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

/** `en` and `en_GB` are `en-GB`, which determines the date format. */
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
  return urlOf(url)
    ?.hostname.replace(/^www\./, '')
    .split('.')[0];
}

/** The fields that the model names, without the index signature for all other metas. */
type NamedMetadata = {
  [Name in keyof PageMetadata as string extends Name ? never : Name]: PageMetadata[Name];
};

/** The text of the first heading of level 1 that has one. */
function firstText(headings: readonly DomElement[]): string | undefined {
  const tops = headings
    .filter(({ localName }) => localName === 'h1')
    .map((heading) => elementText(heading));
  return tops.map((text) => text.slice(0, 500)).find((text) => text !== '');
}

/** The facts of JSON-LD; where it lacks an author or a date, of microdata and RDFa. */
function readStatedFacts(
  page: HtmlPage,
  facts: HeadFacts,
  canonical: string | undefined,
  heading: string | undefined,
): StatedFacts {
  const ignore = (): void => undefined;
  const identity: PageIdentity = {
    titles: [facts.title, facts.first(['og:title']), heading].filter(isGiven),
    urls: [page.url, canonical, facts.first(['og:url'])].filter(isGiven),
  };
  const jsonLd = facts.jsonLd.flatMap((source) => parseJsonLdText(source, ignore));
  const stated = statedFacts(entitiesOf({ jsonLd, microdata: [], rdfa: [] }), identity);
  if (stated.authors.length > 0 && stated.published !== undefined) return stated;
  const top = page.document.documentElement;
  const microdata = facts.hasItems ? readMicrodata(top, page.baseUrl, ignore, mostVisits) : [];
  const rdfa = facts.hasResources ? readRdfa(top, page.baseUrl, ignore, mostVisits) : [];
  if (microdata.length + rdfa.length === 0) return stated;
  const other = statedFacts(entitiesOf({ jsonLd: [], microdata, rdfa }), identity);
  return {
    isProduct: stated.isProduct,
    authors: stated.authors.length > 0 ? stated.authors : other.authors,
    published: stated.published ?? other.published,
    modified: stated.modified ?? other.modified,
    headline: stated.headline ?? other.headline,
  };
}

const mostVisits = 200_000; // nodes read for items, on pages without author or date elsewhere

function isGiven(text: string | undefined): text is string {
  return text !== undefined;
}

/** The names of `author`, else of the first other name that has any. */
function authorsOfMetas(facts: HeadFacts): string[] {
  for (const name of authorNames) {
    const order = /^(?:citation|dc)/.test(name) ? 'family-first' : 'as-read';
    const names = facts.values(name).flatMap((value) => namesInValue(value, order));
    if (names.length > 0) return [...new Set(names)];
  }
  // Yoast SEO writes it for Slack.
  const label = facts.first(['twitter:label1']) ?? '';
  return writtenBy.test(label)
    ? facts.values('twitter:data1').flatMap((one) => namesInValue(one))
    : [];
}

const authorNames: readonly string[] = [
  'author',
  'article:author',
  'og:author',
  'og:article:author',
  'article:author_name',
  'article.author',
  'authors',
  'citation_author',
  'citation_authors',
  'dc.creator',
  'dcterms.creator',
  'dc.contributor.author',
  'parsely-author',
  'sailthru.author',
  'creator',
  'byl',
  'byline',
  'rbauthors',
  'cxenseparse:author',
  'shareaholic:article_author_name',
  'book:author',
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
  'article:published',
  'article:published_date',
  'article.published',
  'og:article:published_time',
  'og:pubdate',
  'dcterms.created',
  'dc.date.created',
  'date_published',
  'published',
  'published-date',
  'published_date',
  'publication_date',
  'publication-date',
  'publishdate',
  'citation_date',
  'citation_online_date',
  'rnews:datepublished',
  'originalpublicationdate',
  'cxenseparse:recs:publishtime',
  'displaydate',
];

const modifiedNames: readonly string[] = [
  'article:modified_time',
  'datemodified',
  'og:updated_time',
  'last-modified',
  'article:modified',
  'article:modified_date',
  'og:article:modified_time',
  'og:modified_time',
  'dcterms.modified',
  'dc.date.modified',
  'dc.modified',
  'last_modified',
  'lastmod',
  'modified',
  'revised',
];

/** False for facts of the fetch and for names that every object has: `__proto__`, `toString`. */
function isFree(name: string): boolean {
  return !fetchMetadataNames.has(name) && !(name in Object.prototype);
}

/** An absolute URL stays unchanged. */
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
  /** The page has microdata. */
  readonly hasItems: boolean;
  /** The page has RDFa. */
  readonly hasResources: boolean;
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
  let hasItems = false;
  let hasResources = false;

  const top = document.documentElement;
  for (let element: DomNode | null = top; element !== null; element = nextNode(element, top)) {
    if (!isElement(element)) continue;
    hasItems ||= element.hasAttribute('itemscope');
    hasResources ||= element.hasAttribute('typeof');
    switch (element.localName) {
      case 'title':
        readTitle(element, document.head, titles);
        break;
      case 'meta': {
        const header = attribute(element, 'http-equiv').toLowerCase();
        const value = attribute(element, 'content');
        if (header === 'content-language') contentLanguage ??= value || undefined;
        if (/^(?:last-modified|date)$/.test(header) && value !== '') {
          append(byLowerName, header, value);
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
    hasItems,
    hasResources,
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
  // `<meta itemprop="datePublished" datetime="…">` is wrong and common.
  const given = element.getAttribute('content') ?? element.getAttribute('datetime');
  if (given === null) return;
  const content = withoutInvisible(given).trim();
  const names = new Set([
    attribute(element, 'name'),
    ...attributeTokens(`${attribute(element, 'property')} ${attribute(element, 'itemprop')}`).slice(
      0,
      maxNames,
    ),
  ]);
  for (const name of names) {
    if (name === '' || (isCodeUrl(content) && namesUrl.test(name))) continue;
    append(metas, name, content);
    if (ofItems.test(name) && isInItem(element)) continue;
    // Dublin Core is written with dots and with colons.
    const lower = name.toLowerCase().replace(/^(dc|dcterms):/, '$1.');
    if (content !== '') append(byLowerName, lower, content);
  }
}

const maxNames = 10; // the content is copied for each name

/** Properties that a review or a picture on the page has, too: the page's own are on the page's entity. */
const ofItems = /^(?:author|creator|date(?:Published|Modified|Created))$/i;

function isInItem(element: DomElement): boolean {
  return element.hasAttribute('itemprop') && element.closest('[itemscope]') !== null;
}

/** Names of metas whose value is a URL to follow or load. */
const namesUrl = /(?:^|[:.-])(?:url|image|audio|video|player|stream|src|secure_url)\b/i;

function append(lists: Map<string, string[]>, key: string, value: string): void {
  getOrInsert(lists, key, () => []).push(value);
}

function attribute(element: DomElement, name: string): string {
  return element.getAttribute(name)?.trim() ?? '';
}
