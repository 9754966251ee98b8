/** What is wrong with a JSON Schema, as far as it can be told without compiling it. */
import { ValidationError, type ValidationIssue } from '../../errors.ts';
import { xpathError } from '../../html/select-by-xpath.ts';
import { selectorError } from '../../html/selector.ts';
import { isSchemaObject, type JsonSchema, resolveReference } from './json-schema.ts';
import { xpathOf } from './selectors.ts';
import { transformProblem } from './transforms.ts';

type Path = readonly (string | number)[];

/** Throws `ValidationError` with everything that is wrong: types, selectors, references. */
export function checkJsonSchema(schema: JsonSchema): void {
  const issues: ValidationIssue[] = [];
  const seen = new Set<unknown>();
  const pending: { value: unknown; path: Path }[] = [{ value: schema, path: ['schema'] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, path } = next;
    if (typeof value === 'boolean' || seen.has(value)) continue;
    if (!isSchemaObject(value)) {
      issues.push(issue(path, `expected a schema object, got ${JSON.stringify(value)}`));
      continue;
    }
    seen.add(value);
    issues.push(...keywordIssues(value, path, schema));
    for (const selector of selectorsOf(value)) {
      const problem = selectorProblem(selector);
      if (problem !== undefined) issues.push(issue([...path, 'x-selector'], problem));
    }
    const transform = transformProblem(value);
    if (transform !== undefined) issues.push(issue([...path, 'x-transform'], transform));
    pending.push(...subschemas(value, path).reverse());
  }
  if (issues.length > 0) throw new ValidationError('schema', issues);
}

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']);

/** Nothing is fetched for a schema. */
const references = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

function keywordIssues(schema: JsonSchema, path: Path, root: JsonSchema): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const expect = (keyword: string, isRight: boolean, expected: string): void => {
    if (!isRight) issues.push(issue([...path, keyword], `expected ${expected}`));
  };
  const { type, required, $ref: reference } = schema as Record<string, unknown>;
  for (const name of type === undefined ? [] : [type].flat()) {
    const isKnown = typeof name === 'string' && typeNames.has(name);
    expect('type', isKnown, `one of ${[...typeNames].join(', ')}, got ${JSON.stringify(name)}`);
  }
  if (required !== undefined) {
    const isList = Array.isArray(required) && required.every((key) => typeof key === 'string');
    expect('required', isList, "an array of property names, on the object's schema");
  }
  if (schema.enum !== undefined) {
    expect('enum', Array.isArray(schema.enum) && schema.enum.length > 0, 'a list of values');
  }
  if (typeof reference === 'string' && reference.startsWith('#')) {
    const isAnchor = !/^#(\/|$)/.test(reference);
    const isFound = isAnchor || resolveReference(reference, root) !== undefined;
    expect('$ref', isFound, `a reference inside the schema; there is no ${reference}`);
  }
  for (const keyword of references) {
    const given = (schema as Record<string, unknown>)[keyword];
    const isInside = given === undefined || (typeof given === 'string' && given.startsWith('#'));
    expect(keyword, isInside, 'a reference inside the schema, which begins with #');
  }
  expect('$async', schema['$async'] === undefined, 'a schema that is checked at once');
  const attribute = schema['x-attribute'];
  expect('x-attribute', attribute === undefined || typeof attribute === 'string', 'a name');
  return issues;
}

function selectorsOf(schema: JsonSchema): unknown[] {
  const selector = schema['x-selector'];
  return selector === undefined ? [] : [selector].flat();
}

function selectorProblem(selector: unknown): string | undefined {
  if (typeof selector !== 'string')
    return 'expected a CSS selector, or an array of them; an XPath begins with "xpath:"';
  const xpath = xpathOf(selector);
  if (xpath !== undefined) {
    const problem = xpathError(xpath);
    return problem && `${JSON.stringify(xpath)} is not an XPath that is known here: ${problem}`;
  }
  const problem = selectorError(selector);
  return problem && `${JSON.stringify(selector)} is not a CSS selector: ${problem}`;
}

/** Keywords of the drafts whose members are schemas. */
const schemasByName = [
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
] as const;

/** Keywords whose value is a schema, or a list of them. */
const schemaKeywords = [
  ...[
    'anyOf',
    'oneOf',
    'allOf',
    'items',
    'additionalProperties',
    'prefixItems',
    'not',
    'if',
    'then',
  ],
  ...['else', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
];

function subschemas(schema: JsonSchema, path: Path): { value: unknown; path: Path }[] {
  const found: { value: unknown; path: Path }[] = [];
  for (const keyword of schemasByName) {
    const members = schema[keyword];
    if (members === undefined) continue;
    if (!isSchemaObject(members)) {
      found.push({ value: members, path: [...path, keyword] });
      continue;
    }
    for (const [key, value] of Object.entries(members)) {
      found.push({ value, path: [...path, keyword, key] });
    }
  }
  for (const keyword of schemaKeywords) {
    const members = schema[keyword];
    if (members === undefined) continue;
    const list = Array.isArray(members) ? (members as unknown[]) : undefined;
    if (list === undefined) found.push({ value: members, path: [...path, keyword] });
    else list.forEach((value, index) => found.push({ value, path: [...path, keyword, index] }));
  }
  return found;
}

function issue(path: Path, message: string): ValidationIssue {
  return { path, message: `${path.slice(1).join('.') || 'the schema'}: ${message}` };
}
