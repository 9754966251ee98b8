/** Sum of many small decision trees. */

/**
 * Trees as `bench/main-content/train.mjs` writes them, in base64: the features of all trees in one byte
 * each, then all thresholds as 32-bit floats, then all values as 16-bit integers, least byte first.
 */
export interface PackedModel {
  readonly features: readonly string[];
  readonly trees: string;
}

/**
 * A tree asks three questions, "is this feature at least that large?"; the answers lead to one of eight
 * values. Question n leads to question 2n+1 (no) or 2n+2 (yes), and from 7 on to value n-7.
 */
export interface Model {
  /** Names of features. */
  readonly features: readonly string[];
  /** The feature of each question, by position: seven per tree. */
  readonly featureOf: Uint8Array;
  readonly thresholds: Float32Array;
  /** In units of 2^-15, eight per tree. */
  readonly values: Int16Array;
}

const questions = 7; // questions, and values, of a tree
const leaves = 8;
const valueUnits = 2 ** 15; // whole numbers add up the same in any order

/** The trees of the model, as numbers. */
export function unpackModel({ features, trees }: PackedModel): Model {
  const bytes = Uint8Array.from(Buffer.from(trees, 'base64'));
  const thresholds = (bytes.length / (5 * questions + 2 * leaves)) * questions;
  const values = 5 * thresholds;
  return {
    features,
    featureOf: bytes.subarray(0, thresholds),
    thresholds: new Float32Array(bytes.slice(thresholds, values).buffer),
    values: new Int16Array(bytes.slice(values).buffer),
  };
}

/** A part of the trees of a model. */
export function someTrees(model: Model, first: number, end?: number): Model {
  const [from, to] = [first * questions, end && end * questions];
  return {
    features: model.features,
    featureOf: model.featureOf.subarray(from, to),
    thresholds: model.thresholds.subarray(from, to),
    values: model.values.subarray(first * leaves, end && end * leaves),
  };
}

/** Returns the sum over all trees for the values of all features. */
export type TreeSum = (values: ArrayLike<number>) => number;

/**
 * Lays the trees out for speed. Most features of a paragraph equal those of the previous one, so the answers,
 * seven bits per tree, and the sum are remembered. Only answers change whose thresholds lie between the last
 * value of a feature and the new one: of 1,500 trees, one in five. `names` maps values to features by
 * position. The arrays are as small as possible: a page reads them hundreds of times, and they should stay in
 * the processor's cache.
 */
export function compileTrees(model: Model, names: readonly string[] = model.features): TreeSum {
  const slotOf = model.features.map((name) => names.indexOf(name));
  const slots = Array.from(model.featureOf, (feature) => slotOf[feature] as number);
  /** All questions by slot, lowest threshold first. */
  const sorted = Uint32Array.from(slots.keys()).sort(
    (left, right) =>
      (slots[left] as number) - (slots[right] as number) ||
      (model.thresholds[left] as number) - (model.thresholds[right] as number),
  );
  const starts = startsOf(slots, names.length);
  const thresholds = Float32Array.from(sorted, (at) => model.thresholds[at] as number);
  const askers = Uint16Array.from(
    sorted,
    (at) => Math.floor(at / questions) * leaves + (at % questions),
  );
  const results = model.values;
  /** By tree, one bit per question: 1 if the value reaches the threshold. */
  const answers = new Uint8Array(results.length / leaves);
  // In an array: a variable shared by closures allocates an object for each number.
  const sum = Int32Array.of(
    results.reduce((before, value, at) => before + (at % leaves === 0 ? value : 0), 0),
  );
  const lastValues = new Float64Array(names.length).fill(-Infinity);
  /** By slot: the first threshold above its last value. */
  const reached = starts.slice(0, names.length);

  /** Flips the answer at a threshold. Returns the difference in the sum. */
  const flip = (at: number): number => {
    const asker = askers[at] as number;
    const question = asker % leaves;
    const tree = (asker - question) / leaves;
    const before = answers[tree] as number;
    const now = before ^ (1 << question);
    answers[tree] = now;
    const first = asker - question;
    return (
      (results[first + (leafOf[now] as number)] as number) -
      (results[first + (leafOf[before] as number)] as number)
    );
  };

  return (values) => {
    let total = sum[0] as number;
    for (let slot = 0; slot < lastValues.length; slot += 1) {
      const value = values[slot] as number;
      if (value === lastValues[slot]) continue;
      lastValues[slot] = value;
      const start = starts[slot] as number;
      const end = starts[slot + 1] as number;
      let at = reached[slot] as number;
      for (; at < end && value >= (thresholds[at] as number); at += 1) {
        total = (total + flip(at)) | 0;
      }
      for (; at > start && !(value >= (thresholds[at - 1] as number)); at -= 1) {
        total = (total + flip(at - 1)) | 0;
      }
      reached[slot] = at;
    }
    sum[0] = total;
    return total / valueUnits;
  };
}

/** By slot: the position of its first question; after the last slot, the number of questions. */
function startsOf(slots: readonly number[], count: number): Int32Array {
  const starts = new Int32Array(count + 1);
  for (const slot of slots) starts[slot + 1] = (starts[slot + 1] as number) + 1;
  for (let slot = 0; slot < count; slot += 1) {
    starts[slot + 1] = (starts[slot + 1] as number) + (starts[slot] as number);
  }
  return starts;
}

/** By the answers of a tree: the index of the leaf that they lead to. */
const leafOf: Uint8Array = Uint8Array.from({ length: 1 << questions }, (_, answers) => {
  const bit = (question: number): number => (answers >> question) & 1;
  const first = bit(0);
  const second = 2 * first + bit(1 + first);
  return 2 * second + bit(3 + second);
});
