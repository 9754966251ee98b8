/** Reads the product of a page from all of the page's sources. */
import type { HtmlPage, Page } from '../../core/model/page.ts';
import { urlOf } from '../../core/url/normalize-url.ts';
import { labelText } from '../facts/element-text.ts';
import { entitiesOf, type Entity } from '../facts/entities.ts';
import type { OpenGraph } from '../facts/meta-tags.ts';
import { fold } from '../facts/property-names.ts';
import { readStructuredData } from '../facts/structured-data.ts';
import { chooseProduct, type ChosenProduct, type ProductHints } from './choose-product.ts';
import { combineFacts } from './combine-facts.ts';
import { factsOfEntity } from './entity-facts.ts';
import { entitiesIn, lineOf, nameIn, rawText, urlIn } from './entity-text.ts';
import { factsOfMarkup, type VisibleProduct } from './markup-facts.ts';
import { hasPrice } from './offer-terms.ts';
import { factsOfOpenGraph, isProductPage } from './open-graph-facts.ts';
import { maxVariants, type PageContext, type Product, type ProductFacts } from './product.ts';
import { compact } from '../../core/runtime/compact.ts';
import { factsOfShopify, factsOfWooCommerce } from './shop-facts.ts';

/** `null`, with a warning, for a page that is not about a product. */
export function readProduct(page: Page): Product | null {
  const context = contextOf(page);
  const { openGraph, ...described } = readStructuredData(page);
  const entities = entitiesOf(described);
  const headings = page.kind === 'html' ? headingsOf(page) : [];
  const { hints, url } = hintsOf(page, openGraph, headings);
  const chosen = chooseProduct(entities, hints);
  const facts = factsOfAll(page, { chosen, entities }, openGraph, hints, context);
  const title = titleOf(facts, headings);
  if (title === undefined) {
    context.warn(
      chosen.kind === 'none' && chosen.listed > 1
        ? `product: the page lists ${chosen.listed} products and is about none of them.`
        : 'product: the page describes no product.',
    );
    return null;
  }
  return combineFacts(facts, title, url, categoryOf(entities, title, context));
}

function contextOf(page: Page): PageContext {
  const language =
    page.kind === 'html' ? page.document.documentElement.getAttribute('lang')?.trim() : undefined;
  return {
    baseUrl: page.baseUrl,
    language: language === '' ? undefined : language?.slice(0, 35),
    warn: (message) => {
      if (!page.warnings.includes(message)) page.warnings.push(message);
    },
    left: { variants: 2 * maxVariants },
    known: { terms: new Map(), pairs: new Map() },
  };
}

/** Most trusted source first. Sources that only complete a product are skipped without one. */
function factsOfAll(
  page: Page,
  { chosen, entities }: { readonly chosen: ChosenProduct; readonly entities: readonly Entity[] },
  openGraph: OpenGraph,
  hints: ProductHints,
  context: PageContext,
): ProductFacts[] {
  const described = chosen.kind === 'one' ? describedFacts(chosen, context) : [];
  if (page.kind === 'text') return described;
  const shopify = factsOfShopify(page.document, hints, context);
  const visible = factsOfMarkup(page, hints, context);
  const isSold = shopify !== undefined || visible?.isSold === true || isProductPage(openGraph);
  const article = articleOf(entities, openGraph);
  if (!isSold && isAside(chosen, article)) return [];
  const facts = [...described, ...(shopify === undefined ? [] : [shopify])];
  if (isProductPage(openGraph)) facts.push(factsOfOpenGraph(openGraph, context));
  if (
    visible !== undefined &&
    (facts.length > 0 || isAboutVisible(visible, chosen, article, page.url))
  ) {
    const known = isNeeded(visible.facts, facts, context)
      ? visible.facts
      : withoutPrice(visible.facts);
    if (known === visible.facts || completes(known, facts)) facts.push(known);
  }
  if (facts.length === 0) return [];
  const variations = factsOfWooCommerce(page.document, context);
  if (variations !== undefined) facts.push(variations);
  // Shops without product meta tags still have tags for sharing.
  if (!isProductPage(openGraph)) facts.push(...sharedFacts(openGraph, facts, context));
  return facts;
}

