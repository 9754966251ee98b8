/**
 * JSON Schemas within the limits of strict structured output, and the conversion of a strict answer back to the
 * caller's schema.
 * Source: OpenAI, "Structured model outputs", supported schemas.
 */
import { memberOf, isRecord } from '../../core/runtime/json.ts';
import type { AnswerSchema } from './model.ts';
import { referencedPart } from '../../core/runtime/json-pointer.ts';

const limits = {
  deepestAnswer: 200, // levels; deeper answers stay as they are
  deepestReference: 200, // levels of a schema that are followed: hand-written ones have far fewer
  references: 1000, // references followed; each may lead to all others
};

/** An equivalent schema, as far as strict output can express it. */
interface StrictSchema {
  readonly schema: AnswerSchema;
  /**
   * Properties that the caller's schema does not require, by their object: strict output requires them, and
   * null represents their absence.
   */
  readonly optional: ReadonlyMap<object, ReadonlySet<string>>;
}

/** Limits of the provider, and of the work. */
const strictLimits = {
  properties: 5000,
  depth: 10,
  enumValues: 1000,
  text: 100_000,
  inlined: 2000,
  open: 300,
};

/**
 * Undefined when strict output cannot express the schema: objects with free keys, tuples, values of
 * any kind, references out of the schema, or more than the provider accepts. Lengths, ranges and
 * patterns become words in the description; they are checked in the answer.
 */
export function strictSchema(root: AnswerSchema, wrapper?: string): StrictSchema | undefined {
  const recursive = recursiveReferences(root);
  if (recursive === undefined) return undefined;
  const translation = new StrictTranslation(root, recursive);
  try {
    const inside = translation.part(root, wrapper === undefined ? 0 : 1);
    const schema =
      wrapper === undefined
        ? translation.withoutReference(inside)
        : closedObject([[wrapper, inside]]);
    if (schema['type'] !== 'object') return undefined;
    const definitions = translation.definitions();
    if (Object.keys(definitions).length > 0) schema['$defs'] = definitions;
    return { schema, optional: translation.optional };
  } catch (error) {
    if (error instanceof NotStrict) return undefined;
    throw error;
  }
}

class StrictTranslation {
  readonly optional = new Map<object, ReadonlySet<string>>();
  readonly #root: AnswerSchema;
  readonly #recursive: ReadonlySet<string>;
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, StrictPart>();
  #parts = 0;
  /** The nesting depth of the part being translated. */
  #open = 0;
  #properties = 0;
  #enumValues = 0;
  #text = 0;

  constructor(root: AnswerSchema, recursive: ReadonlySet<string>) {
    this.#root = root;
    this.#recursive = recursive;
  }

  definitions(): StrictPart {
    return Object.fromEntries(this.#definitions);
  }

  /** The referenced definition, for a root that is a reference. */
  withoutReference(part: StrictPart): StrictPart {
    const definition = this.#definitions.get(definitionName(part) ?? '');
    if (definition === undefined) return part;
    const copy = { ...definition };
    const missing = this.optional.get(definition);
    if (missing !== undefined) this.optional.set(copy, missing);
    return copy;
  }

  part(schema: unknown, depth: number): StrictPart {
    this.#parts += 1;
    this.#open += 1;
    if (!isRecord(schema) || depth > strictLimits.depth || this.#open > strictLimits.open)
      throw new NotStrict();
    const part = this.#translated(schema, depth);
    this.#open -= 1;
    return part;
  }

  #translated(schema: StrictPart, depth: number): StrictPart {
    if (typeof schema['$ref'] === 'string') return this.#reference(schema['$ref'], depth);
    const described = this.#description(schema);
    const choices = this.#choices(schema);
    if (choices !== undefined) {
      return { ...described, anyOf: choices.map((choice) => this.part(choice, depth)) };
    }
    const [only] = Array.isArray(schema['allOf']) ? (schema['allOf'] as unknown[]) : [];
    if (only !== undefined) return this.#onlyOne(schema, only, depth, described);
    if (Array.isArray(schema['enum']) || Object.hasOwn(schema, 'const')) {
      return { ...described, ...this.#literals(schema) };
    }
    return this.#typed(schema, depth, described);
  }

  /** The alternatives in any notation, also a list of types. */
  #choices(schema: StrictPart): readonly unknown[] | undefined {
    const { anyOf, oneOf, type } = schema;
    const given = anyOf ?? oneOf;
    if (Array.isArray(given) && given.length > 0) {
      if (hasShape(schema)) throw new NotStrict();
      return given as readonly unknown[];
    }
    if (!Array.isArray(type) || hasLiterals(schema)) return undefined;
    if (!type.includes('object') && !type.includes('array')) return undefined;
    const { description: _, ...rest } = schema;
    return type.map((one: unknown) => ({ ...rest, type: one }));
  }

  #onlyOne(schema: StrictPart, only: unknown, depth: number, described: StrictPart): StrictPart {
    const others = (schema['allOf'] as unknown[]).length > 1;
    if (others || hasShape(schema) || hasLiterals(schema)) throw new NotStrict();
    const part = this.part(only, depth);
    // A reference has no other keywords.
    return part['$ref'] === undefined ? Object.assign(part, described) : part;
  }

