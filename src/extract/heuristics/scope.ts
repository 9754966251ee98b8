/** The scope in which a property is searched: the page with its meta tags, an element, an entity or a table row. */
import { type DomElement, nextNode } from '../../content/html/dom.ts';
import type { HtmlPage, Page } from '../../core/model/page.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { labelText } from '../facts/element-text.ts';
import { entitiesOf, type Entity } from '../facts/entities.ts';
import { type MetaTag, readMetaTags } from '../facts/meta-tags.ts';
import { readMicrodata } from '../facts/microdata.ts';
import { fold } from '../facts/property-names.ts';
import { readStructuredData } from '../facts/structured-data.ts';
import { amountsIn, type MoneyAmount } from '../values/money.ts';
import { type DataTable, readTables } from './data-tables.ts';
import {
  classLabelValues,
  type LabelValues,
  readLabelValues,
  readTextLabelValues,
} from './label-values.ts';
import type { PageHints } from './main-entity.ts';
import { type LabelIndex, labelIndex } from './match-label.ts';
import { type IsSide, sideContent } from './side-content.ts';
import { canonical } from './synonyms.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

/** The sources of a scope. Costly ones are functions and made on first use. */
export interface Scope {
  /** The element in which selectors match; undefined if there is none, as for an entity. */
  readonly element: DomElement | undefined;
  /** The entity that owns the properties, in all its descriptions, best first. */
  readonly subjects: () => readonly Entity[];
  readonly content: () => ScopeContent;
  /** The name of the object whose members are looked up here: `price` for `price.currency`. */
  readonly prefix: string;
  /** Facts about the page as a whole; undefined below it. */
  readonly page: PageKnowledge | undefined;
}

/** Labels and tables. */
export interface ScopeContent {
  readonly labelValues: readonly LabelValues[];
  readonly find: LabelIndex<LabelValues>;
  readonly tables: readonly DataTable[];
  /** By class names; fewer of them if the scope is the whole page. */
  readonly classes: LabelIndex<LabelValues>;
  readonly isSide: IsSide;
  readonly amounts: (language: string | undefined) => readonly MoneyAmount[];
  /** Number of nodes counted so far: the cost of reading it. */
  readonly size: () => number;
}

/** Facts about the page. */
export interface PageKnowledge {
  readonly entities: readonly Entity[];
  readonly meta: MetaValues;
  readonly hints: PageHints;
  /** The text of the h1, when there is exactly one. */
  readonly heading: string | undefined;
}

/** The whole page. Its subject depends on the property, so it is not set yet. */
export function pageScope(page: Page): Scope {
  const entities = entitiesOf(readStructuredData(page));
  if (page.kind === 'text') {
    const content = lazy(() => contentOf(readTextLabelValues(page.markdown), []));
    const hints = { titles: [], urls: [page.url] };
    const knowledge = { entities, meta: () => [], hints, heading: undefined };
    return { element: undefined, subjects: () => [], content, prefix: '', page: knowledge };
  }
  const headings = [...page.document.querySelectorAll('h1')]
    .slice(0, maxHeadings)
    .map((heading) => labelText(heading));
  const meta = metaValuesOf(page);
  return {
    element: page.document.documentElement,
    subjects: () => [],
    content: lazyContent(page.root, true),
    prefix: '',
    page: {
      entities,
      meta,
      hints: hintsOf(page, headings, meta),
      heading: headings.length === 1 ? headings[0] : undefined,
    },
  };
}

const maxHeadings = 100; // one is the subject, several are sections: a hundred are enough to decide

/** A page for selectors only. */
export function selectorScope(html: DomElement): Scope {
  const hints = { titles: [], urls: [] };
  const page = { entities: [], meta: () => [], hints, heading: undefined };
  return { ...nothing, element: html, page };
}

/** An element that a selector matched. */
export function elementScope(element: DomElement, baseUrl: string): Scope {
  return {
    element,
    subjects: lazy(() => itemsIn(element, baseUrl)),
    content: lazyContent(element),
    prefix: '',
    page: undefined,
  };
}

/** An entity that is a property's value or a list's entry. */
export function entityScope(entity: Entity): Scope {
  return { ...nothing, subjects: () => [entity] };
}

/** A row of a table, with its headers as labels. */
export function rowScope(table: DataTable, row: DataTable['rows'][number]): Scope {
  const content = lazy(() =>
    contentOf(
      row.flatMap((cell, x): LabelValues[] => {
        const label = table.headers[x] ?? '';
        if (cell === undefined || label === '') return [];
        return [{ label, source: 'table', values: [{ element: cell }], isList: false }];
      }),
      [],
    ),
  );
  return { ...nothing, content };
}

const nothing: Scope = {
  element: undefined,
  subjects: () => [],
  content: () => contentOf([], []),
  prefix: '',
  page: undefined,
};

/** Leaves out side content of a page; a selected element is read whole. */
function lazyContent(root: DomElement, isPage = false): () => ScopeContent {
  return lazy(() => {
    const tables = readTables(root);
    const isSide = isPage ? sideContent(root) : undefined;
    const classes = lazy(() => {
      const labelValues = [...classLabelValues(root, isSide ?? notSide, !isPage)];
      return labelIndex(labelValues, (pair) => pair.label);
    });
    return {
      ...contentOf(readLabelValues(root, tables, isSide), tables),
      classes: (name, schema) => classes()(name, schema),
      isSide: isSide ?? notSide,
      amounts: once((language) => amountsIn(root, isSide ?? notSide, language)),
      size: lazy(() => countNodes(root)),
    };
  });
}

