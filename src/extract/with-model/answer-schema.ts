/** The caller's schema for a model, with null for missing values; and the answer with these nulls removed. */
import {
  isSchemaObject,
  itemsOf,
  type JsonSchema,
  type Shape,
  shapesOf,
} from '../schema/json-schema.ts';
import { compact } from '../../core/runtime/compact.ts';

const limits = {
  depth: 64, // schemas nested deeper are left as they are
  paths: 10_000, // a list of many rows may lack many values
  answerDepth: 64,
};

/**
 * The schema that the model fills: every property is required and may be null, so that nothing has to
 * be made up. This library's keywords and defaults are removed.
 */
export function schemaForModel(schema: JsonSchema): JsonSchema {
  return mapped(schema, { isForModel: true, depth: 0 });
}

/**
 * The schema for an answer about a part of a page: the types, formats and keys of the schema, but
 * nothing is required, since values may stand in another part.
 */
export function schemaOfPart(schema: JsonSchema): JsonSchema {
  return mapped(schema, { isForModel: false, depth: 0 });
}

interface Mapping {
  readonly isForModel: boolean;
  readonly depth: number;
}

/** Keywords that a part cannot satisfy, and keywords for this library or for forms. */
const partial = ['required', 'minItems', 'minProperties', 'contains', 'minContains', 'default'];

const unsent = ['$schema', '$id', 'default', 'examples', 'dependentRequired'];

function mapped(schema: JsonSchema, { isForModel, depth }: Mapping): JsonSchema {
  if (depth > limits.depth) return schema;
  const inner: Mapping = { isForModel, depth: depth + 1 };
  const each = (value: unknown): unknown => (isSchemaObject(value) ? mapped(value, inner) : value);
  const left: ReadonlySet<string> = new Set(isForModel ? unsent : partial);
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (left.has(key) || (isForModel && key.startsWith('x-'))) continue;
    if (key === 'properties' && isSchemaObject(value)) {
      entries.push([key, membersOf(value, inner)]);
      if (isForModel) entries.push(['required', Object.keys(value)]);
    } else if ((key === '$defs' || key === 'definitions') && isSchemaObject(value)) {
      entries.push([
        key,
        Object.fromEntries(Object.entries(value).map(([name, one]) => [name, each(one)])),
      ]);
    } else if (key === 'anyOf' || key === 'oneOf' || key === 'allOf') {
      // Without required properties, two branches may fit.
      const name = key === 'oneOf' && !isForModel ? 'anyOf' : key;
      entries.push([name, Array.isArray(value) ? value.map(each) : value]);
    } else if (key === 'additionalProperties') {
      entries.push([key, isSchemaObject(value) ? orNull(mapped(value, inner)) : value]);
    } else if (key === 'items' || key === 'prefixItems' || key === 'not') {
      entries.push([key, Array.isArray(value) ? value.map(each) : each(value)]);
    } else if (key !== 'required') {
      entries.push([key, value]);
    }
  }
  return Object.fromEntries(entries);
}

function membersOf(members: JsonSchema, mapping: Mapping): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      isSchemaObject(member) ? orNull(mapped(member, mapping)) : member,
    ]),
  );
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (typeof type !== 'string' && !Array.isArray(type)) {
    return Object.keys(schema).length === 0 ? schema : withNullBranch(schema);
  }
  if ('const' in schema || 'anyOf' in schema || 'oneOf' in schema || 'allOf' in schema) {
    return withNullBranch(schema);
  }
  const types = typeof type === 'string' ? [type] : (type as readonly string[]);
  const nullable = types.includes('null') ? schema : { ...schema, type: [...types, 'null'] };
  if (schema.enum === undefined || schema.enum.includes(null)) return nullable;
  return { ...nullable, enum: [...schema.enum, null] };
}

/** Keeps the description where models look for it. */
function withNullBranch(schema: JsonSchema): JsonSchema {
  const { description, ...rest } = schema;
  const branches = rest.anyOf !== undefined && Object.keys(rest).length === 1 ? rest.anyOf : [rest];
  const isNullable = branches.some((branch) => isSchemaObject(branch) && branch.type === 'null');
  return compact({ description, anyOf: isNullable ? branches : [...branches, { type: 'null' }] });
}

