/** Plans a recipe: the values of a schema that selectors may give, by path, and the selector schema for them. */
import {
  isSchemaObject,
  itemsOf,
  type JsonSchema,
  type Shape,
  shapesOf,
} from '../schema/json-schema.ts';
import { isSelected } from '../schema/selector-keywords.ts';
import { compact } from '../../core/runtime/compact.ts';

/** The selectors of a value. */
export interface RecipeEntry {
  /** The first selector with a match counts. */
  readonly selectors: readonly string[];
  readonly attribute?: string | undefined;
  /** The transform of the text; from a model only `{ regex }`. */
  readonly transform?: JsonSchema['x-transform'] | undefined;
}

/** Entries by path. */
export type RecipeEntries = ReadonlyMap<string, RecipeEntry>;

/** A part of the schema. */
export type PlanPart =
  | { readonly kind: 'value' | 'values'; readonly path: string; readonly shape: Shape }
  | { readonly kind: 'rows'; readonly path: string; readonly shape: Shape; readonly item: PlanPart }
  | {
      readonly kind: 'object';
      readonly path: string;
      readonly shape: Shape;
      readonly members: ReadonlyMap<string, PlanPart>;
    }
  /** The caller's schema itself gives its selector or its value. */
  | { readonly kind: 'given'; readonly path: string; readonly shape: Shape };

/** The schema as selectors may fill it. */
export interface RecipePlan {
  readonly root: PlanPart | undefined;
  /** The paths that need selectors, in the schema's order. */
  readonly paths: readonly string[];
  /** The caller's schema. */
  readonly schema: JsonSchema;
}

const maxDepth = 8;
const mostPaths = 300;

/** Plans a schema: references followed, unions of objects and open objects left out. */
export function planRecipe(schema: JsonSchema): RecipePlan {
  const shapeOf = shapesOf(schema);
  const paths: string[] = [];
  const plan = (part: JsonSchema, path: string, depth: number): PlanPart | undefined => {
    const shape = shapeOf(part);
    if (isSelected(shape.schema) || shape.schema.const !== undefined) {
      return { kind: 'given', path, shape };
    }
    if (depth > maxDepth || paths.length >= mostPaths) return undefined;
    if (shape.kind === 'object') return planObject(shape, path, depth);
    if (shape.kind === 'array') return planList(shape, path, depth);
    if (shape.kind === 'union' && !shape.alternatives.every((one) => isPlain(shapeOf(one)))) {
      return undefined;
    }
    paths.push(path);
    return { kind: 'value', path, shape };
  };
  const planObject = (shape: Shape, path: string, depth: number): PlanPart | undefined => {
    const members = new Map<string, PlanPart>();
    for (const [name, member] of Object.entries(shape.schema.properties ?? {})) {
      if (member === false) continue;
      const inner = path === '' ? name : `${path}.${name}`;
      const planned = plan(member === true ? {} : member, inner, depth + 1);
      if (planned !== undefined) members.set(name, planned);
    }
    return members.size === 0 ? undefined : { kind: 'object', path, shape, members };
  };
  const planList = (shape: Shape, path: string, depth: number): PlanPart | undefined => {
    const item = shapeOf(itemsOf(shape.schema));
    const own = `${path}[]`;
    if (isPlain(item)) {
      paths.push(own);
      return { kind: 'values', path: own, shape };
    }
    if (item.kind !== 'object' || isSelected(item.schema)) return undefined;
    const at = paths.push(own) - 1;
    const planned = planObject(item, own, depth + 1);
    if (planned === undefined) paths.splice(at, 1);
    return planned && { kind: 'rows', path: own, shape, item: planned };
  };
  const root = plan(schema, '', 0);
  return { root, paths, schema };
}

/** The group of a path: a list's rows with all their values, or one value. */
export function groupOf(path: string): string {
  const list = path.indexOf('[]');
  return list < 0 ? path : path.slice(0, list + 2);
}