function contentOf(
  labelValues: readonly LabelValues[],
  tables: readonly DataTable[],
): ScopeContent {
  const find = labelIndex(labelValues, (pair) => pair.label);
  return {
    labelValues,
    find,
    tables,
    classes: () => [],
    isSide: notSide,
    amounts: () => [],
    size: () => 0,
  };
}

function notSide(): boolean {
  return false;
}

/** The item that the element is, or else the first item in it. */
function itemsIn(element: DomElement, baseUrl: string): Entity[] {
  const item = element.hasAttribute('itemscope') ? element : element.querySelector('[itemscope]');
  if (item === null) return [];
  const microdata = readMicrodata(item, baseUrl).slice(0, 1);
  return entitiesOf({ jsonLd: [], microdata, rdfa: [] });
}

function hintsOf(page: HtmlPage, headings: readonly string[], meta: MetaValues): PageHints {
  const canonical = page.document.querySelector('link[rel="canonical"]')?.getAttribute('href');
  const urls = [page.url, ...(canonical === null || canonical === undefined ? [] : [canonical])];
  const titles = [...headings, ...meta('title').flat()].map(fold).filter((title) => title !== '');
  return {
    titles,
    urls: urls
      .filter((url) => canParseUrl(url, page.baseUrl))
      .map((url) => new URL(url, page.baseUrl).href.replace(/#.*$/, '')),
  };
}

/** A subtree with more nodes is a page, not a record. */
export const maxRecordNodes = 1000;

function countNodes(root: DomElement): number {
  let count = 0;
  for (let node = root.firstChild; node !== null; node = nextNode(node, root)) {
    if ((count += 1) > maxRecordNodes) break;
  }
  return count;
}

/** Calls `make` once: a page has one language, so the first result holds. */
function once<A, T>(make: (argument: A) => T): (argument: A) => T {
  let made: { readonly value: T } | undefined;
  return (argument) => (made ??= { value: make(argument) }).value;
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

// OpenGraph, article, product and other meta tags by their meaning.

/** Finds meta tags with the meaning of a property name; one group for each vocabulary, best first. */
type MetaValues = (name: string) => readonly (readonly string[])[];

/** The vocabularies, the most trusted first; `` is a plain `<meta name="author">`. */
const ranks = [
  'og',
  'article',
  'product',
  'book',
  'profile',
  'citation',
  'dc',
  'dcterms',
  '',
  'twitter',
];

/** Meta tags about the page's presentation, not its subject. */
const ignored =
  /^(viewport|generator|robots|googlebot|theme-color|format-detection|referrer)$|^(fb|al|msapplication|apple)[:-]/;

/** Indexes the page's meta tags. */
function metaValuesOf(page: HtmlPage): MetaValues {
  const byMeaning = new Map<string, Map<number, string[]>>();
  const add = (key: string, rank: number, content: string): void => {
    const meaning = canonical(fold(key));
    const byRank = getOrInsert(byMeaning, meaning, () => new Map<number, string[]>());
    getOrInsert(byRank, rank, () => []).push(content);
  };
  const tags = readMetaTags(page.document).filter(({ name }) => !ignored.test(name));
  for (const { name, content } of tags) {
    const { rank, key } = split(name);
    if (rank !== -1) add(key, rank, content);
  }
  for (const [label, content] of twitterLabels(tags)) add(label, ranks.indexOf('twitter'), content);
  const language = page.document.documentElement.getAttribute('lang')?.trim() ?? '';
  if (language !== '') add('language', ranks.length, language);
  return (name) => {
    const meaning = canonical(fold(name));
    // Pages have titles, entities have names.
    const found =
      byMeaning.get(meaning) ?? (meaning === 'name' ? byMeaning.get('headline') : undefined);
    return [...(found ?? [])].sort(([a], [b]) => a - b).map(([, values]) => values);
  };
}

/** `twitter:label1` is the label of `twitter:data1`. */
function twitterLabels(tags: readonly MetaTag[]): [label: string, content: string][] {
  const contents = new Map(tags.map(({ name, content }) => [name, content]));
  return ['1', '2'].flatMap((number): [string, string][] => {
    const label = contents.get(`twitter:label${number}`);
    const content = contents.get(`twitter:data${number}`);
    return label === undefined || content === undefined ? [] : [[label, content]];
  });
}

function split(name: string): { rank: number; key: string } {
  const match = /^([a-z]+)[:._](.+)$/.exec(name);
  const prefix = match?.[1] ?? '';
  if (match === null || !ranks.includes(prefix)) return { rank: ranks.indexOf(''), key: name };
  // `og:image:width` is about the image; a price's parts are about the product.
  const key = match[2] ?? '';
  if (prefix === 'og' && /^(image|video|audio):/.test(key)) return { rank: -1, key };
  return { rank: ranks.indexOf(prefix), key: key.replace(/^(price):/, '$1 ') };
}
