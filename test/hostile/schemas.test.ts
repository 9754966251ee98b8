/** Schemas that a stranger wrote: patterns that backtrack, references to elsewhere, keywords that change validation. */
import type { JsonSchema } from '../../src/extract/schema/json-schema.ts';
import { ajvValidator } from '../../src/extract/schema/ajv-validator.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

const letters = 'a'.repeat(40);
const site = { '/': `<h1>${letters}!</h1>` };

/** A schema for the heading. */
const heading = (rest: object): JsonSchema => ({
  type: 'object',
  properties: { title: { type: 'string', 'x-selector': 'h1', ...rest } },
});

const json = (schema: object) => ({
  formats: [{ type: 'json' as const, schema: schema as JsonSchema }],
});

/** What would take years leaves the value out, in no time. */
function isBounded(name: string, schema: object, value: unknown = {}): Scenario {
  return {
    name: `${name} takes no time`,
    site,
    act: async ({ client, site: { url } }) => {
      const document = await client.scrape(url('/'), json(schema));
      return (document as { json?: unknown }).json;
    },
    expect: { value },
  };
}

function isRefused(name: string, schema: object, message: RegExp): Scenario {
  return { name, site, options: json(schema), expect: { code: 'BAD_REQUEST', message } };
}

const validates = async (schema: object, values: readonly unknown[]): Promise<boolean[]> => {
  const validate = await ajvValidator(schema as JsonSchema);
  const results = await Promise.all(values.map((value) => validate(value)));
  return results.map((result) => 'value' in result);
};

const elsewhere = [
  'http://127.0.0.1:2/s.json',
  'other.json',
  '//h.test/s',
  'file:///etc/passwd',
  '',
];

/** Where in a schema another one may stand. */
const places: readonly (readonly [string, (schema: object) => object])[] = [
  ['at the root', (schema) => schema],
  ['of a property', (schema) => ({ properties: { a: schema } })],
  ['of items', (schema) => ({ properties: { a: { type: 'array', items: schema } } })],
  ['in anyOf', (schema) => ({ anyOf: [{ type: 'object' }, schema] })],
  ['in not', (schema) => ({ not: schema })],
  ['in if', (schema) => ({ if: schema, then: true })],
  ['in a pattern of names', (schema) => ({ patternProperties: { '^a': schema } })],
  ['in prefixItems', (schema) => ({ properties: { a: { prefixItems: [schema] } } })],
  ['in dependentSchemas', (schema) => ({ dependentSchemas: { a: schema } })],
  ['in a definition', (schema) => ({ $defs: { a: schema }, $ref: '#/$defs/a' })],
];

runScenarios([
  ...[
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '^(.*a){25}$',
    '^([a-z]+)*$',
    '^(?=(a+)+$)',
    '^(a+)+(?<!b)$',
    String.raw`^(a+)+\1b$`,
    String.raw`^(\p{Letter}+)+$`,
  ].map((pattern) => isBounded(`the pattern ${pattern}`, heading({ pattern }))),
  {
    name: 'a pattern of names takes no time',
    act: () =>
      validates({ type: 'object', patternProperties: { '^(a+)+$': false } }, [
        { [`${letters}!`]: 1 },
        { [letters]: 1 },
      ]),
    expect: { value: [true, false] },
  },
  {
    name: 'patterns are tested by validation in bounded time, too',
    act: () =>
      validates({ type: 'string', pattern: '^(a+)+$' }, [`${letters}!`, letters, `${letters}b`]),
    expect: { value: [false, true, false] },
  },
  {
    name: 'a pattern that cannot be decided in time does not match',
    act: () => validates({ type: 'string', pattern: '^(?=(a+)+$)' }, [`${letters}!`, 'aaa']),
    expect: { value: [false, true] },
  },
  {
    name: 'several patterns are not mixed up',
    act: () =>
      validates(
        {
          type: 'object',
          properties: {
            a: { pattern: '^a+$' },
            b: { pattern: '^b+$' },
            c: { pattern: '^(?!a)' },
            d: { pattern: '^(?=a)' },
          },
        },
        [{ a: 'aa', b: 'bb', c: 'c', d: 'a' }, { a: 'bb' }, { b: 'aa' }, { c: 'a' }, { d: 'b' }],
      ),
    expect: { value: [true, false, false, false, false] },
  },
  {
    name: 'patterns read letters of all scripts, and not halves of them',
    act: () =>
      validates({ type: 'string', pattern: String.raw`^\p{L}.$` }, [
        'ж\u{1f600}',
        'a1',
        '1a',
        'abc',
      ]),
    expect: { value: [true, true, false, false] },
  },
  ...[
    ['url', `http://${'1:'.repeat(30_000)}`],
    ['uri', `http://${'%41'.repeat(20_000)}|`],
    ['email', `${'a.'.repeat(30_000)}@`],
    ['hostname', `${'a-'.repeat(30_000)}.`],
    ['uri-template', `{${'a,'.repeat(30_000)}`],
    ['json-pointer', '/~1'.repeat(20_000)],
    ['date-time', `2020-01-01T${'1'.repeat(60_000)}`],
  ].map(([format, text]): Scenario => ({
    name: `the format ${format} of a long text takes no time`,
    act: () => validates({ type: 'string', format }, [text]),
    expect: { value: [false] },
  })),
  {
    name: 'formats are checked as before where a text is short',
    act: () =>
      Promise.all([
        validates({ format: 'url' }, ['https://h.test/a', 'h.test', 4]),
        validates({ format: 'email' }, ['a@h.test', 'a@']),
        validates({ format: 'date' }, ['2024-02-29', '2023-02-29']),
        validates({ type: 'number', format: 'int32' }, [1, 2 ** 40]),
      ]),
    expect: {
      value: [
        [true, false, true],
        [true, false],
        [true, false],
        [true, false],
      ],
    },
  },
  ...places.map(([where, wrap]) =>
    isRefused(
      `$async ${where} is refused`,
      { type: 'object', ...wrap({ $async: true }) },
      /\$async: expected a schema that is checked at once/,
    ),
  ),
  ...elsewhere.map((reference) =>
    isRefused(
      `a reference to ${JSON.stringify(reference)} is refused`,
      { type: 'object', properties: { a: { $ref: reference } } },
      /\$ref: expected a reference inside the schema/,
    ),
  ),
  ...['$dynamicRef', '$recursiveRef'].map((keyword) =>
    isRefused(
      `${keyword} to elsewhere is refused`,
      { type: 'object', properties: { a: { [keyword]: 'http://127.0.0.1:2/s.json#a' } } },
      /expected a reference inside the schema/,
    ),
  ),
  ...places.map(([where, wrap]) =>
    isRefused(
      `a reference to elsewhere ${where} is refused`,
      { type: 'object', ...wrap({ $ref: 'http://127.0.0.1:2/s.json' }) },
      /\$ref: expected a reference inside the schema/,
    ),
  ),
  isBounded(
    'a property that is called like a keyword',
    { type: 'object', properties: { $async: { type: 'string', 'x-selector': 'h1' } } },
    { $async: `${letters}!` },
  ),
]);
