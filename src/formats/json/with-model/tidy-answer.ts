/** From an answer, where null stands for what the page does not say, to data where it is absent. */
import { isSchemaObject, itemsOf, type JsonSchema, type Shape, shapesOf } from '../json-schema.ts';

/** Data, and what is missing in it. */
export interface TidyAnswer {
  readonly value: unknown;
  /** Paths of the schema without a value: `offers[0].price`. */
  readonly notFound: readonly string[];
}

/** A list of many rows may miss many values. */
const mostPaths = 10_000;
const maxDepth = 64;

/**
 * Leaves out nulls where the schema does not allow null, keys that it does not have unless it says
 * that there may be others, and objects of which nothing is left.
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

  /** Undefined for what is to be left out. */
  tidy(value: unknown, schema: JsonSchema, path: string, depth: number): unknown {
    const outer = this.#shapeOf(schema);
    if (value === null || value === undefined) {
      return this.#miss(path, outer, value === null);
    }
    if (typeof value !== 'object' || depth > maxDepth) return value;
    const shape = this.#branchFor(outer, Array.isArray(value) ? 'array' : 'object');
    if (shape === undefined) return value;
    return Array.isArray(value)
      ? this.#tidyList(value, shape, path, depth)
      : this.#tidyRecord(value as Readonly<Record<string, unknown>>, shape, path, depth, outer);
  }

  #miss(path: string, shape: Shape, isNull: boolean): null | undefined {
    if (this.notFound.length < mostPaths) this.notFound.push(path);
    return shape.nullable || (isNull && shape.kind === 'any') ? null : undefined;
  }

  /** Of a union the only branch of that kind. */
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

  /** A null in a list is no row. */
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
