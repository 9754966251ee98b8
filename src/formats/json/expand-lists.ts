/** Lists inside lists: the steps of a HowToSection, the entries of an ItemList. */
import { type Entity, type EntityValue, isEntity } from './entities.ts';

const maxDepth = 3;
/** A list may refer to itself in each of its entries. */
const maxEntries = 20_000;

/** The entries of list entities in their order, each as the thing it stands for. */
export function expandLists(values: readonly EntityValue[], depth = 0): EntityValue[] {
  const all: EntityValue[] = [];
  for (const value of values) {
    if (all.length >= maxEntries) break;
    const entries = isEntity(value) && depth < maxDepth ? value.get('itemlistelement') : [];
    if (entries.length === 0) all.push(isEntity(value) ? thingOf(value) : value);
    else for (const inner of expandLists(inOrder(entries), depth + 1)) all.push(inner);
  }
  return all;
}

/** An item that is only an address (`{ "@id": … }`) leaves the name to the entry. */
function thingOf(entry: Entity): Entity {
  const [inner] = entry.types.includes('listitem') ? entry.get('item') : [];
  return inner !== undefined && isEntity(inner) && inner.types.length > 0 ? inner : entry;
}

function inOrder(entries: readonly EntityValue[]): EntityValue[] {
  const placed = entries.map((entry) => ({
    entry,
    place: isEntity(entry) ? Number(entry.get('position')[0] ?? Number.NaN) : Number.NaN,
  }));
  if (placed.some(({ place }) => !Number.isFinite(place))) return [...entries];
  return placed.sort((a, b) => a.place - b.place).map(({ entry }) => entry);
}
