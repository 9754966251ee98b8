/**
 * A JSON Schema within the limits of strict structured output: every property required, no others
 * allowed, few keywords. Source: OpenAI, "Structured model outputs", supported schemas.
 */
import { isRecord } from './json-value.ts';
import type { AnswerSchema } from './model.ts';
import { constraintNote } from './schema-note.ts';
import { recursiveReferences, resolveReference } from './schema-references.ts';
import {
  closedObject,
  formats,
  hasLiterals,
  hasShape,
  nameIn,
  NotStrict,
  nullable,
  type Part,
  scalars,
  typeOfLiteral,
} from './strict-parts.ts';

/** A schema that says the same, as far as strict output can say it. */
export interface StrictSchema {
  readonly schema: AnswerSchema;
  /**
   * Properties that the caller's schema does not require, by the object that they are in: they are
   * required here and may be null, which stands for their absence.
   */
  readonly optional: ReadonlyMap<object, ReadonlySet<string>>;
}

/** Limits of the provider, and of the work. */
const limits = {
  properties: 5000,
  depth: 10,
  enumValues: 1000,
  text: 100_000,
  inlined: 2000,
  open: 300,
};

/**
 * Undefined when the schema has something that strict output cannot say: objects with free keys,
 * tuples, values of any kind, references that lead out of it, or more than the provider takes.
 * Lengths, ranges and patterns become words in the description; they are checked in the answer.
 */
export function strictSchema(root: AnswerSchema, wrapper?: string): StrictSchema | undefined {
  const recursive = recursiveReferences(root);
  if (recursive === undefined) return undefined;
  const translation = new Translation(root, recursive);
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

class Translation {
  readonly optional = new Map<object, ReadonlySet<string>>();
  readonly #root: AnswerSchema;
  readonly #recursive: ReadonlySet<string>;
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, Part>();
  #parts = 0;
  /** How many parts are being translated, each inside the other. */
  #open = 0;
  #properties = 0;
  #enumValues = 0;
  #text = 0;

  constructor(root: AnswerSchema, recursive: ReadonlySet<string>) {
    this.#root = root;
    this.#recursive = recursive;
  }

  definitions(): Part {
    return Object.fromEntries(this.#definitions);
  }

  /** The definition itself, for a root that refers to one. */
  withoutReference(part: Part): Part {
    const definition = this.#definitions.get(nameIn(part) ?? '');
    if (definition === undefined) return part;
    const copy = { ...definition };
    const missing = this.optional.get(definition);
    if (missing !== undefined) this.optional.set(copy, missing);
    return copy;
  }

  part(schema: unknown, depth: number): Part {
    this.#parts += 1;
    this.#open += 1;
    if (!isRecord(schema) || depth > limits.depth || this.#open > limits.open)
      throw new NotStrict();
    const part = this.#translated(schema, depth);
    this.#open -= 1;
    return part;
  }

  #translated(schema: Part, depth: number): Part {
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

  /** The alternatives, however they are written: one of several types is one, too. */
  #choices(schema: Part): readonly unknown[] | undefined {
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

  #onlyOne(schema: Part, only: unknown, depth: number, described: Part): Part {
    const others = (schema['allOf'] as unknown[]).length > 1;
    if (others || hasShape(schema) || hasLiterals(schema)) throw new NotStrict();
    const part = this.part(only, depth);
    // A reference stands alone.
    return part['$ref'] === undefined ? Object.assign(part, described) : part;
  }

  #typed(schema: Part, depth: number, described: Part): Part {
    const { type, properties, items } = schema;
    if (type === 'object' || (type === undefined && isRecord(properties))) {
      return this.#object(schema, depth, described);
    }
    if (type === 'array' || (type === undefined && isRecord(items))) {
      if (!isRecord(items) || schema['prefixItems'] !== undefined) throw new NotStrict();
      return { ...described, type: 'array', items: this.part(items, depth + 1) };
    }
    const isKnown = [type].flat().every((one) => scalars.has(one));
    if (!isKnown) throw new NotStrict();
    const { format } = schema;
    return {
      ...described,
      type,
      ...(typeof format === 'string' && formats.has(format) ? { format } : {}),
    };
  }

  #object(schema: Part, depth: number, described: Part): Part {
    const { properties = {}, additionalProperties, patternProperties } = schema;
    if (!isRecord(properties) || patternProperties !== undefined) throw new NotStrict();
    const isEmpty = Object.keys(properties).length === 0;
    const isOpen = additionalProperties === true || isEmptyObject(additionalProperties);
    if (isRecord(additionalProperties) && !isOpen) throw new NotStrict();
    // What may have any keys and names none is a record.
    if (isEmpty && additionalProperties !== false) throw new NotStrict();
    const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
    const missing = new Set<string>();
    const entries = Object.entries(properties).map(([key, value]): [string, Part] => {
      this.#properties += 1;
      this.#count(key);
      if (this.#properties > limits.properties) throw new NotStrict();
      const part = this.part(value, depth + 1);
      if (required.includes(key) || this.#takesNull(part)) return [key, part];
      missing.add(key);
      return [key, nullable(part)];
    });
    const object = closedObject(entries, described);
    if (missing.size > 0) this.optional.set(object, missing);
    return object;
  }

  #literals(schema: Part): Part {
    const values = Array.isArray(schema['enum'])
      ? (schema['enum'] as unknown[])
      : [schema['const']];
    this.#enumValues += values.length;
    if (this.#enumValues > limits.enumValues || values.length === 0) throw new NotStrict();
    const types = new Set(values.map(typeOfLiteral));
    for (const value of values) this.#count(String(value));
    const [type] = types;
    return { type: types.size === 1 ? type : [...types], enum: values };
  }

  /** What leads back to itself stays a reference; anything else is put in its place, as far as that is little. */
  #reference(reference: string, depth: number): Part {
    const target = resolveReference(this.#root, reference);
    if (!isRecord(target)) throw new NotStrict();
    if (!this.#recursive.has(reference) && this.#parts < limits.inlined) {
      return this.part(target, depth);
    }
    let name = this.#names.get(reference);
    if (name === undefined) {
      name = this.#nameFor(reference);
      this.#names.set(reference, name);
      const definition = this.part(target, 1);
      // One that is nothing but another name says nothing.
      if (nameIn(definition) !== undefined) throw new NotStrict();
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

  #description(schema: Part): Part {
    const { description } = schema;
    const note = constraintNote(schema, formats);
    const words = [typeof description === 'string' ? description : '', note];
    const text = words.filter((word) => word !== '').join(' ');
    return text === '' ? {} : { description: text };
  }

  #takesNull(part: Part, depth = 0): boolean {
    const { type, anyOf } = part;
    const name = nameIn(part);
    if ([type].flat().includes('null')) return true;
    if (name !== undefined && depth < limits.depth) {
      return this.#takesNull(this.#definitions.get(name) ?? {}, depth + 1);
    }
    if (!Array.isArray(anyOf) || depth > limits.depth) return false;
    return (anyOf as Part[]).some((choice) => this.#takesNull(choice, depth + 1));
  }

  #count(text: string): void {
    this.#text += text.length;
    if (this.#text > limits.text) throw new NotStrict();
  }
}

function isEmptyObject(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}
