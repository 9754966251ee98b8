import { expect, test } from 'vitest';
import { ActRecipes } from '../../../src/browser/act/act-recipes.ts';
import type { ActRecipe } from '../../../src/browser/actions/act-recipe.ts';
import { fakeClock } from '../../../src/entries/testing/fake-clock.ts';
import { memoryStore } from '../../../src/core/storage/memory-store.ts';

const recipe = (id: string): ActRecipe => ({
  format: 1,
  id,
  host: 'shop.test',
  prompt: 'do it',
  steps: [{ action: 'click', selectors: ['#buy'], effect: { kind: 'pageChanges' } }],
  learnedFrom: 'https://shop.test/',
  learnedAt: '2026-11-30T00:00:00.000Z',
  model: 'scripted',
});

test('recipes that are learned at the same moment in two processes are both stored', async () => {
  const store = memoryStore();
  const [one, other] = [new ActRecipes(store, fakeClock()), new ActRecipes(store, fakeClock())];
  const key = one.key('shop.test', 'do it', undefined);
  await Promise.all([one.add(key, recipe('a')), other.add(key, recipe('b'))]);
  expect((await one.read(key)).map(({ id }) => id).sort()).toEqual(['a', 'b']);
  expect(await other.remove('a')).toBe(true);
  expect((await one.list()).map(({ id }) => id)).toEqual(['b']);
});
