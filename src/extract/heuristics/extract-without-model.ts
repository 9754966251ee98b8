/** Fills a schema from one page without a model: by selectors, structured data, labels and tables. */
import type { DomElement } from '../../content/html/dom.ts';
import type { HtmlPage, Page } from '../../core/model/page.ts';
import { familyNamed, isEntity } from '../facts/entities.ts';
import { fold, singular } from '../facts/property-names.ts';
import {
  isSchemaObject,
  itemsOf,
  type JsonSchema,
  type Shape,
  shapesOf,
} from '../schema/json-schema.ts';
import { contentOf, isSelected, transformsOf } from '../schema/selector-keywords.ts';
import { languageOf, textLocale } from '../values/dates.ts';
import { bestRecords, findRecords } from './records.ts';
import { coerce } from './coerce.ts';
import { lookUpProperty, plainForms } from './entity-values.ts';
import { fileValue, fillFromValue } from './fill-from-file.ts';
import { fillSelected } from './fill-selected.ts';
import { findList, findScalar } from './find-property.ts';
import { mainEntities } from './main-entity.ts';
import {
  accountOf,
  bestOf,
  combined,
  type ExtractionSource,
  type FillContext,
  type FillOutcome,
  foundAt,
  type InnerParts,
  missing,
  type SchemaPart,
  takeValue,
  targetOf,
} from './schema-part.ts';
import { entityScope, pageScope, type Scope, selectorScope } from './scope.ts';

const limits = {
  depth: 8, // objects without selectors nested deeper are not searched: a schema may recurse
  parts: 200_000, // a recursive schema on a hostile page would double the work at each level
  characters: 20_000_000, // nested elements and spanning cells repeat texts many times
};

/** The extraction of a page for a schema, before validation. */
export interface PageExtraction {
  /** The part of the data that was found; null for a missing value where the schema allows null. */
  readonly value: unknown;
  /** Paths of missing values: `price`, `offers[0].seller.name`. */
  readonly notFound: readonly string[];
  /** The source of each leaf, by path. */
  readonly sources: Readonly<Record<string, ExtractionSource>>;
  /** The selector that matched, by the path of its value; for an entry of a list, the list's selector. */
  readonly selectors?: Readonly<Record<string, string>>;
}

/** Reads the page by the schema; missing values are not made up. */
export function extractWithoutModel(page: Page, jsonSchema: JsonSchema): PageExtraction {
  return extractFrom(page, jsonSchema, pageScope(page));
}

/** The extraction by selectors alone below `html`, which is the page or a copy of it. */
export function extractSelected(
  page: HtmlPage,
  html: DomElement,
  jsonSchema: JsonSchema,
): PageExtraction {
  return extractFrom(page, jsonSchema, selectorScope(html));
}

function extractFrom(page: Page, jsonSchema: JsonSchema, scope: Scope): PageExtraction {
  const reading: FillContext = {
    shapeOf: shapesOf(jsonSchema),
    transformOf: transformsOf(),
    baseUrl: page.baseUrl,
    locale: textLocale(languageOf(page)),
    machine: textLocale('en'),
    budget: { parts: limits.parts, characters: limits.characters },
  };
  const file = fileValue(page);
  const outcome =
    file === undefined
      ? fill({ schema: jsonSchema, name: '', path: '', depth: 0 }, scope, reading)
      : fillFromValue(jsonSchema, file.value, reading);
  const { value, notFound } = outcome;
  return { value, notFound, ...accountOf(outcome) };
}

// The scopes of an object property: an entity, the page itself, labels that begin with its name.

/** Objects that only group properties of the entity itself; singular. */
const groupNames = new Set(
  (
    'data detail info information spec specification attribute feature parameter metadata meta ' +
    'result page overview summary fact technicaldata dimension measurement nutrition ' +
    'nutritionfact contact contactinfo contactdetail'
  ).split(' '),
);

const inside: InnerParts = { members: fillMembers, items: fillItems };

function fill(part: SchemaPart, scope: Scope, reading: FillContext): FillOutcome {
  const shape = reading.shapeOf(part.schema);
  const { budget } = reading;
  if (--budget.parts < 0 || budget.characters < 0) return missing(part.path, shape);
  if (isSelected(shape.schema) && part.depth <= limits.depth * 4) {
    return scope.element === undefined
      ? missing(part.path, shape)
      : fillSelected(part, shape, scope.element, scope, reading, inside);
  }
  const { const: constant } = shape.schema;
  // A constant is the only possible value, and no evidence about the page.
  if (constant !== undefined) return { value: constant, found: 0, notFound: [], sources: [] };
  if (part.depth > limits.depth) return missing(part.path, shape);
  switch (shape.kind) {
    case 'union':
      return fillUnion(part, shape, scope, reading);
    case 'object':
      return fillObject(part, shape, scope, reading);
    case 'array':
      return fillArray(part, shape, scope, reading);
    default: {
      const found = findScalar(nameIn(scope, part.name), shape, scope, reading);
      return found === undefined
        ? missing(part.path, shape)
        : takeValue(part.path, found.value, found.source, reading);
    }
  }
}

