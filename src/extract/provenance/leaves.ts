/** The leaves of extracted data with their schema, grouped by the rows they are in. */
import {
  isSchemaObject,
  itemsOf,
  type JsonSchema,
  type Shape,
  shapesOf,
} from '../schema/json-schema.ts';
import type { SpanCandidates } from './span-candidates.ts';

/** A plain value. */
export interface Leaf {
  readonly path: string;
  /** The property's name; for an entry of a list, the list's name. */
  readonly name: string;
  readonly value: string | number | boolean;
  readonly shape: Shape;
  /** The list of plain values that contains the leaf. */
  readonly list: string | undefined;
  /** True when the page gave the same value for the same path without a model. */
  readonly isGrounded: boolean;
}

/** Leaves that belong together: the data as a whole, or an item of a list. */
export interface LeafGroup {
  readonly leaves: Leaf[];
  /** Lists of items, each item a group. */
  readonly lists: LeafGroup[][];
}

const maxDepth = 64; // data of a page is never nested deeper than this

/** Groups the leaves of `value`; `grounds` is the page's extraction without a model. */
export function groupLeaves(value: unknown, schema: JsonSchema, grounds: unknown): LeafGroup {
  const walk: Walk = { shapeOf: shapesOf(schema) };
  const root: LeafGroup = { leaves: [], lists: [] };
  visitNode({ value, grounds, schema, path: '', name: '', list: undefined, depth: 0 }, root, walk);
  return root;
}

interface Walk {
  readonly shapeOf: (schema: JsonSchema) => Shape;
}

interface LeafNode {
  readonly value: unknown;
  readonly grounds: unknown;
  readonly schema: JsonSchema;
  readonly path: string;
  readonly name: string;
  readonly list: string | undefined;
  readonly depth: number;
}

function visitNode(node: LeafNode, group: LeafGroup, walk: Walk): void {
  const { value, grounds, path, name, depth } = node;
  const shape = shapeFor(value, walk.shapeOf(node.schema), walk);
  if (depth > maxDepth) return;
  if (Array.isArray(value)) return visitItems(node, value as unknown[], shape, group, walk);
  if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const schema = shape.schema.properties?.[key] ?? shape.schema['additionalProperties'];
      visitNode(
        {
          value: member,
          grounds: memberOf(grounds, key),
          schema: isSchemaObject(schema) ? schema : {},
          path: path === '' ? key : `${path}.${key}`,
          name: key,
          list: undefined,
          depth: depth + 1,
        },
        group,
        walk,
      );
    }
    return;
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return;
  // A constant is the only possible value, and no evidence about the page.
  if (shape.schema.const !== undefined) return;
  const isGrounded = value === grounds;
  group.leaves.push({ path, name, value, shape, list: node.list, isGrounded });
}

function visitItems(
  { grounds, path, name, depth }: LeafNode,
  items: readonly unknown[],
  shape: Shape,
  group: LeafGroup,
  walk: Walk,
): void {
  const rows: LeafGroup[] = [];
  for (const [index, value] of items.entries()) {
    const isRow = typeof value === 'object' && value !== null;
    const row: LeafGroup = isRow ? { leaves: [], lists: [] } : group;
    if (isRow) rows.push(row);
    const item = {
      value,
      name,
      schema: itemsOf(shape.schema),
      depth: depth + 1,
      path: `${path}[${index}]`,
      list: isRow ? undefined : path,
      grounds: Array.isArray(grounds) ? (grounds as unknown[])[index] : undefined,
    };
    visitNode(item, row, walk);
  }
  if (rows.length > 0) group.lists.push(rows);
}

/** The alternative of a union that fits the value. */
function shapeFor(value: unknown, shape: Shape, { shapeOf }: Walk, depth = 0): Shape {
  if (shape.kind !== 'union' || depth > 8) return shape;
  const kind = Array.isArray(value) ? 'array' : typeof value;
  const fitting = shape.alternatives
    .map(shapeOf)
    .map((one) => shapeFor(value, one, { shapeOf }, depth + 1))
    .filter((one) => (one.kind === 'integer' ? 'number' : one.kind) === kind);
  if (kind !== 'object') return fitting[0] ?? shape;
  const record = value as Readonly<Record<string, unknown>>;
  const agreement = ({ schema: { properties = {} } }: Shape): number => {
    let known = 0;
    for (const [key, member] of Object.entries(properties)) {
      if (!Object.hasOwn(record, key)) continue;
      if (isSchemaObject(member) && member.const !== undefined && member.const !== record[key]) {
        return -1;
      }
      known += 1;
    }
    return known;
  };
  return fitting.sort((a, b) => agreement(b) - agreement(a))[0] ?? shape;
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

// The result of matching a leaf, before one of its spans is chosen.

/** Spans where the leaf may be, or its status without one. */
export interface MatchResult {
  /** At least one candidate is a span of the value. */
  readonly candidates?: SpanCandidates;
  readonly otherwise: 'supported' | 'unverified' | 'notFound';
}
