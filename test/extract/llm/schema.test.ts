/** What of a schema a provider gets, and how its answer comes back. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  hasObjectRoot,
  plainSchema,
  structuredRequest,
  textWithin,
} from '../../../src/extract/llm/structured-output.ts';
import { restoreAnswer, strictSchema } from '../../../src/extract/llm/strict-schema.ts';
import type { AnswerSchema } from '../../../src/extract/llm/model.ts';
import { strictProblem } from '../../support/openai-server.ts';

const text = { type: 'string' };
const object = (properties: object, required: string[] = [], more: object = {}): AnswerSchema => ({
  type: 'object',
  properties,
  required,
  ...more,
});

describe('a strict schema', () => {
  const category = z.object({
    title: z.string(),
    get children() {
      return z.array(category);
    },
  });
  const rich = z.object({
    url: z.url().optional(),
    mail: z.email(),
    count: z.int().min(1).max(9),
    kind: z.enum(['a', 'b']).optional(),
    when: z.iso.datetime().nullable(),
    either: z.union([z.object({ a: z.string() }), z.object({ b: z.number().optional() })]),
    literal: z.literal('x'),
    list: z.array(z.object({ name: z.string().optional() })).min(1),
    tree: category,
  });

  it('keeps to every rule of the provider', () => {
    const strict = strictSchema(z.toJSONSchema(rich));
    expect(strict).toBeDefined();
    expect(strictProblem(strict?.schema, 'root')).toBeUndefined();
    expect(JSON.stringify(strict?.schema)).toContain('(at least: 1; at most: 9)');
  });

  it('makes optional properties nullable, and drops their nulls on the way back, not others', () => {
    const strict = strictSchema(z.toJSONSchema(rich));
    const given = {
      url: null,
      mail: 'a@b.test',
      count: 1,
      kind: null,
      when: null,
      literal: 'x',
      either: { b: null },
      list: [{ name: null }, { name: 'n' }],
      tree: { title: 't', children: [] },
    };
    expect(restoreAnswer(given, strict!)).toEqual({
      mail: 'a@b.test',
      count: 1,
      when: null,
      literal: 'x',
      either: {},
      list: [{}, { name: 'n' }],
      tree: { title: 't', children: [] },
    });
  });

  it('keeps recursion as a reference, whatever it points to, and drops nulls inside', () => {
    const tree = object(
      { name: text, next: { $ref: '#' }, all: { type: 'array', items: { $ref: '#' } } },
      ['name', 'all'],
    );
    const strict = strictSchema(tree)!;
    expect(strictProblem(strict.schema, 'root')).toBeUndefined();
    expect(strict.schema).toMatchObject({
      properties: { next: { anyOf: [{ $ref: '#/$defs/root' }, { type: 'null' }] } },
      $defs: { root: { type: 'object' } },
    });
    const leaf = { name: 'b', next: null, all: [] };
    expect(restoreAnswer({ name: 'a', next: leaf, all: [leaf] }, strict)).toEqual({
      name: 'a',
      next: { name: 'b', all: [] },
      all: [{ name: 'b', all: [] }],
    });
    const inside = strictSchema({ type: 'array', items: { $ref: '#' } }, 'value')!;
    expect(strictProblem(inside.schema, 'root')).toBeUndefined();
  });

  it('puts what is not recursive in the place of its references, under either name', () => {
    const schema = object(
      { a: { $ref: '#/definitions/m~0n~1o' }, b: { $ref: '#/properties/a' } },
      ['a', 'b'],
      { definitions: { 'm~n/o': object({ x: text }, ['x']) } },
    );
    const inlined = {
      type: 'object',
      properties: { x: text },
      required: ['x'],
      additionalProperties: false,
    };
    expect(strictSchema(schema)?.schema).toMatchObject({ properties: { a: inlined, b: inlined } });
    expect(strictSchema(schema)?.schema).not.toHaveProperty('$defs');
  });

  it('stays small where references would double at every step', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => {
        const next = index === 59 ? text : { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { anyOf: [next, next] }];
      }),
    );
    const strict = strictSchema(object({ a: { $ref: '#/$defs/d0' } }, ['a'], { $defs }));
    expect(JSON.stringify(strict?.schema ?? {}).length).toBeLessThan(200_000);
  });

  it.each([
    ['a record', object({ a: { type: 'object', additionalProperties: text } })],
    ['an object of anything', object({ a: { type: 'object' } })],
    ['patterns for keys', object({}, [], { patternProperties: { a: text } })],
    ['a tuple', object({ a: { type: 'array', prefixItems: [text] } })],
    ['any value', object({ a: {} })],
    ['several at once', object({ a: { allOf: [object({}), object({})] } })],
    ['a reference out of it', object({ a: { $ref: 'https://x.test/a.json' } })],
    ['a reference to nowhere', object({ a: { $ref: '#/$defs/none' } })],
    ['a reference to itself alone', { $ref: '#' }],
    ['values that are objects', object({ a: { enum: [{ b: 1 }] } })],
    [
      'depth',
      Array.from({ length: 30 }).reduce<AnswerSchema>((inner) => object({ a: inner }), object({})),
    ],
    [
      '6000 properties',
      object(Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`p${i}`, text]))),
    ],
    ['2000 words', object({ a: { enum: Array.from({ length: 2000 }, String) } })],
    [
      '5000 references in a chain',
      object({ a: { $ref: '#/$defs/d0' } }, [], {
        $defs: Object.fromEntries(
          Array.from({ length: 5000 }, (_, i) => [
            `d${i}`,
            { anyOf: [{ $ref: `#/$defs/d${i + 1}` }] },
          ]),
        ),
      }),
    ],
  ])('is not made of %s: the plain one is sent, not called strict', (_, schema) => {
    expect(strictSchema(schema)).toBeUndefined();
    expect(structuredRequest(schema, 'json_schema').isStrict).toBe(false);
  });

  it('takes keys that mean something else in JavaScript', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["constructor"]}',
    ) as AnswerSchema;
    const strict = strictSchema(schema)!;
    expect(strict.schema['required']).toEqual(['__proto__', 'constructor']);
    const given = JSON.parse('{"__proto__":null,"constructor":"c"}') as unknown;
    expect(JSON.stringify(restoreAnswer(given, strict))).toBe('{"constructor":"c"}');
    const kept = restoreAnswer(JSON.parse('{"__proto__":{"a":1},"constructor":"c"}'), strict);
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"a":1},"constructor":"c"}');
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });
});

describe('a plain schema', () => {
  it('is the caller’s without our own keywords; properties and values of such names stay', () => {
    const schema = {
      ...object({ 'x-ray': { ...text, 'x-selector': 'p' } }, ['x-ray']),
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      enum: [{ 'x-a': 1 }],
      'x-items': 1,
    };
    expect(plainSchema(schema)).toEqual({
      ...object({ 'x-ray': text }, ['x-ray']),
      enum: [{ 'x-a': 1 }],
    });
  });

  it('has its references follow it into a wrapper', () => {
    const schema = {
      type: 'array',
      items: { $ref: '#/$defs/a' },
      $defs: { a: { anyOf: [{ $ref: '#' }, text] } },
    };
    expect(plainSchema(schema, 'value')).toMatchObject({
      properties: {
        value: {
          items: { $ref: '#/properties/value/$defs/a' },
          $defs: { a: { anyOf: [{ $ref: '#/properties/value' }, text] } },
        },
      },
    });
  });

  it('has an object for a root where its reference leads to one', () => {
    expect(hasObjectRoot({ $ref: '#/$defs/a', $defs: { a: object({}) } })).toBe(true);
    expect(hasObjectRoot({ $ref: '#' })).toBe(false);
    expect(hasObjectRoot({ anyOf: [object({})] })).toBe(false);
  });

  it('refuses what no model takes, cycles of objects included', () => {
    const cycle: Record<string, unknown> = { type: 'array' };
    cycle['items'] = cycle;
    expect(() => plainSchema(cycle)).toThrow(expect.objectContaining({ code: 'MODEL_FAILED' }));
    const wide = object(
      Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`p${i}`, text])),
    );
    expect(() => plainSchema(wide)).toThrow(/more than 20000 parts/);
  });
});

describe('an answer', () => {
  const list = structuredRequest({ type: 'array', items: object({ a: text }) }, 'json_schema');

  it.each([
    ['{"value":[{"a":null},{"a":"b"}]}', '[{},{"a":"b"}]'],
    ['```json\n{"value":[]}\n```', '[]'],
    ['<think>{"value":[1]}</think>\n{"value":[]}', '[]'],
    ['[{"a":"b"}]', '[{"a":"b"}]'],
    ['{"value":[{"a":"b"},{"a"', '[{"a":"b"},{"a"'],
    ['{"value":[{"a":{"b":1}', '[{"a":{"b":1}'],
    ['Sorry.', 'Sorry.'],
    ['', ''],
  ])('%j is read as %j', (given, read) => {
    expect(list.read(given)).toBe(read);
  });

  it('that nests without end is left as it is', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(structuredRequest(object({ a: text }), 'json_schema').read(deep)).toHaveLength(100_000);
  });

  it.each([1, 3, 1000])('is heard without its wrapper, in pieces of %i', (size) => {
    for (const [given, isCut, heard] of [
      ['{"value": [{"a":{}}] }', false, '[{"a":{}}]'],
      [' {\n "value" : "x}" }\n', false, '"x}"'],
      ['{"value":[{"a":{"b":1}}', true, '[{"a":{"b":1}}'],
      ['{"other":1}', false, '{"other":1}'],
      ['prose '.repeat(100), false, 'prose '.repeat(100)],
    ] as const) {
      let out = '';
      const listener = textWithin('value', (more) => (out += more));
      for (let start = 0; start < given.length; start += size)
        listener.write(given.slice(start, start + size));
      listener.end(isCut);
      expect(out).toBe(heard);
    }
  });
});
