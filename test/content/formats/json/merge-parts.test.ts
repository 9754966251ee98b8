import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../../src/extract/schema/json-schema.ts';
import { mergeParts } from '../../../../src/extract/merge-extractions.ts';

describe('the parts of a page', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      title: { type: 'string' },
      rows: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            price: { type: 'number' },
            note: { type: 'string' },
          },
        },
      },
    },
  };
  const merged = (
    ...parts: { value: unknown; mayContinue?: boolean }[]
  ): ReturnType<typeof mergeParts> =>
    mergeParts(
      parts.map(({ value, mayContinue = true }) => ({ value, mayContinue })),
      schema,
    );

  it('are joined: rows of different parts are different rows, whatever their names', () => {
    const rows = [{ name: 'a' }, { name: 'b' }];
    expect(merged({ value: { rows } }, { value: { rows } }).value).toEqual({
      rows: [...rows, ...rows],
    });
  });

  it('have one record where a border parts it', () => {
    const { value } = merged(
      { value: { rows: [{ name: 'a', price: 1 }, { name: 'b' }] } },
      { value: { rows: [{ name: 'b', price: 2 }, { name: 'c' }] } },
    );
    expect(value).toEqual({
      rows: [{ name: 'a', price: 1 }, { name: 'b', price: 2 }, { name: 'c' }],
    });
  });

  it('have two where they contradict each other, or stand in one table', () => {
    const one = { rows: [{ name: 'b', price: 1 }] };
    const other = { rows: [{ name: 'b', price: 2 }] };
    expect(merged({ value: one }, { value: other }).value).toEqual({
      rows: [...one.rows, ...other.rows],
    });
    expect(merged({ value: one }, { value: one, mayContinue: false }).value).toEqual({
      rows: [...one.rows, ...one.rows],
    });
  });

  it('have the first of plain values that differ, which is told', () => {
    const { value, conflicts } = merged({ value: { title: 'x' } }, { value: { title: 'y' } });
    expect(value).toEqual({ title: 'x' });
    expect(conflicts.map(({ path }) => path)).toEqual(['title']);
  });
});