  #typed(schema: StrictPart, depth: number, described: StrictPart): StrictPart {
    const { type, properties, items } = schema;
    if (type === 'object' || (type === undefined && isRecord(properties))) {
      return this.#object(schema, depth, described);
    }
    if (type === 'array' || (type === undefined && isRecord(items))) {
      if (!isRecord(items) || schema['prefixItems'] !== undefined) throw new NotStrict();
      return { ...described, type: 'array', items: this.part(items, depth + 1) };
    }
    const isKnown = [type].flat().every((one) => scalarTypes.has(one));
    if (!isKnown) throw new NotStrict();
    const { format } = schema;
    return {
      ...described,
      type,
      ...(typeof format === 'string' && strictFormats.has(format) ? { format } : {}),
    };
  }

  #object(schema: StrictPart, depth: number, described: StrictPart): StrictPart {
    const { properties = {}, additionalProperties, patternProperties } = schema;
    if (!isRecord(properties) || patternProperties !== undefined) throw new NotStrict();
    const isEmpty = Object.keys(properties).length === 0;
    const isOpen = additionalProperties === true || isEmptyObject(additionalProperties);
    if (isRecord(additionalProperties) && !isOpen) throw new NotStrict();
    // An object that allows any keys and names none is a record.
    if (isEmpty && additionalProperties !== false) throw new NotStrict();
    const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
    const missing = new Set<string>();
    const entries = Object.entries(properties).map(([key, value]): [string, StrictPart] => {
      this.#properties += 1;
      this.#count(key);
      if (this.#properties > strictLimits.properties) throw new NotStrict();
      const part = this.part(value, depth + 1);
      if (required.includes(key) || this.#takesNull(part)) return [key, part];
      missing.add(key);
      return [key, nullable(part)];
    });
    const object = closedObject(entries, described);
    if (missing.size > 0) this.optional.set(object, missing);
    return object;
  }

  #literals(schema: StrictPart): StrictPart {
    const values = Array.isArray(schema['enum'])
      ? (schema['enum'] as unknown[])
      : [schema['const']];
    this.#enumValues += values.length;
    if (this.#enumValues > strictLimits.enumValues || values.length === 0) throw new NotStrict();
    const types = new Set(values.map(typeOfLiteral));
    for (const value of values) this.#count(String(value));
    const [type] = types;
    return { type: types.size === 1 ? type : [...types], enum: values };
  }

  /** Recursive references stay; others become their definition while the schema is small. */
  #reference(reference: string, depth: number): StrictPart {
    const target = referencedPart(this.#root, reference);
    if (!isRecord(target)) throw new NotStrict();
    if (!this.#recursive.has(reference) && this.#parts < strictLimits.inlined) {
      return this.part(target, depth);
    }
    let name = this.#names.get(reference);
    if (name === undefined) {
      name = this.#nameFor(reference);
      this.#names.set(reference, name);
      const definition = this.part(target, 1);
      // A definition that is only a reference defines nothing.
      if (definitionName(definition) !== undefined) throw new NotStrict();
      this.#definitions.set(name, definition);
    }
    return { $ref: `#/$defs/${name}` };
  }

  #nameFor(reference: string): string {
    const last = reference.split('/').at(-1) ?? '';
    const word = last.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 40);
    const taken = new Set(this.#names.values());
    const base = word === '' || word === '_' || word === '__proto__' ? 'root' : word;
    return taken.has(base) ? `${base}_${taken.size}` : base;
  }

  #description(schema: StrictPart): StrictPart {
    const { description } = schema;
    const note = constraintNote(schema, strictFormats);
    const words = [typeof description === 'string' ? description : '', note];
    const text = words.filter((word) => word !== '').join(' ');
    return text === '' ? {} : { description: text };
  }

  #takesNull(part: StrictPart, depth = 0): boolean {
    const { type, anyOf } = part;
    const name = definitionName(part);
    if ([type].flat().includes('null')) return true;
    if (name !== undefined && depth < strictLimits.depth) {
      return this.#takesNull(this.#definitions.get(name) ?? {}, depth + 1);
    }
    if (!Array.isArray(anyOf) || depth > strictLimits.depth) return false;
    return (anyOf as StrictPart[]).some((choice) => this.#takesNull(choice, depth + 1));
  }

  #count(text: string): void {
    this.#text += text.length;
    if (this.#text > strictLimits.text) throw new NotStrict();
  }
}

