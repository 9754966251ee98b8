/** Lists inside lists: the steps of a HowToSection, the entries of an ItemList. */
import { type EntityValue, isEntity } from './entities.ts';

const maxDepth = 3;

/** The entries of list entities in their order, each as the thing it stands for. */
export function expandLists(values: readonly EntityValue[], depth = 0): EntityValue[] {
  return values.flatMap((value) => {
    if (!isEntity(value)) return [value];
    const entries = value.get('itemlistelement');
    if (entries.length > 0 && depth < maxDepth) return expandLists(inOrder(entries), depth + 1);
    const [inner] = value.types.includes('listitem') ? value.get('item') : [];
    // An item that is only an address (`{ "@id": … }`) leaves the name to the entry.
    const isThing = inner !== undefined && isEntity(inner) && inner.types.length > 0;
    return isThing ? [inner] : [value];
  });
}

function inOrder(entries: readonly EntityValue[]): EntityValue[] {
  const placed = entries.map((entry) => ({
    entry,
    place: isEntity(entry) ? Number(entry.get('position')[0] ?? Number.NaN) : Number.NaN,
  }));
  if (placed.some(({ place }) => !Number.isFinite(place))) return [...entries];
  return placed.sort((a, b) => a.place - b.place).map(({ entry }) => entry);
}