/** Plain types are looked up together; objects and arrays compete by the number of values found. */
function fillUnion(
  part: SchemaPart,
  shape: Shape,
  scope: Scope,
  reading: FillContext,
): FillOutcome {
  const isComplex = (schema: JsonSchema): boolean =>
    ['object', 'array', 'union'].includes(reading.shapeOf(schema).kind);
  const outcomes = shape.alternatives
    .filter(isComplex)
    .map((schema) => fill({ ...part, schema, depth: part.depth + 1 }, scope, reading));
  const best = bestOf(outcomes);
  if (best !== undefined && best.found > 0) return best;
  const plain = shape.alternatives.filter((schema) => !isComplex(schema));
  const found =
    plain.length === 0
      ? undefined
      : findScalar(nameIn(scope, part.name), { ...shape, alternatives: plain }, scope, reading);
  return found === undefined
    ? missing(part.path, shape)
    : takeValue(part.path, found.value, found.source, reading);
}

function fillObject(
  part: SchemaPart,
  shape: Shape,
  scope: Scope,
  reading: FillContext,
): FillOutcome {
  if (part.name === '' && scope.page !== undefined) {
    return fillMembers(part, shape, aboutPage(shape, scope), reading);
  }
  let last: FillOutcome | undefined;
  for (const inner of scopesOfObject(part.name, shape, scope)) {
    last = fillMembers(part, shape, inner, reading);
    if (last.found > 0) return last;
  }
  return shape.nullable || last === undefined ? missing(part.path, shape) : last;
}

function fillMembers(
  part: SchemaPart,
  shape: Shape,
  scope: Scope,
  reading: FillContext,
): FillOutcome {
  const open = openMembers(part, shape, scope, reading);
  if (open !== undefined) return open;
  const entries: [string, unknown][] = [];
  const outcomes: FillOutcome[] = [];
  const required = new Set(shape.schema.required ?? []);
  for (const [name, schema] of Object.entries(shape.schema.properties ?? {})) {
    if (schema === false) continue;
    const member: SchemaPart = {
      schema: schema === true ? {} : schema,
      name,
      path: part.path === '' ? name : `${part.path}.${name}`,
      depth: part.depth + 1,
      selector: part.selector,
    };
    let outcome = fill(member, scope, reading);
    const inner = reading.shapeOf(member.schema);
    const isEmpty = outcome.found === 0 && inner.kind === 'object';
    if (isEmpty && (inner.nullable || !required.has(name))) outcome = missing(member.path, inner);
    outcomes.push(outcome);
    if (outcome.value !== undefined) entries.push([name, outcome.value]);
  }
  return combined(Object.fromEntries(entries), outcomes);
}

function fillArray(
  part: SchemaPart,
  shape: Shape,
  scope: Scope,
  reading: FillContext,
): FillOutcome {
  const schema = itemsOf(shape.schema);
  const item = reading.shapeOf(schema);
  if (item.kind !== 'object' && item.kind !== 'union') {
    const list = findList(nameIn(scope, part.name), item, scope, reading);
    if (list === undefined) return missing(part.path, shape);
    const { values, source } = list;
    return combined(
      [...values],
      values.map((value, index) => takeValue(`${part.path}[${index}]`, value, source, reading)),
    );
  }
  const candidates = findRecords(nameIn(scope, part.name), scope, reading.baseUrl);
  const records = bestRecords(candidates, (scopes) => fillItems(scopes, schema, part, reading));
  if (records === undefined) return missing(part.path, shape);
  return fillItems(records.scopes, schema, part, reading);
}

function fillItems(
  scopes: readonly Scope[],
  schema: JsonSchema,
  part: SchemaPart,
  reading: FillContext,
): FillOutcome {
  const outcomes: FillOutcome[] = [];
  for (const scope of scopes) {
    const path = `${part.path}[${outcomes.length}]`;
    const item = { ...part, schema, name: '', path, depth: part.depth + 1 };
    const outcome = fillItem(item, scope, reading);
    if (outcome.found > 0) outcomes.push(outcome);
  }
  return combined(
    outcomes.map(({ value }) => value),
    outcomes,
  );
}

