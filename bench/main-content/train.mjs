/**
 * Learns what main content looks like and writes src/clean/main-content/model.ts.
 *
 *     npm run train                 all pages
 *     npm run train -- --folds 4    instead: how good it is on pages it has not seen (no file is written)
 *
 * The marked pages are not part of this project: QUALITY_BENCH names their folder.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { getDomain } from 'tldts';
import { doubted, mostExpected } from '../../build/clean/main-content/choose.js';
import { boost, scoreOf } from './boost.mjs';
import { featureNames, readExamples } from './read-examples.mjs';

const { values: options } = parseArgs({
  options: { folds: { type: 'string' }, rounds: { type: 'string', default: '500' } },
});
const folder = path.resolve(process.env.QUALITY_BENCH ?? '../shared/quality');
const pages = await readExamples(folder, ['wcxb', 'scrapinghub', 'trafilatura']);
const rows = pages.flatMap((page) => page.rows);
const columns = featureNames.map((_, index) => Float32Array.from(rows, (row) => row.values[index]));
const mean = rows.reduce((sum, { weight }) => sum + weight, 0) / rows.filter(isJudged).length;
const targets = Float64Array.from(rows, ({ target }) => target);
const weights = Float64Array.from(rows, ({ weight }) => weight / mean);
console.log(`${pages.length} pages, ${rows.length} paragraphs, ${featureNames.length} features`);

if (options.folds === undefined) {
  const trees = learn(() => true);
  writeFileSync('src/clean/main-content/model.ts', toSource(trees));
  report(rows.map((_, row) => probabilityOf(trees, row)));
} else {
  const probabilities = [];
  const folds = Number(options.folds);
  for (let fold = 0; fold < folds; fold++) {
    const trees = learn((page) => foldOf(page, folds) !== fold);
    forEachRow((page, row) => {
      if (foldOf(page, folds) === fold) probabilities[row] = probabilityOf(trees, row);
    });
  }
  report(probabilities);
}

function isJudged({ weight }) {
  return weight > 0;
}

function forEachRow(visit) {
  let row = 0;
  for (const page of pages) for (const _ of page.rows) visit(page, row++);
}

function learn(isWanted) {
  const wanted = [];
  forEachRow((page, row) => {
    if (isWanted(page) && weights[row] > 0) wanted.push(row);
  });
  const rounds = Number(options.rounds);
  return boost({ columns, rows: wanted, targets, weights, rounds, random: seeded(42) });
}

/** Pages of one site are in one fold: what is learnt of a site must not help with its other pages. */
function foldOf({ host }, folds) {
  const site = getDomain(host) ?? host;
  let hash = 7;
  for (const letter of site) hash = (hash * 31 + letter.codePointAt(0)) % 1_000_003;
  return hash % folds;
}

function probabilityOf(trees, row) {
  return 1 / (1 + Math.exp(-scoreOf(trees, columns, row)));
}

/** Word F1 by page type, each paragraph kept or dropped as a whole. */
function report(probabilities) {
  const scores = new Map();
  let row = 0;
  for (const { suite, type, isArticle, rows: own, wantedWords } of pages) {
    const candidates = own
      .map((one, index) => {
        const probability = probabilities[row + index];
        return { ...one, probability: isArticle ? doubted(probability) : probability };
      })
      .filter(({ isOut }) => !isOut);
    row += own.length;
    if (wantedWords === undefined) continue;
    const kept = mostExpected(candidates);
    const taken = kept.reduce((sum, { words }) => sum + words, 0);
    const right = Math.min(
      wantedWords,
      kept.reduce((sum, { words, target }) => sum + words * target, 0),
    );
    const score = taken === 0 ? 0 : (2 * right) / (taken + wantedWords);
    for (const name of [suite, `${suite} ${type}`]) {
      scores.set(name, [...(scores.get(name) ?? []), score]);
    }
  }
  for (const [name, list] of scores) {
    const average = list.reduce((sum, score) => sum + score, 0) / list.length;
    console.log(
      `${name.padEnd(24)} ${String(list.length).padStart(4)} pages  F1 ${average.toFixed(3)}`,
    );
  }
}

/** The same numbers every time (mulberry32). */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function toSource(trees) {
  const used = [...new Set(trees.flatMap((tree) => tree.slice(0, 7)))].sort((a, b) => a - b);
  const lines = trees.map((tree) =>
    JSON.stringify(tree.map((value, at) => (at < 7 ? used.indexOf(value) : value))),
  );
  return `/** Learned by bench/main-content/train.mjs, not written by hand. */
import type { Model } from './decision-trees.ts';

/** See docs/decisions/010-main-content-is-learned.md. */
export const model: Model = {
  features: ${JSON.stringify(used.map((index) => featureNames[index]))},
  trees: [
${lines.map((line) => `    ${line},`).join('\n')}
  ],
};
`;
}