function isEmptyObject(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

// The parts of a strict schema.

/** A schema, or a part of one. */
type StrictPart = Record<string, unknown>;

/** A part that strict output cannot express. */
class NotStrict extends Error {}

/** The name in a reference to a definition. */
function definitionName({ $ref: reference }: StrictPart): string | undefined {
  return typeof reference === 'string' ? reference.slice('#/$defs/'.length) : undefined;
}

/** Types without nested schemas. */
const scalarTypes: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

/** Formats that the provider supports. */
const strictFormats: ReadonlySet<string> = new Set(
  'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '),
);

/** True for a schema with keywords that are not allowed beside alternatives. */
function hasShape(schema: StrictPart): boolean {
  return ['properties', 'items', 'required', 'additionalProperties'].some((key) =>
    memberOf(schema, key),
  );
}

/** True for a schema that lists its values. */
function hasLiterals(schema: StrictPart): boolean {
  return Array.isArray(schema['enum']) || Object.hasOwn(schema, 'const');
}

/** Throws for objects and arrays. */
function typeOfLiteral(value: unknown): string {
  if (value === null) return 'null';
  const type = typeof value;
  if (type === 'string' || type === 'number' || type === 'boolean') return type;
  throw new NotStrict();
}

/** An object with all properties required, and no others. */
function closedObject(
  entries: readonly (readonly [string, StrictPart])[],
  described?: StrictPart,
): StrictPart {
  return {
    ...described,
    type: 'object',
    properties: Object.fromEntries(entries),
    required: entries.map(([key]) => key),
    additionalProperties: false,
  };
}

/** The same part, or null. */
function nullable(part: StrictPart): StrictPart {
  const { type, anyOf } = part;
  if (Array.isArray(anyOf)) return { ...part, anyOf: [...(anyOf as unknown[]), { type: 'null' }] };
  const types = [type].flat();
  const isScalar = types.length > 0 && types.every((one) => scalarTypes.has(one));
  if (!isScalar) return { anyOf: [part, { type: 'null' }] };
  const values = Array.isArray(part['enum'])
    ? { enum: [...(part['enum'] as unknown[]), null] }
    : {};
  return { ...part, type: [...types, 'null'], ...values };
}

// Constraints that a provider does not accept as keywords, in words for the model.

const constraintWords: Readonly<Record<string, string>> = {
  minLength: 'at least this many characters',
  maxLength: 'at most this many characters',
  pattern: 'pattern',
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
  multipleOf: 'a multiple of',
  minItems: 'at least this many items',
  maxItems: 'at most this many items',
};

