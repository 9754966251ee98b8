import { storeConformance } from 'pagewright/testing';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/core/storage/memory-store.ts';

describe('memoryStore conforms', () => {
  for (const { name, run } of storeConformance(() => memoryStore())) test(name, run);
});

test('an entry expires by the clock that the store was given', async () => {
  let time = 1000;
  const store = memoryStore(() => time);
  await store.set('a', new Uint8Array([1]), { expiresAt: 2000 });
  time = 1999;
  expect(await store.get('a')).toEqual(new Uint8Array([1]));
  time = 2000;
  expect(await store.get('a')).toBeUndefined();
});

test('two stores share nothing', async () => {
  const [one, other] = [memoryStore(), memoryStore()];
  await one.set('a', new Uint8Array([1]));
  expect(await other.get('a')).toBeUndefined();
});
