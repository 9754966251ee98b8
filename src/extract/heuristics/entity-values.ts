/** Looks up a property of an entity by name, through synonyms and details, and returns plain forms of its value. */
import { parseHtml } from '../../content/html/parse.ts';
import { textLines } from '../facts/element-text.ts';
import {
  type Entity,
  type EntityValue,
  familyNamed,
  familyOf,
  isEntity,
  valuesAt,
} from '../facts/entities.ts';
import { fold, singular, wordsOf } from '../facts/property-names.ts';
import type { Shape } from '../schema/json-schema.ts';
import { unitWords } from '../values/numbers.ts';
import { canonical, synonymPaths } from './synonyms.ts';

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

/** Names whose meaning differs on every entity: never looked up in details. */
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

/** Values for a property name in groups, best first; no group is empty. */
export function* lookUpProperty(
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

// Plain values of an entity: the name of a brand, the amount of money.

/** Texts and numbers that represent the value, best first. */
export function plainForms(value: EntityValue, shape: Shape): (string | number | boolean)[] {
  if (!isEntity(value)) return typeof value === 'string' ? [textOf(value)] : [value];
  if (shape.kind === 'number' || shape.kind === 'integer') return numberForms(value);
  if (shape.kind === 'boolean') return values(value, ['value', 'name']);
  const isUrl = /^(uri|url|iri)/.test(shape.schema.format ?? '');
  if (isUrl) return values(value, ['url', 'contenturl', 'item', '@id', 'embedurl', 'urltemplate']);
  return textForms(value);
}

const maxNesting = 4; // a salary holds an amount that holds money: deeper nesting is a loop
const maxInner = 10;

function numberForms(entity: Entity, depth = 0): (string | number | boolean)[] {
  if (depth > maxNesting) return [];
  const [unit] = values(entity, ['unittext', 'unitcode']);
  const amounts = values(entity, ['value', 'ratingvalue', 'price', 'amount']);
  const inner = entity
    .get('value')
    .filter(isEntity)
    .slice(0, maxInner)
    .flatMap((one) => numberForms(one, depth + 1));
  return [...amounts, ...inner].map((amount) =>
    unit === undefined ? amount : `${String(amount)} ${String(unit)}`,
  );
}

/** Properties that hold an entity's text, by its type. */
const textKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['imageobject', ['contenturl', 'url', '@id']],
  ['videoobject', ['contenturl', 'embedurl', 'url', 'name']],
  ['howtostep', ['text', 'name']],
  ['howtodirection', ['text', 'name']],
  ['comment', ['text']],
  ['answer', ['text']],
  ['review', ['reviewbody', 'description', 'name']],
  ['propertyvalue', ['value']],
  ['webpage', ['@id', 'url']],
]);

function textForms(entity: Entity, depth = 0): (string | number | boolean)[] {
  if (depth > maxNesting) return [];
  const [type = ''] = entity.types;
  if (type === 'postaladdress') return addressLine(entity);
  if (type === 'quantitativevalue' || type === 'monetaryamount') return amountLine(entity);
  const keys = textKeys.get(type) ?? ['name', 'headline', 'legalname', 'title', 'text', 'value'];
  const texts = values(entity, keys);
  if (texts.length > 0) return texts;
  return entity
    .get('address')
    .slice(0, maxInner)
    .flatMap((value) => (isEntity(value) ? textForms(value, depth + 1) : [value]));
}

/** The parts in the order of a postal address. */
function addressLine(entity: Entity): string[] {
  const parts = [
    'streetaddress',
    'addresslocality',
    'addressregion',
    'postalcode',
    'addresscountry',
  ]
    .flatMap((key) => entity.get(key).slice(0, 1))
    .flatMap((part) => (isEntity(part) ? values(part, ['name']).slice(0, 1) : [part]));
  return parts.length === 0 ? [] : [parts.join(', ')];
}

function amountLine(entity: Entity): string[] {
  const [amount] = numberForms(entity);
  const [currency] = values(entity, ['currency']);
  if (amount === undefined) return [];
  return [currency === undefined ? String(amount) : `${String(amount)} ${String(currency)}`];
}

function values(entity: Entity, keys: readonly string[]): (string | number | boolean)[] {
  const plain: (string | number | boolean)[] = [];
  for (const value of keys.flatMap((key) => entity.get(key))) {
    if (!isEntity(value)) plain.push(typeof value === 'string' ? textOf(value) : value);
  }
  return plain;
}

const markup =
  /&(?:#\d|#x[\da-f]|[a-z]{2,8}\d?;)|<\/?(?:p|br|wbr|div|ul|ol|li|h[1-6]|span|strong|em|b|i|u|a)\b/i;

/** JSON-LD is often written with the page's markup: `Tom &amp; Jerry`, `<p>Text</p>`. */
function textOf(value: string): string {
  if (!markup.test(value)) return value;
  try {
    const { body } = parseHtml(`<body>${value}`, { nodes: 10_000, depth: 100 });
    return textLines(body).join('\n');
  } catch {
    // The text is too large or too deep to be a value: returned as it is.
    return value;
  }
}