/** The markup that declares the page an article, if any. */
function articleOf(
  entities: readonly Entity[],
  openGraph: OpenGraph,
): 'entity' | 'openGraph' | undefined {
  const isArticle = entities.some(({ types }) =>
    types.some((type) => type === 'blogposting' || type.endsWith('article')),
  );
  if (isArticle) return 'entity';
  return openGraph['type'] === 'article' ? 'openGraph' : undefined;
}

/**
 * True for a product that is not the article's subject: rating systems describe each article as a product, in
 * hidden microdata or without an offer.
 */
function isAside(chosen: ChosenProduct, article: ReturnType<typeof articleOf>): boolean {
  if (article === undefined || chosen.kind !== 'one') return false;
  const [candidate] = chosen.candidates;
  if (candidate === undefined || candidate.isMainEntity) return false;
  if (candidate.entities.every(({ source }) => source !== 'json-ld')) return true;
  const described = [...candidate.entities, ...candidate.forms];
  const isOffered =
    candidate.wrappers.length > 0 || described.some((entity) => entity.get('offers').length > 0);
  return article === 'entity' && !isOffered;
}

/**
 * True if a page without product markup is about the visible product: it has a buy button or marks the price,
 * or its price is named so, or its URL is a product's.
 */
function isAboutVisible(
  { facts, isSold, isNamed }: VisibleProduct,
  chosen: ChosenProduct,
  article: ReturnType<typeof articleOf>,
  url: string,
): boolean {
  if (chosen.kind === 'none' && chosen.listed > 1) return false;
  if (isSold) return article !== 'entity';
  if (article !== undefined || facts.terms.price === undefined) return false;
  const { pathname } = new URL(url);
  return pathname !== '/' && (isNamed || productPath.test(pathname));
}

const productPath = /\/(?:products?|p|pdp|dp|itm|items?|sku)\//;

/** The facts except for the price. */
function withoutPrice({ terms: { availability }, ...facts }: ProductFacts): ProductFacts {
  return { ...facts, terms: compact({ availability }) };
}

/** True if one of the facts is in no other source. */
function completes(
  { brand, sku, rating, terms }: ProductFacts,
  known: readonly ProductFacts[],
): boolean {
  const isNew = (value: unknown, read: (facts: ProductFacts) => unknown): boolean =>
    value !== undefined && known.every((facts) => read(facts) === undefined);
  return (
    isNew(brand, (facts) => facts.brand) ||
    isNew(sku, (facts) => facts.sku) ||
    isNew(rating, (facts) => facts.rating) ||
    isNew(terms.availability, (facts) => facts.terms.availability)
  );
}

/** True if no other source has a price, or for the former price; warns if the page displays another price. */
function isNeeded(
  visible: ProductFacts,
  known: readonly ProductFacts[],
  context: PageContext,
): boolean {
  const terms = known.map((facts) => facts.terms).find(hasPrice);
  if (terms === undefined) return true;
  const { price, originalPrice, currency } = visible.terms;
  const low = terms.price ?? terms.lowPrice ?? 0;
  const high = terms.price ?? terms.highPrice ?? Infinity;
  if (price === undefined || (currency ?? terms.currency) !== terms.currency) return false;
  if (low > 0 && (price < low || price > high)) {
    context.warn(
      `product: the page shows ${price} beside its button to buy, its structured data says ${low}.`,
    );
  }
  return low === 0 || (price === terms.price && originalPrice !== undefined);
}

function describedFacts(
  { candidates }: Extract<ChosenProduct, { kind: 'one' }>,
  context: PageContext,
): ProductFacts[] {
  return candidates.flatMap(({ entities, forms, wrappers }) =>
    entities.map((entity: Entity, index) =>
      factsOfEntity(entity, index === 0 ? forms : [], index === 0 ? wrappers : [], context),
    ),
  );
}

