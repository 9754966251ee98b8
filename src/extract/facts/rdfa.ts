/** Reads RDFa Lite: vocab, typeof, property, resource and prefix. */
import {
  absoluteUrl,
  attributeTokens,
  elementUrl,
  isSafeKey,
  propertyValue,
} from './element-text.ts';
import { type DomElement, type DomNode, isElement } from '../../content/html/dom.ts';

const limits = {
  items: 10_000,
  characters: 20_000_000,
  visits: 2_000_000, // nodes read for texts; nested properties share their nodes
  types: 100,
  prefixes: 1_000,
};

/** A resource that the page describes. */
export interface RdfaItem {
  /** Full IRIs: `https://schema.org/Product`. */
  type: string[];
  /** The resource's absolute IRI, when the page gives it. */
  resource?: string;
  /**
   * Values by name, in document order. A term of the current `vocab` is as written (`name`); a prefixed
   * term is a full IRI where its prefix is known (`http://purl.org/dc/terms/title`), else as written.
   */
  properties: Record<string, (string | RdfaItem)[]>;
}

/** Prefixes of the RDFa initial context (https://www.w3.org/2011/rdfa-context/rdfa-1.1) in wide use. */
const initialPrefixes: ReadonlyMap<string, string> = new Map([
  ['schema', 'http://schema.org/'],
  ['dc', 'http://purl.org/dc/terms/'],
  ['dcterms', 'http://purl.org/dc/terms/'],
  ['foaf', 'http://xmlns.com/foaf/0.1/'],
  ['gr', 'http://purl.org/goodrelations/v1#'],
  ['v', 'http://rdf.data-vocabulary.org/#'],
  ['vcard', 'http://www.w3.org/2006/vcard/ns#'],
  ['sioc', 'http://rdfs.org/sioc/ns#'],
  ['skos', 'http://www.w3.org/2004/02/skos/core#'],
  ['rdfs', 'http://www.w3.org/2000/01/rdf-schema#'],
]);

/** The state that applies below an element. */
interface Context {
  readonly vocab: string;
  readonly prefixes: ReadonlyMap<string, string>;
  /** The item that receives properties; undefined outside every item. */
  readonly subject: RdfaItem | undefined;
  /** How often the subject occurs in the result: once for each property that has it as a value. */
  readonly copies: number;
}

/**
 * The items below `root` that are not values of other items. Statements about the page as a whole
 * (`<meta property="og:title">`) belong to no item: see OpenGraph. `mostVisits` bounds the nodes that are
 * read for texts, where a part of the items is enough.
 */
export function readRdfa(
  root: DomElement,
  baseUrl: string,
  warn: (message: string) => void = () => undefined,
  mostVisits: number = limits.visits,
): RdfaItem[] {
  const reader: Reader = {
    baseUrl,
    mostVisits,
    tops: [],
    byResource: new Map(),
    items: 0,
    characters: 0,
    visits: 0,
  };
  const pending: { node: DomNode; context: Context }[] = [
    {
      node: root,
      context: { vocab: '', prefixes: initialPrefixes, subject: undefined, copies: 1 },
    },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, context } = next;
    if (node !== root && node.nextSibling !== null) {
      pending.push({ node: node.nextSibling, context });
    }
    if (!isElement(node)) continue;
    const inner = readElement(node, context, reader);
    if (isExhausted(reader)) {
      warn(`structuredData: the page has more RDFa than is read; ${reader.items} items were.`);
      break;
    }
    if (node.firstChild !== null) pending.push({ node: node.firstChild, context: inner });
  }
  return reader.tops;
}

interface Reader {
  readonly baseUrl: string;
  readonly mostVisits: number;
  readonly tops: RdfaItem[];
  /** Two elements with the same `resource` describe one item. */
  readonly byResource: Map<string, RdfaItem>;
  items: number;
  characters: number;
  visits: number;
}

function isExhausted({ items, characters, visits, mostVisits }: Reader): boolean {
  return items >= limits.items || characters >= limits.characters || visits >= mostVisits;
}

