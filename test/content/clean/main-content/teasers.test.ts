import { describe, expect, test } from 'vitest';
import { cleanPage } from '../../../../src/content/clean/index.ts';
import { blockLines, defaults, htmlPage } from '../page.ts';

const sentence =
  'The harbour was closed for eleven months while its walls were repaired, and the boats lay in the river.';
const prose = (count: number): string => `<p>${sentence}</p>`.repeat(count);
const teaserText = 'Two lines of another story, which begins here and goes on elsewhere …';
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function lines(content: string, type = 'article'): string[] {
  const page = htmlPage(
    `<html><head><title>The harbour</title><meta property="og:type" content="${type}"></head><body><main><h1>The harbour</h1>${content}</main></body></html>`,
    'https://harbour.test/2026/walls',
  );
  cleanPage(page, defaults);
  return blockLines(page.root);
}

const teaser = (at: number, href = `/2026/story-${at}`): string =>
  `<div class="card"><p><a href="${href}">Headline of another story, no. ${at}</a></p><p>${teaserText}</p></div>`;

describe('teasers of other pages', () => {
  test.each([
    [
      'below the article',
      `<div>${prose(20)}</div><div>${range(4)
        .map((at) => teaser(at))
        .join('')}</div>`,
    ],
    [
      'in the box of the text',
      `<div>${prose(20)}${range(4)
        .map((at) => teaser(at))
        .join('')}</div>`,
    ],
    [
      'between its paragraphs',
      `<div>${range(4)
        .map((at) => prose(5) + teaser(at))
        .join('')}${prose(5)}</div>`,
    ],
  ])('go: %s', (_, content) => {
    const kept = lines(content);
    expect(kept).not.toContain(teaserText);
    expect(kept.join('\n')).not.toContain('Headline');
    expect(kept.filter((line) => line === sentence)).toHaveLength(
      content.split(sentence).length - 1,
    );
  });

  test.each([
    [
      'one after the other',
      `<div>${prose(9)}${range(4)
        .map((at) => teaser(at))
        .join('')}${prose(9)}</div>`,
    ],
    [
      'of other sites',
      `<div>${prose(20)}${range(4)
        .map((at) => teaser(at, `https://shop.test/${at}`))
        .join('')}</div>`,
    ],
    ['alone', `<div>${prose(20)}${teaser(1)}</div>`],
  ])('stay as the entries of a list: %s', (_, content) => {
    expect(lines(content)).toContain(teaserText);
  });
});

describe('links below the last sentence', () => {
  const below = (href: string, links: number, count = 20): string[] =>
    lines(
      `<div>${prose(count)}<ol><li>Take a rope and a lamp.</li><li>Take a map of the coast.</li><li>Take warm clothes.</li>${`<li><a href="${href}">The quays of the north</a></li>`.repeat(links)}</ol></div>`,
    );
  test('go if they lead to other pages of the site', () => {
    const kept = below('/2026/quays', 1);
    expect(kept).toContain('Take a map of the coast.');
    expect(kept).not.toContain('The quays of the north');
  });
  test.each([
    ['to other sites', below('https://quays.test/', 1)],
    ['on a page with little text', below('/2026/quays', 2, 1)],
  ])('stay: %s', (_, kept) => {
    expect(kept).toContain('The quays of the north');
  });
});

describe('a text far below the article', () => {
  const wrap = (text: string, count: number): string =>
    count === 0 ? text : `<div>${wrap(text, count - 1)}</div>`;
  const about = prose(9).replaceAll('The harbour', 'Our house');
  test.each([
    ['goes', 5, 0],
    ['stays where the boxes around the article are few', 1, 9],
  ])('%s', (_, boxes, count) => {
    const kept = lines(`${wrap(`<div>${prose(20)}</div>`, boxes)}<div>${about}</div>`);
    expect(kept.filter((line) => line.startsWith('Our house'))).toHaveLength(count);
  });
});
