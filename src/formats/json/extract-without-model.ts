/** Fills a schema from one page without a model: by selectors, structured data, labels and tables. */
import type { DomElement } from '../../html/dom.ts';
import type { HtmlPage, Page } from '../../model/page.ts';
import { coerce } from './coerce.ts';
import { findList } from './find-list.ts';
import { findPlain } from './find-plain.ts';
import { findRecords, type Records } from './find-records.ts';
import { itemsOf, type JsonSchema, type Shape, shapesOf } from './json-schema.ts';
import { factsAmong } from './main-entity.ts';
import { aboutPage, nameIn, scopesOfObject } from './object-scopes.ts';
import { openMembers } from './open-object.ts';
import {
  accountOf,
  bestOf,
  combined,
  type ExtractionSource,
  foundAt,
  missing,
  type Outcome,
} from './outcome.ts';
import { type Reading, targetOf } from './reading.ts';
import { elementScope, pageScope, type Scope, selectorScope } from './scope.ts';
import { readSelected, transformedTexts } from './selected-texts.ts';
import { isSelected, selectAll, selectorAt } from './selectors.ts';
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
  const outcome = fill({ schema: jsonSchema, name: '', path: '', depth: 0 }, scope, reading);
  const { value, notFound } = outcome;
  return { value, notFound, ...accountOf(outcome) };
}

/** A part of the schema and its place in the data. */
interface Part {
  readonly schema: JsonSchema;
  /** The property's name; `` at the root and for the items of a root array. */
  readonly name: string;
  readonly path: string;
  readonly depth: number;
  /** The selector that matched the element whose parts are filled. */
  readonly selector?: string | undefined;
}

function fill(part: Part, scope: Scope, reading: Reading): Outcome {
  const shape = reading.shapeOf(part.schema);
  const { budget } = reading;
  if (--budget.parts < 0 || budget.characters < 0) return missing(part.path, shape);
  if (isSelected(shape.schema) && part.depth <= maxDepth * 4) {
    return scope.element === undefined
      ? missing(part.path, shape)
      : fillSelected(part, shape, scope.element, scope, reading);
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

/** A value with its place; its text is counted. */
function take(
  path: string,
  value: unknown,
  source: ExtractionSource,
  reading: Reading,
  selector?: string,
): Outcome {
  if (typeof value === 'string') reading.budget.characters -= value.length;
  return foundAt(path, value, source, selector);
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
  const records = bestRecords(candidates, schema, part, reading);
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

/** Candidates are judged by their first items. */
const sampleSize = 5;

/** The list that gives most of what an item has; at least half, unless it is named for it. */
function bestRecords(
  candidates: readonly Records[],
  schema: JsonSchema,
  part: Part,
  reading: Reading,
): Records | undefined {
  let best: { readonly records: Records; readonly score: number } | undefined;
  for (const records of candidates) {
    const sample = records.scopes.slice(0, sampleSize);
    const { found, notFound, sources } = fillItems(sample, schema, part, reading);
    if (found === 0 || (records.isGuess === true && factsAmong(sources.map(([path]) => path)) < 2))
      continue;
    const coverage = found / (found + notFound.length);
    if (!records.isNamed && coverage < 0.5) continue;
    const score = coverage + (records.isNamed ? 1 : 0);
    if (best === undefined || score > best.score) best = { records, score };
  }
  return best?.records;
}

function fillSelected(
  part: Part,
  shape: Shape,
  within: DomElement,
  scope: Scope,
  reading: Reading,
): Outcome {
  const groups = selectAll(within, shape.schema);
  const selectorOf = (index: number): string | undefined =>
    selectorAt(shape.schema, index, part.selector);
  const matching = groups.findIndex((group) => group.length > 0);
  const matches = groups[matching] ?? [];
  const matched: Part = { ...part, selector: selectorOf(matching) };
  if (shape.kind === 'array') return fillMatches(matched, shape, matches, scope, reading);
  if (shape.kind === 'object') {
    const [first] = matches;
    if (first === undefined) return missing(part.path, shape);
    const inner = first === within ? scope : elementScope(first, reading.baseUrl);
    return fillMembers(matched, shape, inner, reading);
  }
  for (const [index, group] of groups.entries()) {
    const value = readSelected(group, targetOf(part.name, shape, reading), reading);
    if (value !== undefined) {
      return take(part.path, value, 'selector', reading, selectorOf(index));
    }
  }
  return missing(part.path, shape);
}

/** One item for each match; an attribute named on the array is read from each. */
function fillMatches(
  part: Part,
  shape: Shape,
  matches: readonly DomElement[],
  scope: Scope,
  reading: Reading,
): Outcome {
  const own = itemsOf(shape.schema);
  const attribute = shape.schema['x-attribute'];
  const texts = transformedTexts(matches, shape.schema, reading);
  if (texts !== undefined) {
    const target = targetOf(part.name, reading.shapeOf(own), reading);
    const values = texts.map((text) => coerce(text, target)).filter((one) => one !== undefined);
    if (values.length === 0) return missing(part.path, shape);
    return combined(
      values,
      values.map((value, index) =>
        take(`${part.path}[${index}]`, value, 'selector', reading, part.selector),
      ),
    );
  }
  const isPlain = !['object', 'array', 'union'].includes(reading.shapeOf(own).kind);
  const schema: JsonSchema =
    isPlain && !isSelected(own) ? { ...own, 'x-attribute': attribute ?? 'text' } : own;
  const scopes = matches.map((element) => elementScope(element, reading.baseUrl));
  const outcome = fillItems(scopes, schema, part, reading);
  if (outcome.found > 0) return outcome;
  // Inside a match an empty list is a fact; of the page it may be a selector that fits no more.
  return scope.page === undefined && !shape.nullable
    ? { ...missing(part.path, shape), value: [] }
    : missing(part.path, shape);
}
