import { describe, expect, it } from 'vitest';
import { doubted, isBesideText } from '../../../../src/content/clean/main-content/choose.ts';
import { measure } from '../../../../src/content/clean/main-content/measure.ts';
import { htmlPage } from '../page.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

/** Whether the first paragraph of the body is said beside the text. */
function isBeside(html: string, isArticle = true): boolean {
  const [, block] = measure(htmlPage(html).root);
  if (block === undefined) throw new Error('The page has no element.');
  return isBesideText(block, isArticle);
}

describe('isBesideText', () => {
  it.each([
    'Read more',
    'Continue reading »',
    '» Weiterlesen …',
    'Leia mais',
    'читать далее',
    'ADVERTISEMENT',
    'Anzeige:',
    'Back to all articles',
    '3 days ago',
    'Updated 18 June 2025',
    'Last modified on: June 18, 2025, 10:30',
    'Jo Doe, 12 mins ago',
    'Follow us on Twitter and on Facebook.',
    'Follow @harbour on Instagram for pictures',
    'The light at night (Photo: Jo Doe)',
    'The pier after the storm. Jo Doe/Getty Images',
    'FILE PHOTO: A dredger in the basin in 1987',
    'Photo by: Jo Doe',
    'Bild: Hafenamt',
    'The cannery in 1903 Photo © Harbour Museum',
  ])('knows what "%s" is for', (text) => {
    expect(isBeside(`<p>${text}</p>`)).toBe(true);
  });

  it.each([
    'Read more about how the light was automated in the spring of 1987, and who did it.',
    'The harbour came back to life.',
    'Updated prices are in the list.',
    'The timetable was updated in 2025 and holds since then.',
    'It was built 180 years ago by the fishermen themselves.',
    'Ships that follow us on this course see the light first.',
    'A photo of the pier hangs in the museum.',
    'Wallets hold cards (credit cards, mostly) and cash.',
    'respawn:/sbin/getty 38400 tty2',
    'Advertisement was forbidden in the harbour until 1950.',
  ])('takes "%s" for text', (text) => {
    expect(isBeside(`<p>${text}</p>`)).toBe(false);
  });

  it('leaves headings, code and what holds other paragraphs alone', () => {
    expect(isBeside('<h2>Back to Basics</h2>')).toBe(false);
    expect(isBeside('<pre>Photo: none</pre>')).toBe(false);
    expect(isBeside('<div>Read more<p>The harbour.</p></div>')).toBe(false);
  });

  it('takes a line of an article that is a link in capitals for the headline of another', () => {
    const line = '<p><a href="/pier">OLD PIER REOPENS AFTER THE STORM</a></p>';
    expect(isBeside(line)).toBe(true);
    expect(isBeside(line, false)).toBe(false);
    expect(isBeside('<p>OLD PIER REOPENS AFTER THE STORM, <a href="/">THEY SAY</a></p>')).toBe(
      false,
    );
    expect(isBeside('<p><a href="/pier">Old pier reopens after the storm</a></p>')).toBe(false);
  });

  it('is quick on texts that are made to be slow', () => {
    const started = cpuTime();
    for (const text of ['follow us on ', '(photo ', 'an 1 day ', '» ', 'read ']) {
      isBeside(`<p>a<select><option>${text.repeat(100_000)}</select></p>`);
      for (let index = 0; index < 500; index++) isBeside(`<p>${text.repeat(22)}</p>`);
    }
    expect(cpuTime() - started).toBeLessThan(5000);
  });
});

describe('doubted', () => {
  it('makes likelihoods smaller and leaves their order, and what is sure, as it is', () => {
    expect(doubted(0)).toBe(0);
    expect(doubted(1)).toBe(1);
    expect(doubted(0.5)).toBeCloseTo(0.4);
    expect(doubted(0.8)).toBeLessThan(0.8);
    expect(doubted(0.8)).toBeGreaterThan(doubted(0.79));
  });
});
