import { describe, expect, test } from 'vitest';
import { renderingAddedContent } from '../../../../src/core/fetch/rendering/rendering-signal.ts';
import { answer } from './snapshots.ts';

const url = 'https://site.test/page';
const article = Array.from({ length: 40 }, (_, index) => `<p>word${index} of the article</p>`).join(
  '',
);

function compare(before: string | Uint8Array, after: string | Uint8Array, finalUrl = url): boolean {
  return renderingAddedContent(answer(before), answer(after, { url: finalUrl, engine: 'browser' }));
}

describe('rendering was worth it', () => {
  test.each([
    [
      'text in an empty root',
      '<div id="root"></div>',
      '<div id="root"><p>The shop opens</p></div>',
    ],
    ['text in place of a notice', '<p>Loading…</p>', '<p>Out of stock</p>'],
    ['text of the same length', '<p>aaaa bbbb cccc</p>', '<p>dddd eeee ffff</p>'],
    ['links', '<ul></ul>', '<ul><li><a href="/a">One boat</a></li></ul>'],
    ['numbers in a table', '<h1>Weights</h1>', '<h1>Weights</h1><td>412</td><td>265</td>'],
    ['Chinese', '<main></main>', '<main>渡轮从鱼码头出发</main>'],
    ['a second half', article, article + article.replaceAll('word', 'term')],
  ])('for %s', (_, before, after) => {
    expect(compare(before, after)).toBe(true);
  });

  test('for another URL, but not for another fragment', () => {
    expect(compare(article, article, 'https://site.test/other')).toBe(true);
    expect(compare(article, article, `${url}#/home`)).toBe(false);
  });

  test('for a longer text where the encoding is not UTF-8', () => {
    const before = Buffer.from('<p>\xe0\xe1\xe2</p>', 'latin1');
    expect(compare(before, '<p>абв и еще слова о лодках и парусах</p>')).toBe(true);
    expect(compare(before, '<p>абв</p>')).toBe(false);
  });
});

describe('rendering was in vain', () => {
  test.each([
    ['the same', article, article],
    ['less', article, '<p>word1 of the article</p>'],
    [
      'the same in another order and case',
      '<p>One two</p><p>three</p>',
      '<p>THREE</p><p>two one</p>',
    ],
    ['an ad', article, `${article}<p>Buy ropes now</p>`],
    [
      'a cookie notice',
      '<p>Short page</p>',
      `<div class="cookie-banner">${article}</div><p>Short page</p>`,
    ],
    ['a footer', '<p>Short page</p>', `<p>Short page</p><footer>${article}</footer>`],
    ['what is hidden', '<p>Short page</p>', `<p>Short page</p><div hidden>${article}</div>`],
    [
      'scripts',
      '<p>Short page</p>',
      `<p>Short page</p><script>var ${'a,b,c,'.repeat(99)}d</script>`,
    ],
    ['nothing at all', '', ''],
  ])('for %s', (_, before, after) => {
    expect(compare(before, after)).toBe(false);
  });
});
