import { describe, expect, test } from 'vitest';
import { cleanPage } from '../../../src/clean/index.ts';
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
