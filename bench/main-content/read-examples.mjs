/** Pages whose content people marked, as rows of features with a target: what the model learns from. */
import { isBesideText } from '../../build/content/clean/main-content/choose.js';
import { FeatureRow, readFeatures } from '../../build/content/clean/main-content/features.js';
import { inlineElements, opaque } from '../../build/content/clean/main-content/measure.js';
import { findObvious, indexesIn } from '../../build/content/clean/main-content/obvious.js';
import { readPageFacts } from '../../build/content/clean/main-content/page-facts.js';
import { readParagraphs } from '../../build/content/clean/main-content/paragraphs.js';
import { transformers } from '../../build/content/clean/index.js';
import { defaultPdfReading } from '../../build/core/model/request.js';
import { defaultLimits } from '../../build/core/model/limits.js';
import { parseSnapshot } from '../../build/core/page/parsers.js';
import { loadPages } from '../documentation/pages.mjs';

const row = new FeatureRow();

/** The names of all features, in the order of the columns; there when examples were read. */
export const featureNames = row.names;

/**
 * Each page: `{ host, type, rows }`; each row: `{ values, words, target, weight }`. `wantedWords`
 * is the length of the marked text where all of it is marked, else undefined.
 */
export async function readExamples(qualityFolder, suites) {
  const { loadSuite } = await import(`${qualityFolder}/lib/data.mjs`);
  const pages = [];
  for (const suite of suites) {
    for (const marked of suite === 'documentation' ? documentation() : loadSuite('dev', suite)) {
      const page = await measured(marked);
      if (page === undefined) continue;
      const isWhole = suite !== 'trafilatura';
      const texts = page.paragraphs.map(({ block }) => ownTextOf(block.element));
      const targets = isWhole ? wholeTargets(texts, marked.main) : partTargets(texts, marked);
      if (isWhole) forgetGaps(page.paragraphs, targets);
      // What only the other rules leave out teaches what such things look like without their names.
      const obvious = indexesIn(findObvious(page.blocks), page.blocks);
      pages.push({
        suite,
        type: marked.type ?? 'article',
        host: new URL(marked.url).hostname,
        isArticle: page.facts.isArticle,
        wantedWords: isWhole ? wordsOf(marked.main).length : undefined,
        rows: weighted(
          page.paragraphs.map((paragraph, index) => ({
            values: featuresOf(paragraph, page),
            length: paragraph.block.own.length,
            words: wordsOf(texts[index]).length,
            target: targets[index] ?? 0,
            isJudged:
              targets[index] !== undefined &&
              index !== page.title &&
              !obvious.has(paragraph.block.index),
            isOut: paragraph.isObvious || isBesideText(paragraph.block, page.facts.isArticle),
          })),
        ),
      });
    }
  }
  return pages;
}

/** Pages whose generators mark the content, without those that nobody looks at. */
function documentation() {
  return loadPages()
    .filter(({ isHeldOut }) => !isHeldOut)
    .map(({ html, url, main }) => ({ html, url, main, type: 'documentation' }));
}

function featuresOf(paragraph, page) {
  readFeatures(row, paragraph, page);
  return [...row.values.subarray(0, row.names.length)];
}

/** Half of the pages are read without their JSON-LD: many pages have none. */
async function measured({ html, url }) {
  const page = await parseHtml(isEven(url) ? html.replace(jsonLd, '') : html, url);
  if (page === undefined) return undefined;
  for (const transformer of transformers) {
    if (transformer.name === 'mainContent') break;
    transformer.apply(page, cleanOptions);
  }
  return readParagraphs(page.root, readPageFacts(page.document, page.source, page.url));
}

export const cleanOptions = {
  onlyMainContent: true,
  includeTags: [],
  excludeTags: [],
  removeBase64Images: true,
  blockAds: true,
};

