/** Fills a schema from one page without a model: by selectors, structured data, labels and tables. */
import type { DomElement } from '../../html/dom.ts';
import type { HtmlPage, Page } from '../../model/page.ts';
import { bestRecords } from './best-records.ts';
import { fileValue } from './file-value.ts';
import { fillFromValue } from './fill-from-value.ts';
import { fillSelected } from './fill-selected.ts';
import { findList } from './find-list.ts';
import { findPlain } from './find-plain.ts';
import { findRecords } from './find-records.ts';
import { itemsOf, type JsonSchema, type Shape, shapesOf } from './json-schema.ts';
import { aboutPage, nameIn, scopesOfObject } from './object-scopes.ts';
import { openMembers } from './open-object.ts';
import {
  accountOf,
  bestOf,
  combined,
  type ExtractionSource,
  missing,
  type Outcome,
} from './outcome.ts';
import { type InnerParts, type Part, take } from './part.ts';
import type { Reading } from './reading.ts';
import { pageScope, type Scope, selectorScope } from './scope.ts';
import { isSelected } from './selectors.ts';
import { languageOf, textLocale } from './text-locale.ts';
import { transformsOf } from './transforms.ts';

/** What a page gave for a schema, before validation. */
export interface PageExtraction {
  /** The part of the data that was found; null for what was not where the schema allows null. */
  readonly value: unknown;
  /** Paths of what was not found: `price`, `offers[0].seller.name`. */
  readonly notFound: readonly string[];
  /** Where each leaf was found, by path. */
  readonly sources: Readonly<Record<string, ExtractionSource>>;
  /** The selector that matched, by the path of what it gave; of an entry of a list the list's. */
  readonly selectors?: Readonly<Record<string, string>>;
}

/** Objects in objects, without selectors, beyond this are not looked for: a schema may be recursive. */
const maxDepth = 8;

/** A recursive schema on a page made for it would double the work at each level. */
const maxParts = 200_000;

/** Elements in each other and cells that span give the same text many times. */
const maxCharacters = 20_000_000;

/** Reads the page by the schema; what is not there is not made up. */
export function extractWithoutModel(page: Page, jsonSchema: JsonSchema): PageExtraction {
  return extractFrom(page, jsonSchema, pageScope(page));
}

/** What selectors alone give below `html`, which is the page or a copy of it. */
export function extractSelected(
  page: HtmlPage,
  html: DomElement,
  jsonSchema: JsonSchema,
): PageExtraction {
  return extractFrom(page, jsonSchema, selectorScope(html));
}

function extractFrom(page: Page, jsonSchema: JsonSchema, scope: Scope): PageExtraction {
  const reading: Reading = {
    shapeOf: shapesOf(jsonSchema),
    transformOf: transformsOf(),
    baseUrl: page.baseUrl,
    locale: textLocale(languageOf(page)),
    machine: textLocale('en'),
    budget: { parts: maxParts, characters: maxCharacters },
  };
  const file = fileValue(page);
  const outcome =
    file === undefined
      ? fill({ schema: jsonSchema, name: '', path: '', depth: 0 }, scope, reading)
      : fillFromValue(jsonSchema, file.value, reading);
  const { value, notFound } = outcome;
  return { value, notFound, ...accountOf(outcome) };
}

const inside: InnerParts = { members: fillMembers, items: fillItems };

function fill(part: Part, scope: Scope, reading: Reading): Outcome {
  const shape = reading.shapeOf(part.schema);
  const { budget } = reading;
  if (--budget.parts < 0 || budget.characters < 0) return missing(part.path, shape);
  if (isSelected(shape.schema) && part.depth <= maxDepth * 4) {
    return scope.element === undefined
      ? missing(part.path, shape)
      : fillSelected(part, shape, scope.element, scope, reading, inside);
  }
  const { const: constant } = shape.schema;
  // The only value there can be; it tells nothing about the page.
  if (constant !== undefined) return { value: constant, found: 0, notFound: [], sources: [] };
  if (part.depth > maxDepth) return missing(part.path, shape);
  switch (shape.kind) {
    case 'union':
      return fillUnion(part, shape, scope, reading);
    case 'object':
      return fillObject(part, shape, scope, reading);
    case 'array':
      return fillArray(part, shape, scope, reading);
    default: {
      const found = findPlain(nameIn(scope, part.name), shape, scope, reading);
      return found === undefined
        ? missing(part.path, shape)
        : take(part.path, found.value, found.source, reading);
    }
  }
}

/** Plain types are one question; objects and arrays compete by what they find. */
function fillUnion(part: Part, shape: Shape, scope: Scope, reading: Reading): Outcome {
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
      : findPlain(nameIn(scope, part.name), { ...shape, alternatives: plain }, scope, reading);
  return found === undefined
    ? missing(part.path, shape)
    : take(part.path, found.value, found.source, reading);
}

function fillObject(part: Part, shape: Shape, scope: Scope, reading: Reading): Outcome {
  if (part.name === '' && scope.page !== undefined) {
    return fillMembers(part, shape, aboutPage(shape, scope), reading);
  }
  let last: Outcome | undefined;
  for (const inner of scopesOfObject(part.name, shape, scope)) {
    last = fillMembers(part, shape, inner, reading);
    if (last.found > 0) return last;
  }
  return shape.nullable || last === undefined ? missing(part.path, shape) : last;
}

function fillMembers(part: Part, shape: Shape, scope: Scope, reading: Reading): Outcome {
  const open = openMembers(part, shape, scope, reading);
  if (open !== undefined) return open;
  const entries: [string, unknown][] = [];
  const outcomes: Outcome[] = [];
  const required = new Set(shape.schema.required ?? []);
  for (const [name, schema] of Object.entries(shape.schema.properties ?? {})) {
    if (schema === false) continue;
    const member: Part = {
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

function fillArray(part: Part, shape: Shape, scope: Scope, reading: Reading): Outcome {
  const schema = itemsOf(shape.schema);
  const item = reading.shapeOf(schema);
  if (item.kind !== 'object' && item.kind !== 'union') {
    const list = findList(nameIn(scope, part.name), item, scope, reading);
    if (list === undefined) return missing(part.path, shape);
    const { values, source } = list;
    return combined(
      [...values],
      values.map((value, index) => take(`${part.path}[${index}]`, value, source, reading)),
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
  part: Part,
  reading: Reading,
): Outcome {
  const outcomes: Outcome[] = [];
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

/** The scope is the item: an object's members are in it. */
function fillItem(part: Part, scope: Scope, reading: Reading): Outcome {
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