// From an answer, where null marks missing values, to data where they are absent.

/** Data, with its missing values. */
export interface TidyAnswer {
  readonly value: unknown;
  /** Paths of the schema without a value: `offers[0].price`. */
  readonly notFound: readonly string[];
}

/**
 * Removes nulls where the schema does not allow null, keys outside the schema unless it allows
 * additional ones, and objects that become empty.
 */
export function tidyAnswer(value: unknown, schema: JsonSchema): TidyAnswer {
  const tidier = new Tidier(schema);
  const tidied = tidier.tidy(value, schema, '', 0);
  return { value: tidied ?? (Array.isArray(value) ? [] : {}), notFound: tidier.notFound };
}

class Tidier {
  readonly notFound: string[] = [];
  readonly #shapeOf: (schema: JsonSchema) => Shape;

  constructor(root: JsonSchema) {
    this.#shapeOf = shapesOf(root);
  }

  /** Undefined for a value to be left out. */
  tidy(value: unknown, schema: JsonSchema, path: string, depth: number): unknown {
    const outer = this.#shapeOf(schema);
    if (value === null || value === undefined) {
      return this.#miss(path, outer, value === null);
    }
    if (typeof value !== 'object' || depth > limits.answerDepth) return value;
    const shape = this.#branchFor(outer, Array.isArray(value) ? 'array' : 'object');
    if (shape === undefined) return value;
    return Array.isArray(value)
      ? this.#tidyList(value, shape, path, depth)
      : this.#tidyRecord(value as Readonly<Record<string, unknown>>, shape, path, depth, outer);
  }

  #miss(path: string, shape: Shape, isNull: boolean): null | undefined {
    if (this.notFound.length < limits.paths) this.notFound.push(path);
    return shape.nullable || (isNull && shape.kind === 'any') ? null : undefined;
  }

  /** The only branch of a union that has that kind. */
  #branchFor(shape: Shape, kind: 'array' | 'object'): Shape | undefined {
    if (shape.kind !== 'union') return shape;
    const fitting = shape.alternatives.map(this.#shapeOf).filter((one) => one.kind === kind);
    return fitting.length === 1 ? fitting[0] : undefined;
  }

  #tidyList(value: readonly unknown[], shape: Shape, path: string, depth: number): unknown[] {
    const item = itemsOf(shape.schema);
    const tidied: unknown[] = [];
    for (const one of value) {
      const before = this.notFound.length;
      const kept = this.#quietNull(one, item)
        ? undefined
        : this.tidy(one, item, `${path}[${tidied.length}]`, depth + 1);
      if (kept === undefined) this.notFound.length = before;
      else tidied.push(kept);
    }
    return tidied;
  }

  /** A null in a list is not a row. */
  #quietNull(value: unknown, item: JsonSchema): boolean {
    return value === null && !this.#shapeOf(item).nullable && Object.keys(item).length > 0;
  }

  #tidyRecord(
    value: Readonly<Record<string, unknown>>,
    shape: Shape,
    path: string,
    depth: number,
    outer: Shape,
  ): unknown {
    const { properties, additionalProperties, patternProperties } = shape.schema;
    const isOpen =
      properties === undefined ||
      patternProperties !== undefined ||
      additionalProperties === true ||
      isSchemaObject(additionalProperties);
    const before = this.notFound.length;
    const entries: [string, unknown][] = [];
    for (const name of new Set([...Object.keys(properties ?? {}), ...Object.keys(value)])) {
      const known = properties !== undefined && Object.hasOwn(properties, name);
      if (!known && !isOpen) continue;
      const member = known ? properties[name] : additionalProperties;
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      const inner = path === '' ? name : `${path}.${name}`;
      const kept = this.tidy(own, isSchemaObject(member) ? member : {}, inner, depth + 1);
      if (kept !== undefined) entries.push([name, kept]);
    }
    const isEmpty = properties !== undefined && entries.every(([, kept]) => kept === null);
    if (!isEmpty || path === '') return Object.fromEntries(entries);
    this.notFound.length = before;
    return this.#miss(path, outer, false);
  }
}