/** Applies the element's statements; the result holds for its children. */
function readElement(element: DomElement, outer: Context, reader: Reader): Context {
  const context = withDeclarations(element, outer);
  const properties = attributeTokens(element.getAttribute('property'));
  const types = element.hasAttribute('typeof')
    ? attributeTokens(element.getAttribute('typeof'))
    : undefined;
  if (types !== undefined) {
    const { item, isNew } = itemFor(element, reader);
    for (const type of types.slice(0, limits.types)) {
      if (item.type.length >= limits.types) break;
      const iri = expand(type, context, true);
      if (!item.type.includes(iri)) item.type.push(iri);
    }
    const isValue = properties.length > 0 && outer.subject !== undefined;
    // An item is inside at most one other item: a second statement about it gives its IRI, so there are no loops.
    if (!isValue) {
      if (isNew) reader.tops.push(item);
      return { ...context, subject: item, copies: 1 };
    }
    // Copies of copies would double the result at each level.
    const names = outer.copies > 1 ? properties.slice(0, 1) : properties;
    addValue(outer.subject, names, isNew ? item : (item.resource ?? ''), context);
    reader.items += names.length - 1;
    return { ...context, subject: item, copies: outer.copies * names.length };
  }
  if (properties.length === 0) {
    const about = resourceOf(element, reader.baseUrl);
    const known = about === undefined ? undefined : reader.byResource.get(about);
    return known === undefined ? context : { ...context, subject: known };
  }
  if (context.subject !== undefined) {
    const value = valueOf(element, reader);
    reader.characters += value.length * properties.length * context.copies;
    // A single value that exceeds the limit, under very many names.
    if (reader.characters > 2 * limits.characters) return context;
    addValue(context.subject, properties, value, context);
  }
  return context;
}

function withDeclarations(element: DomElement, outer: Context): Context {
  const vocab = element.getAttribute('vocab');
  const declared = element.getAttribute('prefix');
  if (vocab === null && declared === null) return outer;
  const prefixes = declared === null ? outer.prefixes : withPrefixes(outer.prefixes, declared);
  return { ...outer, vocab: vocab ?? outer.vocab, prefixes };
}

/** Reads `dc: http://purl.org/dc/terms/ ex: …`, up to a limit. */
function withPrefixes(known: Context['prefixes'], declared: string): Context['prefixes'] {
  const prefixes = new Map(known);
  const words = declared.slice(0, 100_000).split(/\s+/);
  for (let index = 0; index + 1 < words.length && prefixes.size < limits.prefixes; index += 1) {
    const [word = '', iri = ''] = words.slice(index, index + 2);
    const prefix = word.endsWith(':') ? word.slice(0, -1).split(':').at(-1) : '';
    if (!prefix || iri === '') continue;
    prefixes.set(prefix.toLowerCase(), iri);
    index += 1;
  }
  return prefixes;
}

function itemFor(element: DomElement, reader: Reader): { item: RdfaItem; isNew: boolean } {
  const resource = resourceOf(element, reader.baseUrl) ?? elementUrl(element, reader.baseUrl);
  const known = resource === undefined ? undefined : reader.byResource.get(resource);
  if (known !== undefined) return { item: known, isNew: false };
  const item: RdfaItem = {
    type: [],
    ...(resource === undefined ? {} : { resource }),
    properties: Object.create(null) as RdfaItem['properties'],
  };
  reader.items += 1;
  if (resource !== undefined) reader.byResource.set(resource, item);
  return { item, isNew: true };
}

/** `resource`, or `about`, which RDFa Core has for the same purpose. */
function resourceOf(element: DomElement, baseUrl: string): string | undefined {
  const resource = element.getAttribute('resource') ?? element.getAttribute('about');
  return resource === null ? undefined : absoluteUrl(resource, baseUrl);
}

/** RDFa Core 1.1, section 7.5, step 11: content, then a resource, then datetime, then the text. */
function valueOf(element: DomElement, reader: Reader): string {
  const { baseUrl } = reader;
  if (element.hasAttribute('content')) return element.getAttribute('content')?.trim() ?? '';
  const resource = element.getAttribute('resource');
  if (resource !== null) return absoluteUrl(resource, baseUrl);
  const machine = element.getAttribute('datetime')?.trim();
  return machine ?? propertyValue(element, baseUrl, () => (reader.visits += 1));
}

function addValue(
  subject: RdfaItem | undefined,
  names: readonly string[],
  value: string | RdfaItem,
  context: Context,
): void {
  if (subject === undefined) return;
  for (const name of names.map((one) => expand(one, context, false)).filter(isSafeKey)) {
    (subject.properties[name] ??= []).push(value);
  }
}

/** A term or `prefix:term` as an IRI; terms that name properties stay short. */
function expand(term: string, context: Context, withVocab: boolean): string {
  const colon = term.indexOf(':');
  if (colon === -1) return withVocab ? context.vocab + term : term;
  const iri = context.prefixes.get(term.slice(0, colon).toLowerCase());
  if (iri === undefined) return term;
  const name = term.slice(colon + 1);
  return !withVocab && iri === context.vocab ? name : iri + name;
}
