import { expect, it } from 'vitest';
import { acceptLanguage } from '../../../src/core/model/request-options.ts';

it.each([
  [{}, 'en-US,en;q=0.9'],
  [{ country: 'DE' }, 'de-DE,de;q=0.9,en;q=0.8'],
  [{ country: 'br' }, 'pt-BR,pt;q=0.9,en;q=0.8'],
  [{ country: 'JP', languages: ['ja'] }, 'ja,en;q=0.9'],
  [{ languages: ['de-AT', 'fr'] }, 'de-AT,de;q=0.9,fr;q=0.8,en;q=0.7'],
])('%j asks for %s', (location, expected) => {
  expect(acceptLanguage(location)).toBe(expected);
});
