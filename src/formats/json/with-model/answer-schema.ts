/** The caller's schema as a model gets it: whatever may be missing on a page may be null. */
import { isSchemaObject, type JsonSchema } from '../json-schema.ts';

/** A schema in a schema beyond this is left as it is. */
const maxDepth = 64;

/**
 * What the model is asked to fill: every property is there, and may be null, so that nothing has to be
 * made up. Keywords of this library and defaults are none of the model's business.
 */
export function schemaForModel(schema: JsonSchema): JsonSchema {
  return mapped(schema, { isForModel: true, depth: 0 });
}

/**
 * What an answer about a part of a page must fit: the types, formats and keys of the schema, but
 * nothing is required, since it may stand elsewhere.
 */
export function schemaOfPart(schema: JsonSchema): JsonSchema {
  return mapped(schema, { isForModel: false, depth: 0 });
}

interface Mapping {
  readonly isForModel: boolean;
  readonly depth: number;
}

/** What a part cannot keep, and what is for this library or for forms. */
const partial = ['required', 'minItems', 'minProperties', 'contains', 'minContains', 'default'];
const unsent = ['$schema', '$id', 'default', 'examples', 'dependentRequired'];

function mapped(schema: JsonSchema, { isForModel, depth }: Mapping): JsonSchema {
  if (depth > maxDepth) return schema;
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
      // Where nothing is required, two branches may fit.
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

/** The description stays where models look for it. */
function withNullBranch(schema: JsonSchema): JsonSchema {
  const { description, ...rest } = schema;
  const branches = rest.anyOf !== undefined && Object.keys(rest).length === 1 ? rest.anyOf : [rest];
  const isNullable = branches.some((branch) => isSchemaObject(branch) && branch.type === 'null');
  return {
    ...(description === undefined ? {} : { description }),
    anyOf: isNullable ? branches : [...branches, { type: 'null' }],
  };
}
