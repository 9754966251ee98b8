/** What is done with values that the page does not say: kept, refused, or taken out. */
import { ExtractError } from '../../../errors.ts';
import { isSchemaObject, itemsOf, type JsonSchema, type Shape, shapesOf } from '../json-schema.ts';
import type { LeafProvenance, Provenance, UnverifiedChoice } from './provenance.ts';

/** Data with its provenance after that. */
export interface SettledData {
  readonly value: unknown;
  readonly provenance: Provenance;
  /** Paths of what was taken out, as they were before. */
  readonly removed: readonly string[];
}

/**
 * With `refuse` throws `ExtractError` with the paths of values that are not supported. With `null`
 * they become null; where the schema does not allow null they are absent, and entries of lists are
 * left out, as are objects that had nothing else.
 */
export function settleUnverified(
  value: unknown,
  provenance: Provenance,
  schema: JsonSchema,
  choice: UnverifiedChoice,
  url: string,
): SettledData {
  const unverified = new Map(
    Object.entries(provenance).filter(([, { status }]) => status !== 'supported'),
  );
  if (choice === 'keep' || unverified.size === 0) return { value, provenance, removed: [] };
  if (choice === 'refuse') throw refusal(unverified, url);
  const removal = new Removal(unverified, provenance, shapesOf(schema));
  const left = removal.take(value, schema, '', '');
  return {
    value: left,
    provenance: Object.fromEntries(removal.kept),
    removed: [...unverified.keys()],
  };
}

function refusal(unverified: ReadonlyMap<string, LeafProvenance>, url: string): ExtractError {
  const issues = [...unverified].map(([path, { status }]) => {
    const what = status === 'notFound' ? 'not on the page' : 'cannot be verified on the page';
    return { path: partsOf(path), message: path === '' ? what : `${path}: ${what}` };
  });
  const told = issues.slice(0, 20).map(({ message }) => message);
  const more = issues.length > told.length ? `; and ${issues.length - told.length} more` : '';
  return new ExtractError(
    `${url} does not say what was extracted: ${told.join('; ')}${more}. ` +
      "Say where the values are with selectors (x-selector) in the schema, or take unverified: 'null' or 'keep'.",
    issues,
    { url },
  );
}

/** `offers[0].price` → `['offers', 0, 'price']` */
function partsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, index]) =>
    index === undefined ? text : Number(index),
  );
}

/** Deeper data has no provenance and stays. */
const maxDepth = 64;

class Removal {
  /** Provenance by the paths after it. */
  readonly kept: [string, LeafProvenance][] = [];
  readonly #unverified: ReadonlyMap<string, LeafProvenance>;
  readonly #provenance: Provenance;
  readonly #shapeOf: (schema: JsonSchema) => Shape;

  constructor(
    unverified: ReadonlyMap<string, LeafProvenance>,
    provenance: Provenance,
    shapeOf: (schema: JsonSchema) => Shape,
  ) {
    this.#unverified = unverified;
    this.#provenance = provenance;
    this.#shapeOf = shapeOf;
  }

  /** The value without what is not verified; undefined when nothing is left of it. */
  take(value: unknown, schema: JsonSchema, path: string, newPath: string, depth = 0): unknown {
    if (depth > maxDepth) return value;
    const shape = this.#shapeOf(schema);
    if (Array.isArray(value)) return this.#items(value, shape, path, newPath, depth);
    if (typeof value === 'object' && value !== null) {
      return this.#members(value as Record<string, unknown>, shape, path, newPath, depth);
    }
    const leaf = Object.hasOwn(this.#provenance, path) ? this.#provenance[path] : undefined;
    if (leaf === undefined) return value;
    // Entries that are left out have no path any more; all others are told with their status.
    const isRemoved = this.#unverified.has(path);
    if (!isRemoved || shape.nullable || !newPath.endsWith(']')) this.kept.push([newPath, leaf]);
    if (!isRemoved) return value;
    return shape.nullable ? null : undefined;
  }

  #items(
    items: readonly unknown[],
    { schema }: Shape,
    path: string,
    newPath: string,
    depth: number,
  ): unknown[] {
    const left: unknown[] = [];
    for (const [index, item] of items.entries()) {
      const before = this.kept.length;
      const at = `${newPath}[${left.length}]`;
      const kept = this.take(item, itemsOf(schema), `${path}[${index}]`, at, depth + 1);
      if (kept === undefined) this.kept.length = before;
      else left.push(kept);
    }
    return left;
  }

  #members(
    record: Readonly<Record<string, unknown>>,
    { schema, nullable }: Shape,
    path: string,
    newPath: string,
    depth: number,
  ): unknown {
    const open = schema['additionalProperties'];
    const entries: [string, unknown][] = [];
    let removed = 0;
    let remaining = 0;
    for (const [key, value] of Object.entries(record)) {
      const member = schema.properties?.[key] ?? open;
      const join = (base: string): string => (base === '' ? key : `${base}.${key}`);
      const kept = this.take(
        value,
        isSchemaObject(member) ? member : {},
        join(path),
        join(newPath),
        depth + 1,
      );
      const isGone = kept === undefined || (kept === null && value !== null);
      if (isGone) removed += 1;
      else if (!isEmpty(kept)) remaining += 1;
      if (kept !== undefined) entries.push([key, kept]);
    }
    if (removed > 0 && remaining === 0 && path !== '') return nullable ? null : undefined;
    return Object.fromEntries(entries);
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
