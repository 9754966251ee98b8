/** Reads microdata: itemscope, itemtype, itemid, itemprop and itemref. */
import { absoluteUrl, attributeTokens, isSafeKey, propertyValue } from './element-text.ts';
import { type DomElement, type DomNode, isElement } from '../../content/html/dom.ts';

const limits = {
  items: 10_000,
  nesting: 100, // `itemref` can nest items deeper than the page's elements are
  visits: 2_000_000, // with `itemref` and nested properties, a small page can cause much work
  characters: 20_000_000, // and much text
};

/** An item with its properties, nested items included. */
export interface MicrodataItem {
  /** The tokens of `itemtype`: `https://schema.org/Product`. */
  type: string[];
  /** `itemid`, absolute. */
  id?: string;
  /** Values by name, in document order. The URL of a link or an image is absolute. */
  properties: Record<string, (string | MicrodataItem)[]>;
}

/**
 * The top-level items at and below `root`, by the HTML standard's section 5.2.5 ("Associating names
 * with items"). `root` itself counts as top-level even when it is a property of an outer item.
 * `mostVisits` bounds the nodes that are read, where a part of the items is enough.
 */
export function readMicrodata(
  root: DomElement,
  baseUrl: string,
  warn: (message: string) => void = () => undefined,
  mostVisits: number = limits.visits,
): MicrodataItem[] {
  const tops = root.hasAttribute('itemscope') ? [root] : [];
  for (const element of root.querySelectorAll('[itemscope]:not([itemprop])')) tops.push(element);
  const reader: Reader = {
    root,
    baseUrl,
    mostVisits,
    items: 0,
    visits: 0,
    characters: 0,
    index: undefined,
  };
  const items = tops.flatMap((element) => readItem(element, new Set(), 1, reader) ?? []);
  if (isExhausted(reader)) {
    warn(`structuredData: the page has more microdata than is read; ${reader.items} items were.`);
  }
  return items;
}

interface Reader {
  readonly root: DomElement;
  readonly baseUrl: string;
  readonly mostVisits: number;
  items: number;
  visits: number;
  characters: number;
  /** Created at the first `itemref`. */
  index: ElementIndex | undefined;
}

interface ElementIndex {
  readonly byId: ReadonlyMap<string, DomElement>;
  /** Position of each element in the document. */
  readonly order: ReadonlyMap<DomElement, number>;
}

function isExhausted(reader: Reader): boolean {
  return (
    reader.items >= limits.items ||
    reader.visits >= reader.mostVisits ||
    reader.characters >= limits.characters
  );
}

/**
 * `ancestors` are the items that contain this one as a value: a loop of `itemref` ends there. `copies`
 * is how often it occurs in the result: once for each name of its property.
 */
function readItem(
  element: DomElement,
  ancestors: ReadonlySet<DomElement>,
  copies: number,
  reader: Reader,
): MicrodataItem | undefined {
  if (isExhausted(reader) || ancestors.has(element) || ancestors.size >= limits.nesting) {
    return undefined;
  }
  reader.items += copies;
  const inside = new Set(ancestors).add(element);
  const id = element.getAttribute('itemid');
  const item: MicrodataItem = {
    type: attributeTokens(element.getAttribute('itemtype')),
    ...(id === null ? {} : { id: absoluteUrl(id, reader.baseUrl) }),
    properties: Object.create(null) as MicrodataItem['properties'],
  };
  for (const property of propertyElements(element, reader)) {
    const all = attributeTokens(property.getAttribute('itemprop')).filter(isSafeKey);
    // Copies of copies would double the result at each level.
    const names = copies > 1 && property.hasAttribute('itemscope') ? all.slice(0, 1) : all;
    const value = readValue(property, inside, copies * names.length, reader);
    if (value === undefined) continue;
    for (const name of names) {
      (item.properties[name] ??= []).push(value);
    }
  }
  return item;
}

function readValue(
  property: DomElement,
  ancestors: ReadonlySet<DomElement>,
  copies: number,
  reader: Reader,
): string | MicrodataItem | undefined {
  if (property.hasAttribute('itemscope')) return readItem(property, ancestors, copies, reader);
  if (isExhausted(reader)) return undefined;
  const value = propertyValue(property, reader.baseUrl, () => (reader.visits += 1));
  reader.characters += value.length * copies;
  // A single value that exceeds the limit, under very many names.
  return reader.characters > 2 * limits.characters ? undefined : value;
}

/** The elements with an `itemprop` that belong to the item, in document order. */
function propertyElements(item: DomElement, reader: Reader): DomElement[] {
  const found: DomElement[] = [];
  const seen = new Set<DomElement>([item]);
  if (item.firstChild !== null) collect([item.firstChild], undefined, found, seen, reader);
  const ids = attributeTokens(item.getAttribute('itemref'));
  if (ids.length === 0) return found;
  const { byId, order } = (reader.index ??= indexOf(reader.root));
  for (const id of ids) {
    const element = byId.get(id);
    if (element !== undefined) collect([element], element, found, seen, reader);
  }
  return found.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

/**
 * Walks in document order from the node in `pending`, with its following siblings unless it is
 * `alone`; does not enter nested items, which are properties.
 */
function collect(
  pending: DomNode[],
  alone: DomElement | undefined,
  found: DomElement[],
  seen: Set<DomElement>,
  reader: Reader,
): void {
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node !== alone && node.nextSibling !== null) pending.push(node.nextSibling);
    if (!isElement(node) || seen.has(node)) continue;
    seen.add(node);
    if (++reader.visits >= reader.mostVisits) return;
    if (node.hasAttribute('itemprop')) found.push(node);
    if (!node.hasAttribute('itemscope') && node.firstChild !== null) pending.push(node.firstChild);
  }
}

function indexOf(root: DomElement): ElementIndex {
  const byId = new Map<string, DomElement>();
  const order = new Map<DomElement, number>();
  for (const element of root.querySelectorAll('*')) {
    order.set(element, order.size);
    const { id } = element;
    if (id !== '' && !byId.has(id)) byId.set(id, element);
  }
  return { byId, order };
}
