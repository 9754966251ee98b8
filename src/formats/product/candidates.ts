/** The products among the things that a page describes, the variants of one product taken together. */
import type { Entity } from '../json/entities.ts';
import { fold } from '../json/names.ts';
import { entitiesIn, lineOf } from './entity-text.ts';

/** A product that the page may be about. */
export interface Candidate {
  /** Folded; `` where it has none. */
  readonly name: string;
  /** Its descriptions, best first: of a variant with a page of its own the variant, then the group. */
  readonly entities: readonly Entity[];
  /** Its variants, where they are described beside it. */
  readonly forms: readonly Entity[];
  /** Offers that name it as what they offer. */
  readonly wrappers: readonly Entity[];
  /** The page says that it is what the page is about. */
  readonly isMainEntity: boolean;
}

const productTypes = new Set(
  (
    'product productgroup productmodel individualproduct someproducts vehicle car motorcycle ' +
    'motorizedbicycle busorcoach'
  ).split(' '),
);

/** Things of other kinds that are products where they are for sale. */
const soldTypes = new Set(
  'book softwareapplication mobileapplication webapplication videogame musicalbum dietarysupplement drug'.split(
    ' ',
  ),
);

/** More products, and more offers of one, are not weighed: a list. */
const maxCandidates = 1_000;

/** In document order. */
export function productCandidates(entities: readonly Entity[]): Candidate[] {
  const found = new Map<Entity, Found>();
  const add = (entity: Entity, facts: Partial<Found>): void => {
    if (!isProduct(entity) || found.size >= maxCandidates) return;
    const known = found.get(entity);
    if ((known?.wrappers.length ?? 0) >= maxCandidates) return;
    const wrappers = [...(known?.wrappers ?? []), ...(facts.wrappers ?? [])];
    const isMainEntity = known?.isMainEntity === true || facts.isMainEntity === true;
    found.set(entity, { wrappers, isMainEntity });
  };
  for (const entity of entities) {
    add(entity, {});
    for (const subject of entitiesIn(entity, 'mainentity')) add(subject, { isMainEntity: true });
    if (entity.types.includes('offer')) {
      for (const item of entitiesIn(entity, 'itemoffered')) {
        if (entitiesIn(item, 'offers').length === 0) add(item, { wrappers: [entity] });
      }
    }
  }
  return grouped(found);
}

interface Found {
  readonly wrappers: readonly Entity[];
  readonly isMainEntity: boolean;
}

/** Variants go to their group: to the one that lists them, or to the one that they name. */
function grouped(found: ReadonlyMap<Entity, Found>): Candidate[] {
  const products = [...found.keys()];
  const groups = new Map<Entity | string, Entity>();
  const listed = new Map<Entity, Entity>();
  for (const product of products) {
    const forms = entitiesIn(product, 'hasvariant');
    if (forms.length === 0 && !product.types.includes('productgroup')) continue;
    groups.set(keyOf(product), product);
    for (const form of forms) if (form !== product) listed.set(form, product);
  }
  const siblings = new Map<Entity | string, Entity[]>();
  const isGroup = new Set(groups.values());
  const groupOf = (product: Entity): Entity | string | undefined => {
    // Groups in groups are loops.
    if (isGroup.has(product)) return undefined;
    const owner = listed.get(product);
    if (owner !== undefined) return keyOf(owner);
    const [named] = entitiesIn(product, 'isvariantof');
    if (named !== undefined && named !== product) return keyOf(named);
    return lineOf(product, 'inproductgroupwithid');
  };
  for (const product of products) {
    const key = groupOf(product);
    if (key === undefined) continue;
    const list = siblings.get(key) ?? [];
    siblings.set(key, list);
    list.push(product);
  }
  return products.flatMap((product): Candidate[] => {
    const own = found.get(product) ?? { wrappers: [], isMainEntity: false };
    const alone = { forms: siblings.get(keyOf(product)) ?? [], ...own };
    const key = groupOf(product);
    if (key === undefined) return [{ ...alone, name: foldedName(product), entities: [product] }];
    // The group is there itself: it has this one among its forms.
    if (groups.has(key) && groups.get(key) !== product) return [];
    const [group] = entitiesIn(product, 'isvariantof');
    const [first, ...others] = siblings.get(key) ?? [];
    if (others.length === 0) {
      const entities = group === undefined ? [product] : [product, group];
      return [{ ...own, forms: [], name: foldedName(product), entities }];
    }
    if (first !== product) return [];
    const entities = [group ?? product];
    return [{ ...own, name: foldedName(group ?? product), entities, forms: [first, ...others] }];
  });
}

/** What a group is known by when it is named again. */
function keyOf(group: Entity): Entity | string {
  return lineOf(group, 'productgroupid', '@id') ?? group;
}

function isProduct(entity: Entity): boolean {
  if (entity.types.some((type) => productTypes.has(type))) return true;
  return entity.types.some((type) => soldTypes.has(type)) && entity.get('offers').length > 0;
}

/** A name in the form in which names are compared. */
function foldedName(entity: Entity): string {
  return fold(lineOf(entity, 'name', 'title')?.slice(0, 300) ?? '');
}
