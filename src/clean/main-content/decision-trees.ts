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

/** Gives the sum over all trees for the values of all features. */
export type TreeSum = (values: ArrayLike<number>) => number;

/** Questions of a tree, and its values. */
const questions = 7;
const leaves = 8;

/**
 * Lays the trees out for speed. Most values of a paragraph are those of the paragraph before it, so
 * the answers are remembered: seven bits a tree. Only the answers change whose thresholds lie between
 * the last value of a feature and the new one. `names` says which value is which feature's.
 */
export function compileTrees(
  { features, trees }: Model,
  names: readonly string[] = features,
): TreeSum {
  const places = Int32Array.from(features, (name) => names.indexOf(name));
  const asked = questionsByFeature(features.length, trees);
  const starts = Int32Array.from([0, ...runningCounts(asked)]);
  const all = asked.flat();
  const thresholds = Float64Array.from(all, ({ threshold }) => threshold);
  const askers = Int32Array.from(all, ({ tree }) => tree);
  const bits = Uint8Array.from(all, ({ bit }) => bit);
  const results = Float64Array.from(trees.flatMap((tree) => tree.slice(2 * questions)));
  /** By tree: 1 where the value is above the threshold or on it. */
  const answers = new Uint8Array(trees.length);
  const lastValues = new Float64Array(features.length).fill(-Infinity);
  /** By feature: the first threshold that its last value does not reach. */
  const reached = starts.slice(0, features.length);

  const answer = (feature: number, value: number): void => {
    const start = starts[feature] as number;
    const end = starts[feature + 1] as number;
    let at = reached[feature] as number;
    for (; at < end && value >= (thresholds[at] as number); at += 1) flip(at);
    for (; at > start && !(value >= (thresholds[at - 1] as number)); at -= 1) flip(at - 1);
    reached[feature] = at;
  };
  const flip = (at: number): void => {
    const tree = askers[at] as number;
    answers[tree] = (answers[tree] as number) ^ (bits[at] as number);
  };

  return (values) => {
    for (let feature = 0; feature < lastValues.length; feature += 1) {
      const value = values[places[feature] as number] as number;
      if (value === lastValues[feature]) continue;
      lastValues[feature] = value;
      answer(feature, value);
    }
    let sum = 0;
    for (let tree = 0; tree < answers.length; tree += 1) {
      const leaf = leafOf[answers[tree] as number] as number;
      sum += results[tree * leaves + leaf] as number;
    }
    return sum;
  };
}

/** One question of a tree. */
interface Question {
  readonly threshold: number;
  readonly tree: number;
  readonly bit: number;
}

/** By feature: all that is asked about it, the lowest threshold first. */
function questionsByFeature(features: number, trees: Model['trees']): Question[][] {
  const asked = Array.from({ length: features }, (): Question[] => []);
  for (const [tree, numbers] of trees.entries()) {
    for (let at = 0; at < questions; at += 1) {
      const threshold = numbers[questions + at] as number;
      asked[numbers[at] as number]?.push({ threshold, tree, bit: 1 << at });
    }
  }
  for (const one of asked) one.sort((left, right) => left.threshold - right.threshold);
  return asked;
}

function runningCounts(lists: readonly (readonly unknown[])[]): number[] {
  let count = 0;
  return lists.map((list) => (count += list.length));
}

/** By the answers to all questions of a tree: the value that they lead to. */
const leafOf: Uint8Array = Uint8Array.from({ length: 1 << questions }, (_, answers) => {
  const bit = (question: number): number => (answers >> question) & 1;
  const first = bit(0);
  const second = 2 * first + bit(1 + first);
  return 2 * second + bit(3 + second);
});
