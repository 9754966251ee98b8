/** Fuzzes CSS selectors in options: src/content/html/selector.ts and what runs them. */
import fc from 'fast-check';
import { parse, ValidationError } from 'pagewright';
import { expect } from 'vitest';
import { fuzzTest } from './fuzz-test.ts';
import { soup } from './mutations.ts';
import { cpuTime } from '../support/cpu-time.ts';

const html =
  '<main id="m"><h1 class="a b">T</h1><p lang="en">one <a href="/x">x</a></p><input checked></main><svg:g x:y="1"/>';

const pieces = [
  'a',
  'p',
  'main',
  '*',
  '.a',
  '#m',
  '[href]',
  '[href="x" i]',
  '[lang|=en]',
  '[a~=b]',
  '[x|y]',
  '[',
  ']',
  ' ',
  '>',
  '+',
  '~',
  '||',
  ',',
  '(',
  ')',
  '"',
  "'",
  '\\',
  '\\0',
  '\\110000 ',
  '/*',
  '*/',
  '\n',
  '\0',
  '|',
  ':not(',
  ':is(',
  ':where(',
  ':has(',
  ':has(> a)',
  ':nth-child(',
  '2n+1',
  '-n',
  'of p',
  ':first-child',
  ':contains("x")',
  ':icontains(X)',
  ':matches(a)',
  ':lang(en)',
  ':root',
  ':scope',
  ':empty',
  ':nth-of-type(n)',
  '::before',
  ':hover',
  ':unknown',
  ':link',
  ':checked',
  ':parent',
  ':eq(1)',
  ':text',
  ':host',
  '&',
  '@',
  '{}',
  'svg|g',
  '*|*',
  '|a',
  '1',
  '-',
  '--x',
  'é',
  '\u{1f600}',
  '😀',
  ':not(:not(:not(a)))',
  ':nth-child(9e99)',
];

fuzzTest(
  'a selector works, or is refused with the place where it stands',
  { runs: 300, share: 4 },
  fc.asyncProperty(
    fc.array(soup(pieces, 8), { maxLength: 3 }),
    fc.constantFrom('includeTags', 'excludeTags'),
    async (selectors, option) => {
      const start = cpuTime();
      try {
        const { markdown } = await parse(html, { contentType: 'text/html', [option]: selectors });
        expect(typeof markdown).toBe('string');
      } catch (error) {
        expect(error).toBeInstanceOf(ValidationError);
        expect((error as ValidationError).issues[0]?.path[0]).toBe(option);
      }
      expect(cpuTime() - start).toBeLessThan(4_000);
    },
  ),
);

fuzzTest(
  'an attribute selector that is refused by one option is refused by all',
  { runs: 150, share: 1 },
  fc.asyncProperty(soup(pieces, 6), async (selector) => {
    const outcomes = await Promise.allSettled([
      parse(html, { contentType: 'text/html', includeTags: [selector] }),
      parse(html, { contentType: 'text/html', excludeTags: [selector] }),
    ]);
    expect(new Set(outcomes.map(({ status }) => status)).size).toBe(1);
  }),
);
