import { describe, expect, it } from 'vitest';
import { defineFormat, type Format } from '../../../src/content/formats/format.ts';
import { parseFormats } from '../../../src/core/options/parse-formats.ts';

const own = (changes: object): Format => ({
  name: 'own',
  needs: 'content',
  run: () => 1,
  ...changes,
});

describe('formats of the caller’s own', () => {
  it.each<[object, string]>([
    [{ name: 'metadata' }, 'cannot be named "metadata"'],
    [{ name: 'warning' }, 'cannot be named "warning"'],
    [{ name: '__proto__' }, 'cannot be named'],
    [{ needs: 'pge' }, 'needs must be "page" or "content"'],
  ])('%j is refused', (changes, message) => {
    expect(() => parseFormats('scrape', [own(changes)], [])).toThrow(message);
  });

  it('take options through their object form', () => {
    const shout = defineFormat({
      name: 'shout',
      needs: 'content',
      parseOptions: ({ loud }): { loud: boolean } => ({ loud: loud === true }),
      run: (_, { loud }) => (loud ? 'HO' : 'ho'),
    });
    const [request] = parseFormats('scrape', [{ type: 'shout', loud: true }], [shout]);
    expect(request?.options).toEqual({ loud: true });
  });

  it('without options take none', () => {
    expect(() => parseFormats('scrape', [{ type: 'own', x: 1 }], [own({})])).toThrow(
      'no option "x"',
    );
  });
});
