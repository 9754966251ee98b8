/** An entity where the schema wants a plain value: the name of a brand, the amount of money. */
import { parseHtml } from '../../html/parse.ts';
import { textLines } from '../structured-data/element-text.ts';
import { type Entity, type EntityValue, isEntity } from './entities.ts';
import type { Shape } from './json-schema.ts';

/** Texts and numbers that stand for the value, best first. */
export function plainForms(value: EntityValue, shape: Shape): (string | number | boolean)[] {
  if (!isEntity(value)) return typeof value === 'string' ? [textOf(value)] : [value];
  if (shape.kind === 'number' || shape.kind === 'integer') return numberForms(value);
  if (shape.kind === 'boolean') return values(value, ['value', 'name']);
  const isUrl = /^(uri|url|iri)/.test(shape.schema.format ?? '');
  if (isUrl) return values(value, ['url', 'contenturl', 'item', '@id', 'embedurl', 'urltemplate']);
  return textForms(value);
}

/** Money in an amount in a salary: entities in entities beyond this are loops. */
const maxNesting = 4;
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
    // Too large or too deep to be a value: as it is.
    return value;
  }
}
