/** What a property's value is looked for in: the page, an element, an entity or a table row. */
import type { DomElement } from '../../html/dom.ts';
import { nextNode } from '../../html/nodes.ts';
import type { HtmlPage, Page } from '../../model/page.ts';
import { labelText } from '../structured-data/element-text.ts';
import { readStructuredData } from '../structured-data/read-structured-data.ts';
import { readMicrodata } from '../structured-data/microdata.ts';
import { type Amount, amountsIn } from './amounts.ts';
import { classPairs } from './class-names.ts';
import { type DataTable, readTables } from './data-tables.ts';
import { entitiesOf, type Entity } from './entities.ts';
import type { PageHints } from './main-entity.ts';
import { type LabelIndex, labelIndex } from './match-label.ts';
import { type MetaValues, metaValuesOf } from './meta-values.ts';
import { fold } from './names.ts';
import type { Pair } from './pair.ts';
import { readPairs, readTextPairs } from './pairs.ts';
import { type IsSide, sideContent } from './side-content.ts';
import { canParseUrl } from '../../url/can-parse-url.ts';

/** Everything that can be asked. Costly parts are functions and made on first use. */
export interface Scope {
  /** What selectors look in; undefined where there is no element, as in an entity. */
  readonly element: DomElement | undefined;
  /** The thing that the properties belong to, in all its descriptions, best first. */
  readonly subjects: () => readonly Entity[];
  readonly content: () => Content;
  /** The name of the object whose members are looked for here: `price` for `price.currency`. */
  readonly prefix: string;
  /** What is known of the page as a whole; undefined below it. */
  readonly page: PageKnowledge | undefined;
}

/** Labels and tables. */
export interface Content {
  readonly pairs: readonly Pair[];
  readonly find: LabelIndex<Pair>;
  readonly tables: readonly DataTable[];
  /** By class names; fewer of them where the whole page is asked. */
  readonly classes: LabelIndex<Pair>;
  readonly isSide: IsSide;
  readonly amounts: (language: string | undefined) => readonly Amount[];
  /** Nodes, as far as they were counted: what reading it costs. */
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

/** The whole page. Its subject depends on what is asked, so it has none yet. */
export function pageScope(page: Page): Scope {
  const entities = entitiesOf(readStructuredData(page));
  if (page.kind === 'text') {
    const content = lazy(() => contentOf(readTextPairs(page.markdown), []));
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

/** One is the subject, several are parts: a hundred tell that as well as all. */
const maxHeadings = 100;

/** A page of which nothing but selectors is asked. */
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

/** An entity that is the value of a property or an entry of a list. */
export function entityScope(entity: Entity): Scope {
  return { ...nothing, subjects: () => [entity] };
}

/** A row of a table: its headers are the labels. */
export function rowScope(table: DataTable, row: DataTable['rows'][number]): Scope {
  const content = lazy(() =>
    contentOf(
      row.flatMap((cell, x): Pair[] => {
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

/** Of a page, what is about other things is left aside; an element that was chosen is taken whole. */
function lazyContent(root: DomElement, isPage = false): () => Content {
  return lazy(() => {
    const tables = readTables(root);
    const isSide = isPage ? sideContent(root) : undefined;
    const classes = lazy(() => {
      const pairs = [...classPairs(root, isSide ?? notSide, !isPage)];
      return labelIndex(pairs, (pair) => pair.label);
    });
    return {
      ...contentOf(readPairs(root, tables, isSide), tables),
      classes: (name, schema) => classes()(name, schema),
      isSide: isSide ?? notSide,
      amounts: once((language) => amountsIn(root, isSide ?? notSide, language)),
      size: lazy(() => countNodes(root)),
    };
  });
}

function contentOf(pairs: readonly Pair[], tables: readonly DataTable[]): Content {
  const find = labelIndex(pairs, (pair) => pair.label);
  return {
    pairs,
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

/** The item that the element is, or else the first one in it. */
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

/** More nodes than this are no record but a page. */
export const maxRecordNodes = 1000;

function countNodes(root: DomElement): number {
  let count = 0;
  for (let node = root.firstChild; node !== null; node = nextNode(node, root)) {
    if ((count += 1) > maxRecordNodes) break;
  }
  return count;
}

/** A page has one language: the first answer is the answer. */
function once<A, T>(make: (argument: A) => T): (argument: A) => T {
  let made: { readonly value: T } | undefined;
  return (argument) => (made ??= { value: make(argument) }).value;
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
