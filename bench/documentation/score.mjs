/** How much of a page's main content its markdown has. */
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { canonical, readHtml, words } from './truth.mjs';

/** `[right, wanted]` of each measure of a page; `f1` is the word F1. */
export function scorePage(markdown, { main, truth }) {
  const outcome = readHtml(
    micromark(markdown, {
      allowDangerousHtml: true,
      extensions: [gfm()],
      htmlExtensions: [gfmHtml()],
    }),
  );
  const wantedHeadings = [...new Set(truth.headings)];
  const codes = new Map(outcome.codes.map((code) => [code.text, code]));
  const told = truth.codes.filter(({ language, text }) => language !== '' && codes.has(text));
  return {
    f1: [wordF1(words(outcome.text), words(main)), 1],
    code: [truth.codes.filter(({ text }) => codes.has(text)).length, truth.codes.length],
    language: [
      told.filter((code) => canonical(codes.get(code.text).language) === code.language).length,
      told.length,
    ],
    headings: countIn(wantedHeadings, outcome.headings),
    cells: countIn(truth.cells, outcome.cells),
    title: truth.title === '' ? [0, 0] : [isTitleRight(truth, outcome) ? 1 : 0, 1],
    outcome,
  };
}

/**
 * True for a title that is a heading as often as on the page, and that stands below no other heading: the
 * kind of a page ("Method") may stand above it, as a smaller one.
 */
function isTitleRight({ title, headings }, { headings: given, levels }) {
  const count = (texts) => texts.filter((text) => text === title).length;
  const first = given.indexOf(title);
  if (first === -1 || count(given) > Math.max(1, count(headings))) return false;
  return levels.slice(0, first).every((level) => level > levels[first]);
}

function countIn(wanted, given) {
  const found = new Set(given);
  return [wanted.filter((text) => found.has(text)).length, wanted.length];
}

function wordF1(given, wanted) {
  const left = new Map();
  const wantedWords = wanted.split(' ');
  const givenWords = given.split(' ');
  for (const word of wantedWords) left.set(word, (left.get(word) ?? 0) + 1);
  let right = 0;
  for (const word of givenWords) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    right++;
    left.set(word, count - 1);
  }
  return (2 * right) / (wantedWords.length + givenWords.length);
}
