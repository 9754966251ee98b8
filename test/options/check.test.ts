import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ValidationError } from '../../src/errors.ts';
import { check, nearest } from '../../src/options/check.ts';

const schema = z.strictObject({
  timeout: z.int().min(1000).optional(),
  mode: z.enum(['fast', 'slow']).optional(),
  list: z.array(z.strictObject({ name: z.string() })).optional(),
  pattern: z.union([z.string(), z.instanceof(RegExp)]).optional(),
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
    [{ zzz: 1 }, 'unknown option "zzz"; known: timeout, mode, list, pattern'],
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

describe('nearest', () => {
  it.each([
    ['onlymaincontent', 'onlyMainContent'],
    ['formts', 'formats'],
    ['xyz', undefined],
  ])('%s is %s', (name, expected) => {
    expect(nearest(name, ['onlyMainContent', 'formats', 'timeout'])).toBe(expected);
  });
});
