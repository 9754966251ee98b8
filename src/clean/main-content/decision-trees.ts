/** Many small decision trees whose values are added up. */

/**
 * Trees as `bench/main-content/train.mjs` writes them, in base64: the features of all trees in one byte
 * each, then all thresholds as 32-bit floats, then all values as 16-bit integers in units of 2^-15.
 */
export interface PackedModel {
  readonly features: readonly string[];
  readonly trees: string;
}

/** The trees of the model, as numbers. */
export function unpackModel({ features, trees }: PackedModel): Model {
  const bytes = Buffer.from(trees, 'base64');
  const count = bytes.length / (5 * questions + 2 * leaves);
  const thresholds = count * questions;
  const values = thresholds + 4 * count * questions;
  return {
    features,
    trees: Array.from({ length: count }, (_, tree) => [
      ...bytes.subarray(tree * questions, (tree + 1) * questions),
      ...Array.from({ length: questions }, (_, at) =>
        bytes.readFloatLE(thresholds + 4 * (tree * questions + at)),
      ),
      ...Array.from(
        { length: leaves },
        (_, at) => bytes.readInt16LE(values + 2 * (tree * leaves + at)) / valueUnits,
      ),
    ]),
  };
}

/** Sums of multiples of 2^-15 are exact: they do not depend on earlier additions and subtractions. */
const valueUnits = 2 ** 15;

/**
 * A tree asks three questions, "is this feature at least
 * that large?"; the answers lead to one of eight values.
 */
export interface Model {
  /** Names of features; trees refer to them by position. */
  readonly features: readonly string[];
  /** Each: seven features, seven thresholds, eight values. Question n leads to 2n+1 (no) or 2n+2. */
  readonly trees: readonly (readonly number[])[];
}

/** Returns the sum over all trees for the values of all features. */
export type TreeSum = (values: ArrayLike<number>) => number;

/** Questions and values of a tree. */
const questions = 7;
const leaves = 8;

/**
 * Lays the trees out for speed. Most features of a paragraph equal the features of the one before, so
 * the answers are remembered, seven bits a tree, and so is the sum. Only those answers change whose
 * thresholds lie between the last value of a feature and the new one: of 1,500 trees, one in five.
 * `names` maps values to features by position.
 */
export function compileTrees(
  { features, trees }: Model,
  names: readonly string[] = features,
): TreeSum {
  const places = features.map((name) => names.indexOf(name));
  const asked = questionsByPlace(names.length, places, trees);
  const starts = Int32Array.from([0, ...runningCounts(asked)]);
  const all = asked.flat();
  const thresholds = Float64Array.from(all, ({ threshold }) => threshold);
  const askers = Int32Array.from(all, ({ tree }) => tree);
  const bits = Uint8Array.from(all, ({ bit }) => bit);
  const results = Float64Array.from(trees.flatMap((tree) => tree.slice(2 * questions)));
  /** By tree: 1 where the value is above the threshold or on it. */
  const answers = new Uint8Array(trees.length);
  const resultOf = (tree: number, given: number): number =>
    results[tree * leaves + (leafOf[given] as number)] as number;
  // In an array: a variable shared by closures allocates an object for each number.
  const sum = Float64Array.of(trees.reduce((before, _, tree) => before + resultOf(tree, 0), 0));
  const lastValues = new Float64Array(names.length).fill(-Infinity);
  /** By place: the first threshold above its last value. */
  const reached = starts.slice(0, names.length);

  /** Changes the answer at a threshold. Returns the difference of the sum. */
  const flip = (at: number): number => {
    const tree = askers[at] as number;
    const before = answers[tree] as number;
    const now = before ^ (bits[at] as number);
    answers[tree] = now;
    return resultOf(tree, now) - resultOf(tree, before);
  };

  return (values) => {
    let total = sum[0] as number;
    for (let place = 0; place < lastValues.length; place += 1) {
      const value = values[place] as number;
      if (value === lastValues[place]) continue;
      lastValues[place] = value;
      const start = starts[place] as number;
      const end = starts[place + 1] as number;
      let at = reached[place] as number;
      for (; at < end && value >= (thresholds[at] as number); at += 1) total += flip(at);
      for (; at > start && !(value >= (thresholds[at - 1] as number)); at -= 1) {
        total += flip(at - 1);
      }
      reached[place] = at;
    }
    sum[0] = total;
    return total;
  };
}

/** One question of a tree. */
interface SplitQuestion {
  readonly threshold: number;
  readonly tree: number;
  readonly bit: number;
}

/** By place: all questions about the value there, the lowest threshold first. */
function questionsByPlace(
  count: number,
  places: readonly number[],
  trees: Model['trees'],
): SplitQuestion[][] {
  const asked = Array.from({ length: count }, (): SplitQuestion[] => []);
  for (const [tree, numbers] of trees.entries()) {
    for (let at = 0; at < questions; at += 1) {
      const threshold = numbers[questions + at] as number;
      asked[places[numbers[at] as number] as number]?.push({ threshold, tree, bit: 1 << at });
    }
  }
  for (const one of asked) one.sort((left, right) => left.threshold - right.threshold);
  return asked;
}

function runningCounts(lists: readonly (readonly unknown[])[]): number[] {
  let count = 0;
  return lists.map((list) => (count += list.length));
}

/** By the answers to all questions of a tree: the index of the leaf that they lead to. */
const leafOf: Uint8Array = Uint8Array.from({ length: 1 << questions }, (_, answers) => {
  const bit = (question: number): number => (answers >> question) & 1;
  const first = bit(0);
  const second = 2 * first + bit(1 + first);
  return 2 * second + bit(3 + second);
});
