import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const text = (html: string): string => markdownOf(html, { onlyMainContent: false });

test.each(['0', '0px', '0.0pt', ' 0em '])(
  'a fraction without its line is no fraction: %s',
  (line) => {
    const tex = text(
      `<p><math><mo>(</mo><mfrac linethickness="${line}"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></math></p>`,
    );
    expect(tex).toBe('$(\\genfrac{}{}{0pt}{}{n}{k})$');
  },
);

test('other fractions are', () => {
  expect(text('<p><math><mfrac linethickness="2"><mi>n</mi><mi>k</mi></mfrac></math></p>')).toBe(
    '$\\frac{n}{k}$',
  );
});

test.each([
  [
    '<span class="math-inline" data-math="y = \\frac{3}{4b}"><span class="katex"><span class="katex-html" aria-hidden="true">y=4b3</span></span></span>',
    '$y = \\frac{3}{4b}$',
  ],
  ['<span class="ql-formula" data-value="e^x"><span>ex</span></span>', '$e^x$'],
  ['<span class="katex" data-tex="a_1"><span class="katex-html">a1</span></span>', '$a_1$'],
  ['<span class="latex" data-latex="a=b">a=b</span>', '$a=b$'],
  ['<div class="equation" data-equation="a=b^2">a=b2</div>', '$$\na=b^2\n$$'],
])('the source that stands beside a drawing: %s', (html, markdown) => {
  expect(text(`<div>${html}</div>`)).toBe(markdown);
});

test('attributes of other boxes are no formulas', () => {
  expect(text('<div class="mathematics-list" data-value="17 items">Text</div>')).toBe('Text');
});
