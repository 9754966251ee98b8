/** A page's summary, of its own sentences. */
import type { Page } from '../../model/page.ts';
import { readHeadFacts } from '../head-facts.ts';
import { countWords, readCandidates } from './candidates.ts';
import { chooseSentences } from './choose-sentences.ts';
import { markdownParagraphs } from './markdown-paragraphs.ts';
import { pageParagraphs } from './page-paragraphs.ts';
import type { Paragraph } from './paragraph.ts';

/** A page with no more words and characters than these is its own summary. */
const shortPage = { words: 90, characters: 1000 };

/** Reads the cleaned page; `` when it has no text. */
export function summarize(page: Page): string {
  const paragraphs =
    page.kind === 'html' ? pageParagraphs(page.root) : markdownParagraphs(page.markdown);
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  if (isShort(paragraphs, segmenter)) {
    return joined([...new Set(paragraphs.map(({ text }) => text))]);
  }
  const candidates = readCandidates(paragraphs);
  if (candidates.length === 0) return beginning(paragraphs, segmenter);
  const facts = page.kind === 'html' ? readHeadFacts(page.document) : undefined;
  const words = (text: string | undefined): ReadonlyMap<string, number> =>
    countWords((text ?? '').slice(0, 1000), segmenter).words;
  const chosen = chooseSentences(candidates, {
    title: words(facts?.title),
    description: words(facts?.values('description', 'og:description')[0]),
  });
  return joined(chosen.map(({ text }) => text));
}

function isShort(paragraphs: readonly Paragraph[], segmenter: Intl.Segmenter): boolean {
  let characters = 0;
  let words = 0;
  for (const { text } of paragraphs) {
    characters += text.length;
    if (characters > shortPage.characters) return false;
    words += countWords(text, segmenter).length;
  }
  return words <= shortPage.words;
}

/** The first words of a page without sentences. */
function beginning(paragraphs: readonly Paragraph[], segmenter: Intl.Segmenter): string {
  const prose = paragraphs.filter(({ isProse }) => isProse);
  const read = prose.length > 0 ? prose : paragraphs;
  const text = joined(read.slice(0, 100).map((one) => one.text));
  const start = text.slice(0, shortPage.characters).replace(/[\ud800-\udbff]$/, '');
  let words = 0;
  for (const { index, isWordLike } of segmenter.segment(start)) {
    if (isWordLike === true && ++words > shortPage.words)
      return `${start.slice(0, index).trim()} …`;
  }
  return start.length < text.length ? `${start} …` : start;
}

/** Chinese and Japanese have no spaces between sentences. */
function joined(texts: readonly string[]): string {
  return texts.join(' ').replace(/(?<=[。！？」』]) /gu, '');
}
