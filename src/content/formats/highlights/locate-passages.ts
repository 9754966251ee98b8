/** Locates passages of the model's text in the page's markdown. */
import { firstSpan, type TextSpan } from '../../../extract/provenance/span-candidates.ts';
import { foldMarkdown } from '../../../extract/provenance/folded-text.ts';
import { PageIndex } from '../../../extract/provenance/page-index.ts';
import { type Highlight, type Passage, readPassages } from './passages.ts';

/** Passages of the model's text by their numbers, from 1 on. */
export function locatePassages(
  numbers: readonly number[],
  modelMarkdown: string,
  markdown: string,
): Highlight[] {
  const passages = readPassages(modelMarkdown);
  const chosen = numbers.flatMap((number) => passages[number - 1] ?? []);
  return locateInPage(chosen, modelMarkdown, markdown);
}

/**
 * The passages, in their order. The page's markdown contains parts that the model does not get, such as
 * texts of pictures: a passage with such a part is returned as the model got it.
 */
function locateInPage(
  passages: readonly Passage[],
  modelMarkdown: string,
  markdown: string,
): Highlight[] {
  let index: PageIndex | undefined;
  let from = 0;
  return passages.map((passage): Highlight => {
    const { text, headingPath } = passage;
    let place = sameText(passage, modelMarkdown, markdown);
    if (place === undefined) {
      index ??= new PageIndex({ url: '', markdown, language: undefined });
      place = folded(text, index, from);
    }
    if (place === undefined) return { text, start: null, end: null, headingPath };
    const { start, end } = place;
    from = end;
    return { text: markdown.slice(start, end), start, end, headingPath };
  });
}

/** The position of the same text: the nth occurrence in the page for the nth in the model's text. */
function sameText(
  { text, start }: Passage,
  modelMarkdown: string,
  markdown: string,
): TextSpan | undefined {
  if (modelMarkdown === markdown) return { start, end: start + text.length };
  let before = modelMarkdown.indexOf(text);
  let place = markdown.indexOf(text);
  for (let tries = 0; tries < 1000 && before >= 0 && before < start; tries += 1) {
    before = modelMarkdown.indexOf(text, before + 1);
    const next = place < 0 ? -1 : markdown.indexOf(text, place + 1);
    if (next < 0) break;
    place = next;
  }
  return place < 0 ? undefined : { start: place, end: place + text.length };
}

function folded(text: string, index: PageIndex, from: number): TextSpan | undefined {
  const candidates = index.texts.find(foldMarkdown(text).folded.text);
  if (candidates === undefined) return undefined;
  return firstSpan(candidates, from) ?? firstSpan(candidates);
}
