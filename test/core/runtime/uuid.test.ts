import { expect, it } from 'vitest';
import { uuid, uuidOf } from '../../../src/core/runtime/identifiers.ts';

it('is a version 4 UUID of the chance that was given', () => {
  const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  for (const chance of [0, 0.25, 0.5, 0.999999]) expect(uuid(() => chance)).toMatch(version4);
  expect(uuid(Math.random)).not.toBe(uuid(Math.random));
  expect(uuid(() => 0)).toBe('00000000-0000-4000-8000-000000000000');
});

it('is the same for the same text', () => {
  expect(uuidOf('a page')).toBe(uuidOf('a page'));
  expect(uuidOf('a page')).not.toBe(uuidOf('another page'));
});
