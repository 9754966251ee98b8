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

const questions = 7;

/** The sum over all trees for the values of the model's features. */
export function sumOfTrees({ trees }: Model, values: readonly number[]): number {
  let sum = 0;
  for (const tree of trees) {
    let at = 0;
    while (at < questions) {
      const value = values[tree[at] as number] as number;
      at = 2 * at + (value >= (tree[questions + at] as number) ? 2 : 1);
    }
    sum += tree[questions + at] as number;
  }
  return sum;
}