/** The page before any cleaning; undefined for what is not HTML. */
export async function parseHtml(html, url) {
  const snapshot = {
    url,
    requestedUrl: url,
    statusCode: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(html),
    engine: 'given',
    redirects: [],
    warnings: [],
    requests: 0,
    bytes: 0,
  };
  const page = await parseSnapshot(snapshot, [], { limits: defaultLimits, pdf: defaultPdfReading });
  return page.kind === 'html' ? page : undefined;
}

const jsonLd = /<script[^>]*application\/ld\+json[^]*?<\/script>/gi;

function isEven(text) {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) % 1_000_003;
  return hash % 2 === 0;
}

/** The element's own paragraph: what `measure` counts as its own. */
function ownTextOf(element) {
  let text = '';
  for (let node = element.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === 3) text += node.data;
    else if (inlineElements.has(node.localName) && !opaque.has(node.localName)) {
      text += ownTextOf(node);
    }
  }
  return text;
}

/** A long page counts more than a short one, a long paragraph more than a label, each less than by its words. */
function weighted(rows) {
  const weights = rows.map(({ isJudged, words }) => (isJudged ? Math.max(1, words) ** 0.75 : 0));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return rows.map((row, index) => ({
    ...row,
    weight: weights[index] / Math.max(whole, 5) ** 0.75,
  }));
}

/** The share of each text's words that are in four words in a row of the marked text. */
function wholeTargets(texts, marked) {
  const wanted = wordsOf(marked);
  const runs = new Set(wanted.slice(runLength - 1).map((_, at) => runAt(wanted, at)));
  const lines = new Set(marked.split(/\n+/).map((line) => wordsOf(line).join(' ')));
  const words = texts.flatMap((text, owner) => wordsOf(text).map((word) => ({ word, owner })));
  const all = words.map(({ word }) => word);
  const isFound = new Uint8Array(words.length);
  for (let at = 0; at + runLength <= words.length; at++) {
    if (runs.has(runAt(all, at))) isFound.fill(1, at, at + runLength);
  }
  const found = new Array(texts.length).fill(0);
  for (const [at, { owner }] of words.entries()) found[owner] += isFound[at];
  return texts.map((text, index) => {
    const own = wordsOf(text);
    if (own.length === 0) return undefined;
    const share = found[index] / own.length;
    // Too short for a run of its own: a line of its own, then.
    return own.length < runLength && share < 0.5 ? Number(lines.has(own.join(' '))) : share;
  });
}

const runLength = 4;

function runAt(words, at) {
  return words.slice(at, at + runLength).join(' ');
}

/**
 * Some long pages were marked in part. Much text that looks like the marked sentences says nothing
 * then: nobody is to learn that long articles end early.
 */
function forgetGaps(paragraphs, targets) {
  const sentences = [...paragraphs.entries()].filter(
    ([, { block }]) => block.own.length - block.own.linked >= 80,
  );
  const lengths = new Map();
  for (const [index, { block }] of sentences) {
    const sums = lengths.get(block.shape) ?? { marked: 0, other: 0 };
    sums[targets[index] >= 0.5 ? 'marked' : 'other'] += block.own.length;
    lengths.set(block.shape, sums);
  }
  for (const [index, { block }] of sentences) {
    const { marked, other } = lengths.get(block.shape);
    if (targets[index] < 0.5 && other > 2000 && marked > 0.3 * other) targets[index] = undefined;
  }
}

/** Only some segments are marked, as wanted or not; other texts say nothing. */
function partTargets(texts, { with: wanted, without: unwanted }) {
  return texts.map((raw) => {
    const text = fold(raw);
    const holds = (segment) =>
      text.includes(fold(segment)) || (text.length > 25 && fold(segment).includes(text));
    if (unwanted.some(holds)) return 0;
    return wanted.some(holds) ? 1 : undefined;
  });
}

function fold(text) {
  return text.replace(/\s+/g, ' ').trim();
}

function wordsOf(text) {
  return text.toLowerCase().match(word) ?? [];
}

/** In Chinese and Japanese one character. */
const word =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\p{N}_])+/gu;
