/** Gradient-boosted trees of three questions for a yes-or-no target with weights. */

const bins = 64;
const depth = 3;
const questions = 2 ** depth - 1;

/**
 * `columns`: one Float32Array a feature. `rows`: the rows to learn from. `targets`: 0 to 1.
 * Gives trees of seven features, seven thresholds and eight values.
 */
export function boost({ columns, rows, targets, weights, rounds, rate, random }) {
  const edges = columns.map((column) => thresholds(column, rows, weights));
  const data = {
    edges,
    binned: columns.map((column, index) => toBins(column, rows, edges[index])),
    targets: Float64Array.from(rows, (row) => targets[row]),
    weights: Float64Array.from(rows, (row) => weights[row]),
    sums: new Float64Array(rows.length),
  };
  return Array.from({ length: rounds }, () => growTree(data, rate, random));
}

/** The sum of all trees for one row. */
export function scoreOf(trees, columns, row) {
  let sum = 0;
  for (const tree of trees) {
    let at = 0;
    while (at < questions) at = 2 * at + (columns[tree[at]][row] >= tree[questions + at] ? 2 : 1);
    sum += tree[questions + at];
  }
  return sum;
}

/** Learns a tree from a part of the rows and of the features, and adds it to the sums of all rows. */
function growTree(data, rate, random) {
  const { edges, binned, sums } = data;
  const sample = drawRows(data, random);
  const chosen = [...binned.keys()].filter(() => random() < featureShare);
  const features = new Uint16Array(questions);
  const limits = new Uint8Array(questions).fill(bins);
  const nodes = new Uint8Array(sample.rows.length);
  let above;
  for (let level = 0; level < depth; level++) {
    const first = 2 ** level - 1;
    above = histograms({ first, count: 2 ** level, chosen, nodes, sample, binned, above });
    for (let node = 0; node < 2 ** level; node++) {
      const { feature, bin } = bestSplit(above, chosen, node);
      features[first + node] = feature;
      limits[first + node] = bin;
    }
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index];
      const bin = binned[features[node]][sample.rows[index]];
      nodes[index] = 2 * node + (bin >= limits[node] ? 2 : 1);
    }
  }
  const values = leafValues(sample, nodes, rate);
  for (let row = 0; row < sums.length; row++) {
    let at = 0;
    while (at < questions) at = 2 * at + (binned[features[at]][row] >= limits[at] ? 2 : 1);
    sums[row] += values[at - questions];
  }
  // A node that nothing divides well sends everything one way.
  const split = [...limits].map((bin, at) => (bin === bins ? 1e9 : edges[features[at]][bin - 1]));
  return [...features, ...split, ...values];
}

const rowShare = 0.7;
const featureShare = 0.3;

/** Some of the rows, with the first and second derivative of the loss at their sums. */
function drawRows({ targets, weights, sums }, random) {
  const rows = new Int32Array(sums.length);
  const slopes = new Float32Array(sums.length);
  const curves = new Float32Array(sums.length);
  let count = 0;
  for (let row = 0; row < sums.length; row++) {
    if (random() >= rowShare) continue;
    const probability = 1 / (1 + Math.exp(-sums[row]));
    rows[count] = row;
    slopes[count] = weights[row] * (probability - targets[row]);
    curves[count] = weights[row] * probability * (1 - probability);
    count++;
  }
  return {
    rows: rows.subarray(0, count),
    slopes: slopes.subarray(0, count),
    curves: curves.subarray(0, count),
  };
}

/**
 * By chosen feature: sums of slopes and curves for each node of a level and each bin. Only the smaller
 * half of a node above is summed up; the other half is the difference.
 */
function histograms({ first, count, chosen, nodes, sample, binned, above }) {
  const sizes = new Uint32Array(count);
  for (let index = 0; index < nodes.length; index++) sizes[nodes[index] - first]++;
  const isSummed = Uint8Array.from(sizes, (size, node) =>
    Number(
      above === undefined || size < sizes[node ^ 1] || (size === sizes[node ^ 1] && node % 2 === 0),
    ),
  );
  const members = membersOf({ first, nodes, sample, isSummed });
  return chosen.map((feature, index) => {
    const sums = new Float64Array(count * 2 * bins);
    addRows(sums, binned[feature], members);
    if (above === undefined) return sums;
    for (let node = 0; node < count; node++) {
      if (isSummed[node] === 1) continue;
      for (let at = 0; at < 2 * bins; at++) {
        const whole = above[index][(node >> 1) * 2 * bins + at];
        sums[node * 2 * bins + at] = whole - sums[(node ^ 1) * 2 * bins + at];
      }
    }
    return sums;
  });
}

/** The rows of the nodes that are summed up, and where the sums of their node start. */
function membersOf({ first, nodes, sample, isSummed }) {
  const rows = new Int32Array(nodes.length);
  const starts = new Int32Array(nodes.length);
  const slopes = new Float32Array(nodes.length);
  const curves = new Float32Array(nodes.length);
  let count = 0;
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index] - first;
    if (isSummed[node] === 0) continue;
    rows[count] = sample.rows[index];
    starts[count] = 2 * bins * node;
    slopes[count] = sample.slopes[index];
    curves[count] = sample.curves[index];
    count++;
  }
  return { count, rows, starts, slopes, curves };
}

/** The innermost loop, in a function of its own for the compiler. */
function addRows(sums, column, { count, rows, starts, slopes, curves }) {
  for (let index = 0; index < count; index++) {
    const at = starts[index] + 2 * column[rows[index]];
    sums[at] += slopes[index];
    sums[at + 1] += curves[index];
  }
}

const smoothing = 2;
const lightest = 5;

function bestSplit(sums, chosen, node) {
  let best = { feature: chosen[0], bin: bins, gain: 1e-6 };
  for (const [index, feature] of chosen.entries()) {
    const own = sums[index].subarray(node * 2 * bins, (node + 1) * 2 * bins);
    let slope = 0;
    let curve = 0;
    for (let at = 0; at < own.length; at += 2) {
      slope += own[at];
      curve += own[at + 1];
    }
    const whole = slope ** 2 / (curve + smoothing);
    let left = 0;
    let leftCurve = 0;
    for (let bin = 1; bin < bins; bin++) {
      left += own[2 * bin - 2];
      leftCurve += own[2 * bin - 1];
      const rightCurve = curve - leftCurve;
      if (leftCurve < lightest || rightCurve < lightest) continue;
      const gain =
        left ** 2 / (leftCurve + smoothing) +
        (slope - left) ** 2 / (rightCurve + smoothing) -
        whole;
      if (gain > best.gain) best = { feature, bin, gain };
    }
  }
  return best;
}

function leafValues({ slopes, curves }, nodes, rate) {
  const leaves = 2 ** depth;
  const sums = new Float64Array(2 * leaves);
  for (let index = 0; index < nodes.length; index++) {
    const leaf = nodes[index] - questions;
    sums[2 * leaf] += slopes[index];
    sums[2 * leaf + 1] += curves[index];
  }
  return Array.from(
    { length: leaves },
    (_, leaf) => (-rate * sums[2 * leaf]) / (sums[2 * leaf + 1] + smoothing),
  );
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
    edges.push(next.value);
  }
  return edges;
}

/** The bins of these rows. */
function toBins(column, rows, edges) {
  return Uint8Array.from(rows, (row) => {
    let low = 0;
    let high = edges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[row] >= edges[middle]) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}