/** Fills an item whose members are in the scope. */
function fillItem(part: SchemaPart, scope: Scope, reading: FillContext): FillOutcome {
  const shape = reading.shapeOf(part.schema);
  if (shape.kind === 'object' && !isSelected(shape.schema)) {
    return fillMembers(part, shape, scope, reading);
  }
  if (shape.kind === 'union') {
    const outcomes = shape.alternatives.map((schema) =>
      fillItem({ ...part, schema }, scope, reading),
    );
    return bestOf(outcomes) ?? missing(part.path, shape);
  }
  return fill(part, scope, reading);
}

/** The scopes to search, best first; never empty. */
function scopesOfObject(name: string, shape: Shape, scope: Scope): Scope[] {
  const scopes: Scope[] = [];
  const inScope = nameIn(scope, name);
  for (const subject of scope.subjects()) {
    for (const group of lookUpProperty(subject, inScope)) {
      const entity = group.find(isEntity);
      if (entity !== undefined) scopes.push(entityScope(entity));
    }
  }
  const family = familyNamed(name);
  if (scope.page !== undefined && family !== undefined) {
    const about = aboutPage(shape, scope, family);
    if (about.subjects().length > 0) scopes.push(about);
  }
  if (isGroupName(name)) scopes.push(scope.page === undefined ? scope : aboutPage(shape, scope));
  // `price: { amount, currency }` is elsewhere written as priceAmount and priceCurrency.
  scopes.push({ ...scope, prefix: inScope });
  return scopes;
}

/** The page with its main entity, for the wanted object. */
function aboutPage(shape: Shape, scope: Scope, family?: string): Scope {
  const { page } = scope;
  if (page === undefined) return scope;
  const names = Object.keys(shape.schema.properties ?? {});
  const subjects = mainEntities(page.entities, names, page.hints, family);
  return { ...scope, subjects: () => subjects };
}

/** The name by which a member is looked up. */
function nameIn(scope: Scope, name: string): string {
  if (scope.prefix === '') return name;
  return `${scope.prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** True for the name of an object that only groups facts: `details`, `specs`. */
function isGroupName(name: string): boolean {
  const folded = fold(name);
  return groupNames.has(folded) || groupNames.has(singular(folded));
}

// Objects whose keys the schema leaves open: the labels of the page become keys.

/**
 * For `additionalProperties` without properties (`z.record`): schema.org's additionalProperty, or the
 * rows of two-column tables, or definition lists. Undefined for other objects.
 */
function openMembers(
  part: { readonly name: string; readonly path: string },
  shape: Shape,
  scope: Scope,
  reading: FillContext,
): FillOutcome | undefined {
  const { properties, additionalProperties } = shape.schema;
  if (properties !== undefined || !isSchemaObject(additionalProperties)) return undefined;
  // Only an object named as a group of facts takes all facts of a whole page.
  if (scope.page !== undefined && !isGroupName(part.name)) return missing(part.path, shape);
  const value = reading.shapeOf(additionalProperties);
  for (const [source, entries] of candidates(value, scope, reading)) {
    const members = new Map<string, unknown>();
    for (const [key, text] of entries) {
      const member = key === '__proto__' ? undefined : coerce(text, targetOf(key, value, reading));
      if (member !== undefined && !members.has(key)) members.set(key, member);
    }
    if (members.size < (scope.page === undefined ? 1 : fewest(source))) continue;
    return combined(
      Object.fromEntries(members),
      [...members].map(([key, member]) => foundAt(`${part.path}.${key}`, member, source)),
    );
  }
  return missing(part.path, shape);
}

/** Two or three rows of a page may be unrelated: opening hours, shipping. */
function fewest(source: ExtractionSource): number {
  return source === 'table' || source === 'definition-list' ? 4 : 1;
}

type Entry = readonly [key: string, text: string | number | boolean];

function* candidates(
  value: Shape,
  scope: Scope,
  reading: FillContext,
): Generator<readonly [ExtractionSource, readonly Entry[]]> {
  for (const subject of scope.subjects()) {
    const properties = subject.get('additionalproperty').filter(isEntity);
    yield [
      subject.source,
      properties.flatMap((property): Entry[] => {
        const [name] = property.get('name');
        const [text] = plainForms(property, value);
        return typeof name === 'string' && text !== undefined ? [[name, text]] : [];
      }),
    ];
  }
  const { labelValues } = scope.content();
  const sources =
    scope.page === undefined
      ? (['table', 'definition-list', 'label'] as const)
      : (['table', 'definition-list'] as const);
  for (const source of sources) {
    const own = labelValues.filter(
      (pair) => pair.source === source && !pair.isList && !pair.isText,
    );
    yield [
      source,
      own.flatMap(({ label, values: [first] }): Entry[] => {
        if (first === undefined) return [];
        const text =
          first.element === undefined
            ? first.text
            : contentOf(first.element, value, reading.baseUrl);
        return [[label, text]];
      }),
    ];
  }
}
