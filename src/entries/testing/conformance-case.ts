/** One case of a conformance suite. */

/**
 * One requirement for every implementation of an interface. `run` rejects if it is not met.
 *
 * A suite is a list of cases, for any test runner:
 * `for (const { name, run } of storeConformance(makeStore)) test(name, run);`
 */
export interface ConformanceCase {
  readonly name: string;
  run(): Promise<void>;
}
