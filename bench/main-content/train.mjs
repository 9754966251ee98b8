/**
 * Learns what main content looks like and writes src/content/clean/main-content/model.ts.
 *
 *     npm run train                 all pages
 *     npm run train -- --folds 4    instead: how good it is on sites it has not seen; with `--models file`
 *                                   the models of all folds, for `folds-adapter.mjs`
 *
 * The marked pages are not part of this project: QUALITY_BENCH names their folder; those of documentation
 * come from packages of Debian.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { doubted, mostExpected } from '../../build/content/clean/main-content/choose.js';
import { boost, scoreOf } from './boost.mjs';
import { qualityFolder } from '../quality-folder.mjs';
import { foldOf } from './folds.mjs';
import { featureNames, readExamples } from './read-examples.mjs';

const { values: options } = parseArgs({
  options: {
    folds: { type: 'string' },
    models: { type: 'string' },
    rounds: { type: 'string', default: '1500' },
  },
});
const folder = qualityFolder();
if (folder === undefined) process.exit(1);
const suites = ['wcxb', 'scrapinghub', 'trafilatura', 'documentation'];
const pages = await readExamples(folder, suites);
const rows = pages.flatMap((page) => page.rows);
const columns = featureNames.map((_, index) => Float32Array.from(rows, (row) => row.values[index]));
const mean = rows.reduce((sum, { weight }) => sum + weight, 0) / rows.filter(isJudged).length;
const targets = Float64Array.from(rows, ({ target }) => target);
const weights = Float64Array.from(rows, ({ weight }) => weight / mean);
console.log(`${pages.length} pages, ${rows.length} paragraphs, ${featureNames.length} features`);

if (options.folds === undefined) {
  const trees = learn(() => true);
  writeFileSync('src/content/clean/main-content/model.ts', toSource(trees));
  report(rows.map((_, row) => probabilityOf(trees, row)));
} else {
  const probabilities = [];
  const models = [];
  const folds = Number(options.folds);
  for (let fold = 0; fold < folds; fold++) {
    const trees = learn(({ host }) => foldOf(host, folds) !== fold);
    models.push(pack(trees));
    forEachRow(({ host }, row) => {
      if (foldOf(host, folds) === fold) probabilities[row] = probabilityOf(trees, row);
    });
  }
  if (options.models !== undefined) writeFileSync(options.models, JSON.stringify(models));
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
  const random = seeded(42);
  return boost({ columns, rows: wanted, targets, weights, rounds, rate: 0.06, random });
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
  const { features, trees: packed } = pack(trees);
  return `/** Trained by bench/main-content/train.mjs, not written by hand. */
import type { PackedModel } from './decision-trees.ts';

/** See docs/decisions/010-main-content-is-learned.md. */
export const model: PackedModel = {
  features: ${JSON.stringify(features)},
  trees: '${packed}',
};
`;
}

/** A `PackedModel`. */
function pack(trees) {
  const used = [...new Set(trees.flatMap((tree) => tree.slice(0, 7)))].sort((a, b) => a - b);
  const asked = trees.flatMap((tree) => tree.slice(0, 7).map((index) => used.indexOf(index)));
  const thresholds = Float32Array.from(trees.flatMap((tree) => tree.slice(7, 14)));
  const values = Int16Array.from(trees.flatMap((tree) => tree.slice(14)).map(inUnits));
  const parts = [Buffer.from(asked), Buffer.from(thresholds.buffer), Buffer.from(values.buffer)];
  return {
    features: used.map((index) => featureNames[index]),
    trees: Buffer.concat(parts).toString('base64'),
  };
}

function inUnits(value) {
  const units = Math.round(value * 2 ** 15);
  if (units !== Math.max(-32_768, Math.min(32_767, units))) throw new RangeError(`${value}`);
  return units;
}
