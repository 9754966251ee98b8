/** A property by its name on an entity, through synonyms, parts of names and details. */
import { type Entity, type EntityValue, isEntity, valuesAt } from './entities.ts';
import { familyNamed, familyOf } from './entity-types.ts';
import { canonical, synonymPaths } from './synonyms.ts';
import { fold, singular, wordsOf } from './names.ts';
import { unitWords } from './units.ts';

/** Sub-entities that only group facts about the entity itself. */
const details = [
  'offers',
  'aggregateRating',
  'nutrition',
  'address',
  'geo',
  'location.address',
  'jobLocation.address',
  'baseSalary',
  'baseSalary.value',
];

/** Names that mean something else on every entity: never looked up in details. */
const generic = new Set([
  'name',
  'title',
  'url',
  'description',
  'image',
  'id',
  'value',
  'text',
  'type',
]);

/** Values for a property name in groups, best first; none of the groups is empty. */
export function* lookup(
  entity: Entity,
  name: string,
): Generator<readonly EntityValue[], undefined, undefined> {
  for (const group of groupsOf(entity, name)) if (group.length > 0) yield group;
}

function* groupsOf(
  entity: Entity,
  name: string,
): Generator<readonly EntityValue[], undefined, undefined> {
  const folded = fold(name);
  for (const form of new Set([folded, singular(folded), `${folded}s`])) yield entity.get(form);
  for (const path of synonymPaths(folded)) yield valuesAt(entity, path);
  yield* byParts(entity, wordsOf(name));
  if (!generic.has(folded)) {
    for (const path of details) yield valuesAt(entity, `${path}.${folded}`);
  }
  yield additionalProperty(entity, folded);
}

/** `productName`: the name of a product; `brandName`: the brand's name; `weightKg`: the weight. */
function* byParts(
  entity: Entity,
  words: readonly string[],
): Generator<readonly EntityValue[], undefined, undefined> {
  for (let split = words.length - 1; split > 0; split -= 1) {
    const head = words.slice(0, split).join('');
    const tail = words.slice(split).join('');
    const tails = [tail, ...synonymPaths(tail)];
    if (familyNamed(head) === familyOf(entity)) {
      for (const path of tails) yield valuesAt(entity, path);
    }
    const isUnit = words.slice(split).every((word) => unitWords.has(word));
    for (const path of [head, ...synonymPaths(head)]) {
      const values = valuesAt(entity, path);
      for (const owner of values.filter(isEntity)) {
        for (const inner of tails) yield valuesAt(owner, inner);
      }
      if (isUnit) yield values;
    }
  }
}

/** schema.org's `additionalProperty`: a list of names with values. */
function additionalProperty(entity: Entity, folded: string): EntityValue[] {
  return entity
    .get('additionalproperty')
    .filter(isEntity)
    .filter((pair) => {
      const [label] = pair.get('name');
      return typeof label === 'string' && canonical(fold(label)) === canonical(folded);
    });
}
