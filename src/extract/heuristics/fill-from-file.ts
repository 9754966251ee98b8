/** Fills a schema from a page that is data itself (JSON or XML), by the names in the data. */
import { readXml, type XmlElement } from '../../content/html/xml.ts';
import type { Page } from '../../core/model/page.ts';
import { fold, singular } from '../facts/property-names.ts';
import {
  isSchemaObject,
  itemsOf,
  type JsonSchema,
  meetsConstraints,
  type Shape,
} from '../schema/json-schema.ts';
import { isSelected } from '../schema/selector-keywords.ts';
import { coerce } from './coerce.ts';
import {
  bestOf,
  combined,
  type FillContext,
  type FillOutcome,
  foundAt,
  machineTargetOf,
  missing,
  type SchemaPart,
} from './schema-part.ts';
import { isRecord } from '../../core/runtime/json.ts';

const limits = {
  levels: 64, // a schema may be recursive, and so may hostile data
  objects: 2_000, // objects and lists compared to find the one that the schema describes
  nodes: 1_000_000, // elements, attributes and texts of an XML file
};

/** Fills the schema from the part of `value` that it describes, which may be nested. */
export function fillFromValue(
  schema: JsonSchema,
  value: unknown,
  reading: FillContext,
): FillOutcome {
  const part: SchemaPart = { schema, name: '', path: '', depth: 0 };
  const shape = reading.shapeOf(schema);
  const data =
    shape.kind === 'object' || shape.kind === 'array' ? bestMatch(shape, value, reading) : value;
  return fill(part, data, reading);
}

function fill(part: SchemaPart, value: unknown, reading: FillContext): FillOutcome {
  const shape = reading.shapeOf(part.schema);
  const { const: constant } = shape.schema;
  if (constant !== undefined) return { value: constant, found: 0, notFound: [], sources: [] };
  const isLost = value === undefined || value === null || isSelected(shape.schema);
  if (isLost || part.depth > limits.levels || --reading.budget.parts < 0) {
    return missing(part.path, shape);
  }
  switch (shape.kind) {
    case 'union': {
      const outcomes = shape.alternatives.map((schema) =>
        fill({ ...part, schema, depth: part.depth + 1 }, value, reading),
      );
      const best = bestOf(outcomes);
      return best === undefined || best.found === 0 ? missing(part.path, shape) : best;
    }
    case 'object':
      return fillObject(part, shape, value, reading);
    case 'array':
      return fillList(part, shape, value, reading);
    case 'any':
      return foundAt(part.path, value, 'data');
    default:
      return fillPlain(part, shape, value, reading);
  }
}

function fillObject(
  part: SchemaPart,
  shape: Shape,
  value: unknown,
  reading: FillContext,
): FillOutcome {
  const properties = Object.entries(shape.schema.properties ?? {});
  if (!isRecord(value)) {
    // A bare list fills the only list of the schema.
    const lists = properties.filter(
      ([, schema]) => isSchemaObject(schema) && reading.shapeOf(schema).kind === 'array',
    );
    const [name] = lists[0] ?? [];
    if (!Array.isArray(value) || lists.length !== 1 || name === undefined) {
      return missing(part.path, shape);
    }
    return fillObject(part, shape, { [name]: value }, reading);
  }
  if (properties.length === 0) return foundAt(part.path, value, 'data');
  const names = new Names(value);
  const entries: [string, unknown][] = [];
  const outcomes: FillOutcome[] = [];
  for (const [name, schema] of properties) {
    if (schema === false) continue;
    const path = part.path === '' ? name : `${part.path}.${name}`;
    const member: SchemaPart = {
      schema: schema === true ? {} : schema,
      name,
      path,
      depth: part.depth + 1,
    };
    const outcome = fill(member, names.get(name), reading);
    outcomes.push(outcome);
    if (outcome.value !== undefined) entries.push([name, outcome.value]);
  }
  return combined(Object.fromEntries(entries), outcomes);
}

function fillList(
  part: SchemaPart,
  shape: Shape,
  value: unknown,
  reading: FillContext,
): FillOutcome {
  const schema = itemsOf(shape.schema);
  // A file may write a list of one as a single value; XML always does.
  const values = Array.isArray(value) ? (value as unknown[]) : [value];
  const outcomes: FillOutcome[] = [];
  for (const one of values) {
    const path = `${part.path}[${outcomes.length}]`;
    const outcome = fill({ ...part, schema, path, depth: part.depth + 1 }, one, reading);
    if (outcome.found > 0) outcomes.push(outcome);
  }
  return combined(
    outcomes.map((outcome) => outcome.value),
    outcomes,
  );
}

