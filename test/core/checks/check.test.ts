import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ValidationError } from '../../../src/core/runtime/errors.ts';
import { check } from '../../../src/core/checks/check.ts';
import { nearestName } from '../../../src/core/checks/option-errors.ts';

const schema = z.strictObject({
  timeout: z.int().min(1000).optional(),
  mode: z.enum(['fast', 'slow']).optional(),
  list: z.array(z.strictObject({ name: z.string() })).optional(),
  pattern: z.union([z.string(), z.instanceof(RegExp)]).optional(),
  kinds: z
    .array(
      z.union([
        z.literal('a'),
        z.strictObject({ type: z.literal('a'), size: z.int().optional() }),
        z.strictObject({ type: z.literal('b'), weight: z.int().optional() }),
      ]),
    )
    .optional(),
  switch: z.union([z.literal(false), z.strictObject({ speed: z.int().optional() })]).optional(),
  byName: z.record(z.string(), z.strictObject({ size: z.int().optional() })).optional(),
  kind: z.union([z.literal('a'), z.literal('b')], 'expected "a" or "b"').optional(),
});

const messages = (input: unknown): string[] => {
  try {
    check('verb', schema, input);
  } catch (error) {
    if (error instanceof ValidationError) return error.issues.map(({ message }) => message);
    throw error;
  }
  return [];
};

describe('check says what is wrong and what would be right', () => {
  it.each<[unknown, string]>([
    [{ timout: 1 }, 'unknown option "timout"; did you mean "timeout"?'],
    [
      { list: [{ nam: 'x', name: 'y' }] },
      'unknown option "list[0].nam"; did you mean "list[0].name"?',
    ],
    [
      { zzz: 1 },
      'unknown option "zzz"; known: timeout, mode, list, pattern, kinds, switch, byName, kind',
    ],
    // Within unions and records too: those of the objects that are meant.
    [
      { kinds: [{ type: 'a', colour: 1 }] },
      'unknown option "kinds[0].colour"; known: kinds[0].type, kinds[0].size',
    ],
    [
      { kinds: ['a', { type: 'b', wight: 1 }] },
      'unknown option "kinds[1].wight"; did you mean "kinds[1].weight"?',
    ],
    [{ switch: { colour: 1 } }, 'unknown option "switch.colour"; known: switch.speed'],
    [{ byName: { x: { colour: 1 } } }, 'unknown option "byName.x.colour"; known: byName.x.size'],
    [{ kind: 'c' }, 'kind: expected "a" or "b", got "c"'],
    [{ timeout: 'x' }, 'timeout: expected number, got "x"'],
    [{ timeout: 1 }, 'timeout: expected number to be >=1000, got 1'],
    [{ timeout: 1500.5 }, 'timeout: expected int, got 1500.5'],
    [{ mode: 'fats' }, 'mode: expected one of "fast"|"slow", got "fats"'],
    [{ pattern: 3 }, 'pattern: expected string or expected RegExp, got 3'],
    [{ list: [{ name: 4 }] }, 'list[0].name: expected string, got 4'],
    [null, 'expected object, got null'],
    [7, 'expected object, got 7'],
    [{ timeout: 1n }, 'timeout: expected number, got 1n'],
    [{ mode: { a: 1 } }, 'mode: expected one of "fast"|"slow", got { a: 1 }'],
  ])('%o', (input, message) => expect(messages(input)).toEqual([message]));

  it('names all mistakes', () => {
    expect(messages({ timout: 1, mod: 2, timeout: 'x' })).toHaveLength(3);
  });

  it('lets undefined stand for not given', () => {
    expect(check('verb', schema, { timeout: undefined })).toEqual({ timeout: undefined });
  });
});

describe('a place', () => {
  const issuesAt = (input: unknown): unknown => {
    const hintFor = (name: string) => (name === 'old' ? 'write mode' : undefined);
    try {
      check('verb', schema, input, { at: ['steps', 2], others: ['speed'], hintFor });
      return undefined;
    } catch (error) {
      return (error as ValidationError).issues;
    }
  };

  it('stands before the paths, and may have options of its own and hints', () => {
    const message = 'unknown option "steps[2].sped"; did you mean "steps[2].speed"?';
    expect(issuesAt({ sped: 1 })).toEqual([{ path: ['steps', 2, 'sped'], message }]);
    expect(issuesAt({ old: 1 })).toEqual([
      { path: ['steps', 2, 'old'], message: 'unknown option "steps[2].old"; write mode' },
    ]);
    expect(issuesAt({ list: [{ name: 'x', old: 1 }] })).toMatchObject([
      { message: 'unknown option "steps[2].list[0].old"; known: steps[2].list[0].name' },
    ]);
  });
});

describe('nearest', () => {
  it.each([
    ['onlymaincontent', 'onlyMainContent'],
    ['formts', 'formats'],
    ['xyz', undefined],
  ])('%s is %s', (name, expected) => {
    expect(nearestName(name, ['onlyMainContent', 'formats', 'timeout'])).toBe(expected);
  });
});
