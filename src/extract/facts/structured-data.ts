/** Reads all kinds of structured data of a page at once. */
import type { HtmlPage, Page } from '../../core/model/page.ts';
import { type JsonLdNode, parseJsonLdText, readJsonLd } from './json-ld.ts';
import { type MicrodataItem, readMicrodata } from './microdata.ts';
import { type OpenGraph, readOpenGraph, readTwitterCard } from './meta-tags.ts';
import { type RdfaItem, readRdfa } from './rdfa.ts';

/** Everything a page embeds for machines, in document order. */
export interface StructuredData {
  /** The nodes of all `application/ld+json` scripts, `@graph` and arrays flattened into one list. */
  jsonLd: JsonLdNode[];
  /** The top-level microdata items. */
  microdata: MicrodataItem[];
  /** The top-level RDFa items. */
  rdfa: RdfaItem[];
  /** `og:*` without its prefix; `article:*`, `product:*` and the like by their full names. */
  openGraph: OpenGraph;
  /** `twitter:*` without its prefix: `card`, `title`, `image`. The first of each counts. */
  twitter: Record<string, string>;
}

/** The structured data of a page; empty for pages that are not HTML or JSON-LD. */
export function readStructuredData(page: Page): StructuredData {
  const warn = (message: string): void => {
    // The json format reads the same scripts: warn only once.
    if (!page.warnings.includes(message)) page.warnings.push(message);
  };
  if (page.kind === 'html') return readHtml(page, warn);
  const isJsonLd = page.mediaType === 'application/ld+json';
  const jsonLd = isJsonLd ? parseJsonLdText(page.source, warn) : [];
  return { jsonLd, microdata: [], rdfa: [], openGraph: emptyRecord(), twitter: emptyRecord() };
}

function readHtml(page: HtmlPage, warn: (message: string) => void): StructuredData {
  const { document, baseUrl } = page;
  return {
    jsonLd: readJsonLd(document, warn),
    microdata: readMicrodata(document.documentElement, baseUrl, warn),
    rdfa: readRdfa(document.documentElement, baseUrl, warn),
    openGraph: readOpenGraph(document, baseUrl),
    twitter: readTwitterCard(document, baseUrl),
  };
}

/** Without a prototype, a key of the page cannot collide with a built-in property. */
function emptyRecord(): Record<string, never> {
  return Object.create(null) as Record<string, never>;
}
