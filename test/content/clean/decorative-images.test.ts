import { expect, test } from 'vitest';
import { markdownOf } from './page.ts';

const text = `<h2>Get more done</h2><p>${'Plan, write down and follow all your work in one place. '.repeat(6)}</p>`;
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
const page = (html: string): string => `<main>${text}${html}${text.replace('Get', 'Be')}</main>`;

test.each([
  ['<img src="/img/rocket-icon.svg" alt="Rocket icon">'],
  ['<img src="/img/7.png" alt="Check mark icon">'],
  ['<img src="/img/bg-left.png" alt="Background rounded left element">'],
  ['<img src="/img/shape-2.png" alt="">'],
  ['<img src="/img/arrow.svg" alt="next">'],
  ['<img src="/img/section_divider.png" alt="divider">'],
  [
    '<ul><li><a href="https://a.test/x"><img src="/f.png" alt=""></a></li><li><a href="https://b.test/x"><img src="/i.png" alt=""></a></li><li><a href="https://c.test/x"><img src="/y.png" alt=""></a></li></ul>',
  ],
  [`<img class="lazyload" src="${pixel}" alt="Wick light">`],
  [`<a href="https://other.test/p"><img src="${pixel}" alt="Wick light"></a>`],
])('decoration goes: %s', (html) => {
  const markdown = markdownOf(page(html));
  expect(markdown).not.toMatch(/!\[|\]\(/);
  expect(markdown).not.toContain('Base64');
});

test.each([
  ['<img src="/img/icon-of-rublev.jpg" alt="The Trinity by Rublev">', '![The Trinity'],
  [
    '<figure><img src="/bg-1.png" alt="Rocket icon"><figcaption>Icon</figcaption></figure>',
    '![Rocket icon]',
  ],
  ['<img src="/img/background-of-the-war.jpg" alt="The harbour in 1914">', '![The harbour'],
  ['<a href="https://a.test/x"><img src="/photo.jpg" alt=""></a>', 'photo.jpg'],
  [
    `<a href="/p/1"><img src="${pixel}" alt="Wick light"></a>`,
    '[Wick light](https://site.test/p/1)',
  ],
  [
    `<a href="/big.jpg"><img src="${pixel}" alt="Wick light"></a>`,
    '![Wick light](https://site.test/big.jpg)',
  ],
])('pictures stay, and the words of links: %s', (html, markdown) => {
  expect(markdownOf(page(html))).toContain(markdown);
});

test('the words of a placeholder are not said beside a link with words', () => {
  const tile = `<a href="/p/1"><img src="${pixel}" alt="Wick light"></a><p><a href="/p/1">Wick</a></p>`;
  expect(markdownOf(page(tile))).not.toContain('Wick light');
});
