import { describe, expect, it } from 'vitest';
import { looksRandom } from '../../../src/core/runtime/identifiers.ts';

describe('text that looks random', () => {
  it.each([
    '5f4dcc3b5aa765d61d8327deb882cf99',
    '5F4DCC3B-5AA7-65D6-1D83-27DEB882CF99',
    'k3j9x0a1b2c',
    '4fzyo82mvyr',
    'dQ4w9WgXc8Q',
    '1714521600123',
    'a8f3-9b2c-77d1',
  ])('%s', (text) => expect(looksRandom(text)).toBe(true));

  it.each([
    '',
    'iphone-15-pro',
    'covid19',
    'amber-harbour-2024',
    'the-10-best-of-2024',
    'advanced',
    'getting_started_2',
    '20240503',
    '12345',
    'mp3player',
    'version-2-0-1-release',
    'a'.repeat(600),
  ])('is not: %s', (text) => expect(looksRandom(text)).toBe(false));
});
