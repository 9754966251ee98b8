/**
 * How a property runs. In the tests: a third of its runs from a fixed seed, in deep ones all. With
 * PAGEWRIGHT_FUZZ_SECONDS: its share of that time from a random seed, which a failure tells.
 * PAGEWRIGHT_FUZZ_SEED and PAGEWRIGHT_FUZZ_PATH repeat what a failure has told.
 */
import { stderr } from 'node:process';
import fc from 'fast-check';
import { test } from 'vitest';
import { longestStall, watchStalls } from '../hostile/stall-watch.ts';
import { isDeep } from '../support/deep.ts';

export interface Budget {
  /** Runs in deep tests. */
  readonly runs: number;
  /** Percent of the time of a long run; all files together have about 100. */
  readonly share: number;
  /** Milliseconds for which a run may hold up the event loop. @default 200 */
  readonly stall?: number;
}

const { PAGEWRIGHT_FUZZ_SECONDS: seconds, PAGEWRIGHT_FUZZ_SEED: givenSeed } = process.env;
const { PAGEWRIGHT_FUZZ_PATH: givenPath } = process.env;

/** Milliseconds for a property in CI, where a slow machine stops before all runs are done. */
const shortTime = 15_000;

/**
 * The same property, which fails too where a case holds up the event loop twice: modules are loaded and
 * code is compiled the first time.
 */
function watched(property: fc.IRawProperty<unknown>, stall: number): fc.IRawProperty<unknown> {
  type Outcome = fc.PropertyFailure | fc.PreconditionFailure | null;
  const run = property.run.bind(property);
  const timed = async (value: unknown): Promise<[failure: Outcome, longest: number]> => {
    using stalls = watchStalls();
    return [await run(value), stalls.longest];
  };
  property.run = async (value) => {
    const [failure, first] = await timed(value);
    if (failure !== null || first <= stall) return failure;
    const [, again] = await timed(value);
    const longest = Math.round(Math.min(first, again));
    if (longest <= stall) return null;
    return { error: new Error(`the event loop stood still for ${longest} ms`) };
  };
  property.isAsync = () => true;
  return property;
}

/** Declares a test of a property. */
export function fuzzTest(
  name: string,
  { runs, share, stall = longestStall }: Budget,
  property: fc.IRawProperty<unknown>,
): void {
  const time = seconds === undefined ? shortTime : Number(seconds) * share * 10;
  const parameters: fc.Parameters<unknown> = {
    seed:
      givenSeed === undefined ? (seconds === undefined ? 3 : Date.now() | 0) : Number(givenSeed),
    numRuns: seconds !== undefined ? 1e9 : isDeep(name) ? runs : Math.ceil(runs / 3),
    plugins: [fc.interruptAfterTimeLimit(time)],
    ...(givenPath === undefined ? {} : { path: givenPath }),
  };
  // A failing case is made smaller before it is told, which takes longer than finding it.
  test(name, { timeout: 2 * time + 60_000 }, async () => {
    const details = await fc.check(watched(property, stall), parameters);
    if (seconds !== undefined) stderr.write(`${details.numRuns} runs: ${name}\n`);
    if (!details.failed) return;
    throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
  });
}