/** The plan's form of a value's path in data: `offers[3].price` → `offers[].price`. */
export function planPath(path: string): string {
  return path.replace(/\[\d+\]/g, '[]');
}

/** The selector schema: only parts that have an entry, or a selector of their own. */
export function selectorSchema({ root, schema }: RecipePlan, entries: RecipeEntries): JsonSchema {
  const made = root === undefined ? undefined : madeOf(root, entries);
  const whole: JsonSchema = made ?? { type: 'object', properties: {} };
  if (!JSON.stringify(whole).includes('"$ref"')) return whole;
  const { $defs, definitions } = schema;
  return {
    ...whole,
    ...(isSchemaObject($defs) ? { $defs } : {}),
    ...(isSchemaObject(definitions) ? { definitions } : {}),
  };
}

/** The entries of a selector schema, by path: the inverse. */
export function entriesOf(schema: JsonSchema): RecipeEntries {
  const entries = new Map<string, RecipeEntry>();
  const collect = (part: unknown, path: string, depth: number): void => {
    if (!isSchemaObject(part) || depth > maxDepth * 4) return;
    const { anyOf, properties, items } = part;
    const selector = part['x-selector'];
    const inner = anyOf?.find((one) => isSchemaObject(one) && one.type !== 'null');
    const isList = properties === undefined && [part.type].flat().includes('array');
    const own = isList ? `${path}[]` : path;
    if (selector !== undefined) {
      const rest = isSchemaObject(inner) ? inner : part;
      const isWrapped = isSchemaObject(inner) && [inner.type].flat().includes('array');
      const attribute = rest['x-attribute'] ?? part['x-attribute'];
      const transform = rest['x-transform'] ?? part['x-transform'];
      entries.set(
        isWrapped ? `${path}[]` : own,
        compact({ selectors: [selector].flat(), attribute, transform }),
      );
    }
    if (inner !== undefined && properties === undefined && !isList) collect(inner, path, depth + 1);
    for (const [name, member] of Object.entries(properties ?? {})) {
      collect(member, own === '' ? name : `${own}.${name}`, depth + 1);
    }
    if (isList && isSchemaObject(items)) collect(items, own, depth + 1);
  };
  collect(schema, '', 0);
  return entries;
}

function madeOf(part: PlanPart, entries: RecipeEntries): JsonSchema | undefined {
  const { kind, shape, path } = part;
  if (kind === 'given') return orNull(shape.schema, shape.nullable);
  if (kind === 'object') {
    const members = new Map<string, JsonSchema>();
    for (const [name, member] of part.members) {
      const made = madeOf(member, entries);
      if (made !== undefined) members.set(name, made);
    }
    if (members.size === 0) return undefined;
    return orNull({ type: 'object', properties: Object.fromEntries(members) }, shape.nullable);
  }
  const entry = entries.get(path);
  if (entry === undefined) return undefined;
  if (kind === 'rows') {
    const items = madeOf(part.item, entries);
    return items && orNull({ type: 'array', ...keywords(entry), items }, shape.nullable);
  }
  return orNull({ ...plainPart(shape.schema), ...keywords(entry) }, shape.nullable);
}

/** The value's type and format; the rest of the caller's constraints stays in the caller's schema. */
function plainPart(schema: JsonSchema): JsonSchema {
  const left = new Set(['$schema', '$id', '$defs', 'definitions', 'default', 'examples']);
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !left.has(key)));
}

function keywords({ selectors, attribute, transform }: RecipeEntry): JsonSchema {
  const [first = ''] = selectors;
  return compact({
    'x-selector': selectors.length === 1 ? first : selectors,
    'x-attribute': attribute,
    'x-transform': transform,
  });
}

function orNull(schema: JsonSchema, nullable: boolean): JsonSchema {
  if (!nullable) return schema;
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  const { 'x-selector': selector, ...rest } = schema;
  return compact({ 'x-selector': selector, anyOf: [rest, { type: 'null' }] });
}

function isPlain({ kind }: Shape): boolean {
  return kind !== 'object' && kind !== 'array' && kind !== 'union';
}
