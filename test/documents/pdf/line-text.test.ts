/** Words at the ends of lines. */
import { expect, test } from 'vitest';
import { joinText } from '../../../src/documents/pdf/line-text.ts';

test.each([
  // end, next, words of the file, what the end becomes
  ['the hyphen-', 'ation of', '', 'the hyphen'],
  ['a non-', 'standard one', 'non-standard', 'a non-'],
  ['a state-of-', 'the-art lamp', 'of the', 'a state-of-'],
  ['a flo-', 'wer-like lamp', 'of the', 'a flo'],
  ['the multi-byte-charac-', 'ters of', 'characters', 'the multi-byte-charac'],
  ['with Open-', 'Office', 'openoffice', 'with Open'],
  ['by the Baden-', 'Baden line', '', 'by the Baden-'],
  ['UTF-', '8', '', 'UTF-'],
])('%s | %s, in a file with "%s", begins with %s', (end, next, words, expected) => {
  expect(joinText(end, next, new Set(words.split(' ')))).toBe(expected);
});
