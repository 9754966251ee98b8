/** Gradient-boosted trees of three questions for a yes-or-no target with weights. */

const bins = 64;
const depth = 3;
const questions = 2 ** depth - 1;

/**
 * `columns`: one Float32Array a feature. `rows`: the rows to learn from. `targets`: 0 to 1.
 * Gives trees as `src/clean/main-content/choose.ts` reads them.
 */
export function boost({ columns, rows, targets, weights, rounds, rate = 0.1, random }) {
  const edges = columns.map((column) => thresholds(column, rows, weights));
  const binned = columns.map((column, index) => toBins(column, edges[index]));
  const sums = new Float64Array(targets.length);
  const gradients = new Float64Array(targets.length);
  const curvatures = new Float64Array(targets.length);
  const trees = [];
  for (let round = 0; round < rounds; round++) {
    const sample = rows.filter(() => random() < 0.7);
    for (const row of rows) {
      const probability = 1 / (1 + Math.exp(-sums[row]));
      gradients[row] = weights[row] * (probability - targets[row]);
      curvatures[row] = weights[row] * probability * (1 - probability);
    }
    const chosen = columns.map((_, index) => index).filter(() => random() < 0.4);
    const tree = grow({ chosen, sample, binned, edges, gradients, curvatures, rate });
    trees.push(tree);
    for (const row of rows) sums[row] += leafOf(tree, columns, row);
  }
  return trees;
}

/** The sum of all trees for one row. */
export function scoreOf(trees, columns, row) {
  let sum = 0;
  for (const tree of trees) sum += leafOf(tree, columns, row);
  return sum;
}

function leafOf(tree, columns, row) {
  let at = 0;
  while (at < questions) at = 2 * at + (columns[tree[at]][row] >= tree[questions + at] ? 2 : 1);
  return tree[questions + at];
}

function grow({ chosen, sample, binned, edges, gradients, curvatures, rate }) {
  const tree = new Array(2 * questions + 2 ** depth).fill(0);
  const nodes = new Uint8Array(gradients.length);
  for (let level = 0; level < depth; level++) {
    const first = 2 ** level - 1;
    const splits = bestSplits({
      first,
      count: 2 ** level,
      chosen,
      sample,
      nodes,
      binned,
      gradients,
      curvatures,
    });
    for (const [offset, { feature, bin }] of splits.entries()) {
      tree[first + offset] = feature;
      // A node that nothing divides well sends everything one way.
      tree[questions + first + offset] = bin === bins ? 1e9 : edges[feature][bin - 1];
    }
    for (const row of sample) {
      const { feature, bin } = splits[nodes[row] - first];
      nodes[row] = 2 * nodes[row] + (binned[feature][row] >= bin ? 2 : 1);
    }
  }
  const sums = new Float64Array(2 * 2 ** depth);
  for (const row of sample) {
    const leaf = nodes[row] - questions;
    sums[2 * leaf] += gradients[row];
    sums[2 * leaf + 1] += curvatures[row];
  }
  for (let leaf = 0; leaf < 2 ** depth; leaf++) {
    tree[2 * questions + leaf] = (-rate * sums[2 * leaf]) / (sums[2 * leaf + 1] + smoothing);
  }
  return tree.map((value) => Number(value.toPrecision(5)));
}

const smoothing = 2;
const lightest = 5;

function bestSplits({ first, count, chosen, sample, nodes, binned, gradients, curvatures }) {
  const best = Array.from({ length: count }, () => ({ feature: chosen[0], bin: bins, gain: 1e-6 }));
  const slopes = new Float64Array(count * bins);
  const curves = new Float64Array(count * bins);
  for (const feature of chosen) {
    slopes.fill(0);
    curves.fill(0);
    const column = binned[feature];
    for (const row of sample) {
      const cell = (nodes[row] - first) * bins + column[row];
      slopes[cell] += gradients[row];
      curves[cell] += curvatures[row];
    }
    for (let node = 0; node < count; node++) {
      let slope = 0;
      let curve = 0;
      for (let bin = 0; bin < bins; bin++) {
        slope += slopes[node * bins + bin];
        curve += curves[node * bins + bin];
      }
      const whole = slope ** 2 / (curve + smoothing);
      let left = 0;
      let leftCurve = 0;
      for (let bin = 1; bin < bins; bin++) {
        left += slopes[node * bins + bin - 1];
        leftCurve += curves[node * bins + bin - 1];
        const rightCurve = curve - leftCurve;
        if (leftCurve < lightest || rightCurve < lightest) continue;
        const gain =
          left ** 2 / (leftCurve + smoothing) +
          (slope - left) ** 2 / (rightCurve + smoothing) -
          whole;
        if (gain > best[node].gain) best[node] = { feature, bin, gain };
      }
    }
  }
  return best;
}

/**
 * Up to 63 thresholds; bin n holds values from edge n-1 up to edge n. Each bin gets the same weight:
 * labels are many and light, sentences few and heavy. A value that is heavy alone (most features
 * are 0 almost everywhere) has a bin of its own and takes none from the others.
 */
function thresholds(column, rows, weights) {
  const sorted = rows.toSorted((one, other) => column[one] - column[other]);
  const values = [];
  for (const row of sorted) {
    const last = values.at(-1);
    if (last?.value === column[row]) last.weight += weights[row];
    else values.push({ value: column[row], weight: weights[row] });
  }
  let left = values.reduce((sum, { weight }) => sum + weight, 0);
  let inBin = 0;
  const edges = [];
  for (const [position, { weight }] of values.entries()) {
    inBin += weight;
    const next = values[position + 1];
    const open = bins - edges.length;
    if (next === undefined || open === 1) break;
    if (inBin < left / open && inBin + next.weight / 2 < left / open) continue;
    left -= inBin;
    inBin = 0;
    // Five digits, as the model is written: both sides then agree on which side a value falls.
    const edge = Number(next.value.toPrecision(5));
    if (edges.length === 0 || edge > edges.at(-1)) edges.push(edge);
  }
  return edges;
}

function toBins(column, edges) {
  const binned = new Uint8Array(column.length);
  for (let row = 0; row < column.length; row++) {
    let low = 0;
    let high = edges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[row] >= edges[middle]) low = middle + 1;
      else high = middle;
    }
    binned[row] = low;
  }
  return binned;
}