function fillPlain(
  part: SchemaPart,
  shape: Shape,
  value: unknown,
  reading: FillContext,
): FillOutcome {
  const plain = isRecord(value) ? value['#text'] : value;
  if (typeof plain !== 'string' && typeof plain !== 'number' && typeof plain !== 'boolean') {
    return missing(part.path, shape);
  }
  const { schema, kind } = shape;
  const hasKind = kind === 'integer' ? Number.isInteger(plain) : typeof plain === kind;
  const isExact = hasKind && meetsConstraints(plain, schema);
  const fit = isExact ? plain : coerce(plain, machineTargetOf(part.name, shape, reading));
  return fit === undefined ? missing(part.path, shape) : foundAt(part.path, fit, 'data');
}

/** The object or list with most of the names; among equals the outermost, then the first. */
function bestMatch(shape: Shape, root: unknown, reading: FillContext): unknown {
  const isList = shape.kind === 'array';
  const wanted = isList ? reading.shapeOf(itemsOf(shape.schema)) : shape;
  const names = Object.keys(wanted.schema.properties ?? {});
  let best = isList && !Array.isArray(root) ? undefined : root;
  let most = countNames(isList ? firstOf(root) : root, names);
  const waiting: unknown[] = [root];
  for (let at = 0; at < waiting.length; at += 1) {
    const candidate = waiting[at];
    if (Array.isArray(candidate) === isList) {
      const count = countNames(isList ? firstOf(candidate) : candidate, names);
      if (count > most || best === undefined) [best, most] = [candidate, count];
    }
    if (typeof candidate !== 'object' || candidate === null) continue;
    for (const inner of Object.values(candidate as Record<string, unknown>)) {
      if (waiting.length >= limits.objects) break;
      if (typeof inner === 'object' && inner !== null) waiting.push(inner);
    }
  }
  return best ?? root;
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function countNames(value: unknown, names: readonly string[]): number {
  if (!isRecord(value)) return 0;
  const own = new Names(value);
  return names.filter((name) => own.get(name) !== undefined).length;
}

/** The members of an object by name: exactly, else ignoring case, punctuation and number. */
class Names {
  readonly #object: Readonly<Record<string, unknown>>;
  #folded: Map<string, unknown> | undefined;

  constructor(object: Readonly<Record<string, unknown>>) {
    this.#object = object;
  }

  get(name: string): unknown {
    if (Object.hasOwn(this.#object, name)) return this.#object[name];
    if (this.#folded === undefined) {
      this.#folded = new Map();
      for (const [key, value] of Object.entries(this.#object)) {
        // Without the namespace prefix and the attribute marker.
        const own = fold(key.slice(key.indexOf(':') + 1));
        for (const form of [own, singular(own)]) {
          if (!this.#folded.has(form)) this.#folded.set(form, value);
        }
      }
    }
    const own = fold(name);
    return this.#folded.get(own) ?? this.#folded.get(singular(own));
  }
}

// The value of a data file: JSON as it is, XML by its names.

/** Undefined for other pages, and for a file that does not parse. */
export function fileValue({ kind, mediaType, source }: Page): { value: unknown } | undefined {
  // Feeds and SVG drawings are pages.
  if (kind !== 'text') return undefined;
  try {
    if (/^(?:application|text)\/json$|\+json$/.test(mediaType))
      return { value: JSON.parse(source) };
    if (!/^(?:application|text)\/xml$|\+xml$/.test(mediaType)) return undefined;
    const { root } = readXml(source, { nodes: limits.nodes });
    return root === undefined ? undefined : { value: valueOf(root) };
  } catch {
    return undefined;
  }
}

/**
 * Text if an element has nothing else; otherwise an object of its attributes (`@id`), its elements (repeated
 * ones as lists), and its text (`#text`).
 */
function valueOf({ attributes, children }: XmlElement): unknown {
  const entries = new Map<string, unknown>();
  const repeated = new Map<string, unknown[]>();
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith('xmlns')) entries.set(`@${name}`, value);
  }
  const texts: string[] = [];
  for (const child of children) {
    if (typeof child === 'string') {
      texts.push(child);
      continue;
    }
    const { name } = child;
    const value = valueOf(child);
    const list = repeated.get(name);
    if (list !== undefined) list.push(value);
    else if (entries.has(name)) {
      const both = [entries.get(name), value];
      repeated.set(name, both);
      entries.set(name, both);
    } else entries.set(name, value);
  }
  const text = texts.join('').trim();
  if (entries.size === 0) return text;
  if (text !== '') entries.set('#text', text);
  return Object.fromEntries(entries);
}