/** Picture and description, if no other source has them. */
function sharedFacts(
  openGraph: OpenGraph,
  known: readonly ProductFacts[],
  context: PageContext,
): ProductFacts[] {
  const { images, description } = factsOfOpenGraph(openGraph, context);
  const wanted = {
    images: known.some((facts) => facts.images.length > 0) ? [] : images,
    ...(description === undefined || known.some((facts) => facts.description !== undefined)
      ? {}
      : { description }),
  };
  if (wanted.images.length === 0 && wanted.description === undefined) return [];
  return [{ source: 'openGraph', terms: {}, attributes: {}, variants: [], ...wanted }];
}

/** The heading, if only the sharing tag has the name, followed by the shop's name. */
function titleOf(facts: readonly ProductFacts[], headings: readonly string[]): string | undefined {
  const [first] = facts;
  if (first === undefined) return undefined;
  const named = facts.find(({ title }) => title !== undefined);
  const [heading, another] = headings;
  if (heading === undefined || another !== undefined || fold(heading) === '') return named?.title;
  if (named?.title === undefined) return heading;
  const isShared = named.source === 'openGraph' && fold(named.title).includes(fold(heading));
  return isShared ? heading : named.title;
}

const maxHeadings = 100; // one is the subject, several are sections: a hundred are enough to decide

function headingsOf({ document }: HtmlPage): string[] {
  const headings = [...document.querySelectorAll('h1')].slice(0, maxHeadings);
  return headings.map((heading) => labelText(heading).slice(0, 300)).filter(Boolean);
}

function hintsOf(
  page: Page,
  openGraph: OpenGraph,
  headings: readonly string[],
): { readonly hints: ProductHints; readonly url: string } {
  const document = page.kind === 'html' ? page.document : undefined;
  const link = document?.querySelector('link[rel="canonical"]')?.getAttribute('href') ?? '';
  const canonical = absolute(link, page.baseUrl);
  const titles = [openGraph['title'], document?.querySelector('title')?.textContent];
  return {
    hints: {
      headings: headings.map(fold),
      titles: titles.flatMap((title) =>
        typeof title === 'string' ? fold(title.slice(0, 300)) : [],
      ),
      urls: [page.url, ...(canonical === undefined ? [] : [canonical])].map((url) =>
        url.replace(/#.*$/, ''),
      ),
    },
    url: canonical ?? page.url,
  };
}

function absolute(link: string, baseUrl: string): string | undefined {
  const url = link.trim() === '' ? undefined : urlOf(link, baseUrl);
  return /^https?:$/.test(url?.protocol ?? '') ? url?.href : undefined;
}

// The category of a product from the breadcrumb of its page.

/** The names between the home page and the product, separated by ` > `. */
export function categoryOf(
  entities: readonly Entity[],
  title: string,
  context: PageContext,
): string | undefined {
  const lists = entities.flatMap((entity) => [
    entity,
    ...entitiesIn(entity, 'breadcrumb').slice(0, 5),
  ]);
  const breadcrumb = lists.find((list) => list.types.includes('breadcrumblist'));
  if (breadcrumb === undefined) return undefined;
  const steps = entitiesIn(breadcrumb, 'itemlistelement')
    .slice(0, 20)
    .map((step, index) => readStep(step, index, context))
    .sort((a, b) => a.position - b.position);
  if (steps[0]?.isStart === true) steps.shift();
  const last = steps.at(-1);
  if (last?.name !== undefined && fold(last.name) === fold(title)) steps.pop();
  return steps.flatMap(({ name }) => name ?? []).join(' > ') || undefined;
}

interface Step {
  readonly name: string | undefined;
  readonly position: number;
  /** True for a link to the home page. */
  readonly isStart: boolean;
}

function readStep(step: Entity, index: number, { baseUrl }: PageContext): Step {
  const position = Number(rawText(step, 'position') ?? index + 1);
  const url = urlIn(step, baseUrl, 'item', 'url');
  return {
    name: lineOf(step, 'name') ?? nameIn(step, 'item'),
    position: Number.isFinite(position) ? position : index + 1,
    // Shops in several languages have a home page for each: `/de/`.
    isStart: url !== undefined && /^\/(?:[a-z]{2}(?:-[a-z]{2})?\/?)?$/i.test(new URL(url).pathname),
  };
}