/** Such as `(at least: 0; at most this many characters: 20)`; empty without constraints. */
function constraintNote(
  schema: Readonly<Record<string, unknown>>,
  knownFormats: ReadonlySet<string>,
): string {
  const notes = Object.entries(constraintWords).flatMap(([keyword, text]) => {
    const value = schema[keyword];
    // A known format is shorter than its pattern.
    if (keyword === 'pattern' && schema['format'] !== undefined) return [];
    if (typeof value === 'string') return [`${text}: ${value.slice(0, 200)}`];
    // Schema libraries write the bounds of safe integers, which are not real constraints.
    const isNumber = typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
    return isNumber ? [`${text}: ${value}`] : [];
  });
  const { format } = schema;
  if (typeof format === 'string' && !knownFormats.has(format)) notes.push(`format: ${format}`);
  return notes.length === 0 ? '' : `(${notes.join('; ')})`;
}

// Converts an answer to a strict schema back to the caller's: removes nulls that stand for absence.

/** The same value without the nulls of properties that the caller's schema does not require. */
export function restoreAnswer(value: unknown, { schema, optional }: StrictSchema): unknown {
  if (optional.size === 0) return value;
  const restore = (part: unknown, given: readonly unknown[], depth: number): unknown => {
    if (typeof part !== 'object' || part === null || depth > limits.deepestAnswer) return part;
    const candidates = given.flatMap((one) => alternativesOf(one, schema));
    if (Array.isArray(part)) {
      const items = candidates.map((one) => memberOf(one, 'items')).filter(isRecord);
      return part.map((one) => restore(one, items, depth + 1));
    }
    const objects = candidates.filter((one) => fitsSchema(part, one));
    const entries = Object.entries(part).flatMap(([key, inside]): [string, unknown][] => {
      const isAbsent = inside === null && objects.some((one) => optional.get(one)?.has(key));
      if (isAbsent) return [];
      const schemas = objects
        .map((one) => memberOf(memberOf(one, 'properties'), key))
        .filter(isRecord);
      return [[key, restore(inside, schemas, depth + 1)]];
    });
    // `__proto__` remains an ordinary key.
    return Object.fromEntries(entries);
  };
  return restore(value, [schema], 0);
}

/** The alternatives of a part of the schema, references and unions resolved. */
function alternativesOf(part: unknown, root: unknown, depth = 0): object[] {
  if (!isRecord(part) || depth > 20) return [];
  if (typeof part['$ref'] === 'string') {
    return alternativesOf(referencedPart(root, part['$ref']), root, depth + 1);
  }
  const { anyOf } = part;
  return Array.isArray(anyOf)
    ? anyOf.flatMap((one) => alternativesOf(one, root, depth + 1))
    : [part];
}

/** True for an object schema that has these keys, and whose enums contain their values. */
function fitsSchema(value: object, schema: object): boolean {
  const properties = memberOf(schema, 'properties');
  if (!isRecord(properties)) return false;
  return Object.entries(value).every(([key, inside]) => {
    const values = memberOf(memberOf(properties, key), 'enum');
    return Object.hasOwn(properties, key) && (!Array.isArray(values) || values.includes(inside));
  });
}

// References that are recursive.

/** References that lead back to themselves, directly or indirectly; undefined when there are too many. */
function recursiveReferences(root: unknown): ReadonlySet<string> | undefined {
  const leadsTo = new Map<string, ReadonlySet<string>>();
  const open = [...referencesIn(root)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (leadsTo.has(next)) continue;
    if (leadsTo.size >= limits.references) return undefined;
    const inside = referencesIn(referencedPart(root, next));
    leadsTo.set(next, inside);
    open.push(...inside);
  }
  return new Set([...leadsTo.keys()].filter((reference) => comesBack(reference, leadsTo)));
}

function comesBack(reference: string, leadsTo: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const seen = new Set<string>();
  const open = [...(leadsTo.get(reference) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === reference) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(leadsTo.get(next) ?? []));
  }
  return false;
}

/** All references in a part, at any depth. */
function referencesIn(part: unknown, found = new Set<string>(), depth = 0): ReadonlySet<string> {
  if (typeof part !== 'object' || part === null || depth > limits.deepestReference) return found;
  if (isRecord(part) && typeof part['$ref'] === 'string') found.add(part['$ref']);
  for (const value of Object.values(part)) referencesIn(value, found, depth + 1);
  return found;
}
