/** Many small decision trees whose values are added up. */

/**
 * What `bench/main-content/train.mjs` learns. A tree asks three questions, "is this feature at least
 * that large?"; the answers lead to one of eight values.
 */
export interface Model {
  /** Names of features; trees refer to them by position. */
  readonly features: readonly string[];
  /** Each: seven features, seven thresholds, eight values. Question n leads to 2n+1 (no) or 2n+2. */
  readonly trees: readonly (readonly number[])[];
}

/** Gives the sum over all trees for the values of the model's features. */
export type TreeSum = (values: readonly number[]) => number;

/** Questions of a tree, and its values. */
const questions = 7;
const leaves = 8;

/**
 * Lays the trees out for speed. A value is compared with all thresholds of its feature at once: its
 * rank among them answers every question by a subtraction. Without a jump the processor has nothing
 * to guess, which is three times as fast as following the trees.
 */
export function compileTrees({ features, trees }: Model): TreeSum {
  const thresholds = thresholdsOf(features.length, trees);
  const asked = Uint16Array.from(trees.flatMap((tree) => tree.slice(0, questions)));
  const places = thresholds.map((sorted) => new Map(sorted.map((value, at) => [value, at])));
  const needed = Int32Array.from(
    trees.flatMap((tree) =>
      tree
        .slice(questions, 2 * questions)
        .map((threshold, at) => places[tree[at] as number]?.get(threshold) as number),
    ),
  );
  const results = Float64Array.from(trees.flatMap((tree) => tree.slice(2 * questions)));
  const ranks = new Int32Array(features.length);
  /** 1 when the value is above the threshold or on it. */
  const answer = (question: number): number =>
    ((needed[question] as number) - (ranks[asked[question] as number] as number)) >>> 31;

  return (values) => {
    for (const [feature, sorted] of thresholds.entries()) {
      ranks[feature] = rankOf(values[feature] as number, sorted);
    }
    let sum = 0;
    for (let tree = 0; tree < trees.length; tree += 1) {
      const first = tree * questions;
      let path = answer(first);
      path = 2 * path + answer(first + 1 + path);
      path = 2 * path + answer(first + 3 + path);
      sum += results[tree * leaves + path] as number;
    }
    return sum;
  };
}

/** By feature: what any tree compares it with, ascending, each once. */
function thresholdsOf(features: number, trees: Model['trees']): number[][] {
  const found = Array.from({ length: features }, () => new Set<number>());
  for (const tree of trees) {
    for (let at = 0; at < questions; at += 1) {
      found[tree[at] as number]?.add(tree[questions + at] as number);
    }
  }
  return found.map((values) => [...values].sort((one, other) => one - other));
}

/** How many of them the value reaches. */
function rankOf(value: number, sorted: readonly number[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value >= (sorted[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}
