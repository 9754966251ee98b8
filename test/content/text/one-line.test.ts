import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine } from '../../../src/content/text/plain-text.ts';

describe('one line of text', () => {
  it.each([
    ['a word', 'a word'],
    ['  two\n\twords\u00a0here ', 'two words here'],
    ['a\u00a0b', 'a b'],
    [' \n ', ''],
    ['', ''],
  ])('%j is %j', (text, expected) => {
    expect(oneLine(text)).toBe(expected);
  });

  it('is what replacing every run of white space gives', () => {
    const piece = fc.constantFrom(
      'a',
      'word',
      ' ',
      '  ',
      '\n',
      '\t',
      '\r\n',
      '\u00a0',
      '\u2028',
      '\u3000',
      '\ufeff',
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => pieces.join('')),
        (text) => {
          expect(oneLine(text)).toBe(text.replace(/\s+/g, ' ').trim());
        },
      ),
    );
  });
});
