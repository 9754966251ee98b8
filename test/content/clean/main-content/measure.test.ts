import { describe, expect, it } from 'vitest';
import {
  countText,
  headWords,
  noText,
} from '../../../../src/content/clean/main-content/measure.ts';
import { readPageFacts } from '../../../../src/content/clean/main-content/page-facts.ts';
import {
  type MeasuredPage,
  readParagraphs,
} from '../../../../src/content/clean/main-content/paragraphs.ts';
import { htmlPage } from '../page.ts';

function measured(html: string): MeasuredPage {
  const { root, document, source, url } = htmlPage(html);
  return readParagraphs(root, readPageFacts(document, source, url));
}

describe('the counts of a text', () => {
  it('tell words, capitals, commas, digits and currencies', () => {
    const counts = noText();
    countText('The Harbour, built ', counts, false);
    countText('in 1842: £3', counts, true);
    expect(counts).toMatchObject({
      words: 6,
      capitals: 2,
      commas: 1,
      digits: 5,
      currencies: 1,
      linked: 11,
    });
  });

  it('tell the words that the title and the description have, whatever their case', () => {
    const counts = noText();
    const head = headWords('HARBOUR lights', 'A (harbour).');
    countText('The harbour, and the Harbour: light', counts, false, head);
    expect(counts).toMatchObject({ titleWords: 2, describedWords: 2 });
  });

  it('have the same hash where texts differ in white space only', () => {
    const [one, same, other] = ['a  b\nc', ' a b c ', 'a b d'].map((text) => {
      const counts = noText();
      countText(text, counts, false);
      return counts.hash;
    });
    expect(one).toBe(same);
    expect(one).not.toBe(other);
  });
});

describe('the surroundings of a paragraph', () => {
  const card = '<div class="card"><h3>Chair</h3><img src="/c.png"><p>$ 79</p></div>';
  const page = measured(`<body><h1>Chairs</h1><div>${card.repeat(3)}</div><p>All.</p></body>`);
  const price = page.paragraphs.find(({ block }) => block.prices === 1);

  it('have the list of records that look alike', () => {
    expect(price?.records[0]).toMatchObject({ size: 3, images: 3, headings: 3, prices: 3 });
    expect(price?.records[1]).toMatchObject({ size: 0 });
    expect(page.paragraphs.at(-1)?.records[0]).toMatchObject({ size: 0 });
  });

  it('have the copies of the text', () => {
    expect(
      page.paragraphs.map(({ copies, earlierCopies }) => `${earlierCopies} of ${copies}`),
    ).toEqual(['0 of 1', '0 of 3', '0 of 3', '1 of 3', '1 of 3', '2 of 3', '2 of 3', '0 of 1']);
  });

  it('have the section from a heading to the next', () => {
    expect(price?.section).toEqual({ start: 1, end: 3 });
    expect(page.paragraphs.at(-1)?.section).toEqual({ start: 5, end: 8 });
  });
});
