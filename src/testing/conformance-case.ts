/** One case of a conformance suite. */

/**
 * One thing that every implementation of an interface has to do. `run` rejects when it does not.
 *
 * A suite is a list of cases, for any test runner:
 * `for (const { name, run } of storeConformance(makeStore)) test(name, run);`
 */
export interface ConformanceCase {
  readonly name: string;
  run(): Promise<void>;
}
