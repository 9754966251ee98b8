/** The few facts of JSON-LD that metadata falls back on. */

/** Of the first object that has each of them. */
export interface JsonLdFacts {
  author?: string;
  datePublished?: string;
  dateModified?: string;
}

/** Looks at top-level objects and those in an `@graph`; what is no JSON is skipped. */
export function readJsonLdFacts(sources: readonly string[]): JsonLdFacts {
  const facts: JsonLdFacts = {};
  for (const object of sources.flatMap(topObjects)) {
    const author = nameOf(object['author']);
    const { datePublished, dateModified } = object;
    if (author !== undefined) facts.author ??= author;
    if (typeof datePublished === 'string') facts.datePublished ??= datePublished;
    if (typeof dateModified === 'string') facts.dateModified ??= dateModified;
  }
  return facts;
}

type JsonObject = Readonly<Record<string, unknown>>;

function topObjects(source: string): JsonObject[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch {
    return [];
  }
  return objectsIn(parsed).flatMap((object) => [object, ...objectsIn(object['@graph'])]);
}

function objectsIn(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isObject);
  return isObject(value) ? [value] : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `"Ann"`, `{ "name": "Ann" }`, or a list of either. */
function nameOf(value: unknown): string | undefined {
  const people: readonly unknown[] = Array.isArray(value) ? value : [value];
  const names = people
    .map((person) => (isObject(person) ? person['name'] : person))
    .filter((name): name is string => typeof name === 'string' && name.trim() !== '');
  return names.join(', ') || undefined;
}
