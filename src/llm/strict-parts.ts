/** The pieces that a strict schema is put together from. */
import { own } from './json-value.ts';

/** A schema, or a part of one. */
export type Part = Record<string, unknown>;

/** A part that strict output cannot say. */
export class NotStrict extends Error {}

/** Of a reference to a definition. */
export function nameIn({ $ref: reference }: Part): string | undefined {
  return typeof reference === 'string' ? reference.slice('#/$defs/'.length) : undefined;
}

/** Types that have no parts. */
export const scalars: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

/** Those that the provider knows. */
export const formats: ReadonlySet<string> = new Set(
  'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '),
);

/** True for keywords that do not stand beside alternatives. */
export function hasShape(schema: Part): boolean {
  return ['properties', 'items', 'required', 'additionalProperties'].some((key) =>
    own(schema, key),
  );
}

/** True for a list of the values there are. */
export function hasLiterals(schema: Part): boolean {
  return Array.isArray(schema['enum']) || Object.hasOwn(schema, 'const');
}

/** Throws for values that have parts. */
export function typeOfLiteral(value: unknown): string {
  if (value === null) return 'null';
  const type = typeof value;
  if (type === 'string' || type === 'number' || type === 'boolean') return type;
  throw new NotStrict();
}

/** All properties required, and no others. */
export function closedObject(
  entries: readonly (readonly [string, Part])[],
  described?: Part,
): Part {
  return {
    ...described,
    type: 'object',
    properties: Object.fromEntries(entries),
    required: entries.map(([key]) => key),
    additionalProperties: false,
  };
}

/** The same, or null. */
export function nullable(part: Part): Part {
  const { type, anyOf } = part;
  if (Array.isArray(anyOf)) return { ...part, anyOf: [...(anyOf as unknown[]), { type: 'null' }] };
  const types = [type].flat();
  const isScalar = types.length > 0 && types.every((one) => scalars.has(one));
  if (!isScalar) return { anyOf: [part, { type: 'null' }] };
  const values = Array.isArray(part['enum'])
    ? { enum: [...(part['enum'] as unknown[]), null] }
    : {};
  return { ...part, type: [...types, 'null'], ...values };
}
