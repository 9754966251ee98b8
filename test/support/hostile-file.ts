/** Scenarios of files that are fetched and read while the process goes on. */
import type { Outcome, Scenario, Scene } from '../hostile/scenario.ts';

/** What else a scenario of a file says. */
export interface FileScenario {
  /** What the server calls it. @default 'application/octet-stream' */
  readonly type?: string;
  /** Milliseconds. @default 20000 */
  readonly timeout?: number;
  readonly options?: NonNullable<Scenario['options']>;
  /** What holds afterwards; throws otherwise. */
  readonly afterwards?: (scene: Scene) => unknown;
}

/** Milliseconds after a deadline in which the answer must be there, on a machine that others use too. */
const grace = 4000;

/** The file is made when it is asked for. It ends before its deadline, and holds nobody up. */
export function hostileFile(
  name: string,
  make: () => Uint8Array | string,
  expected: Outcome,
  { type = 'application/octet-stream', timeout = 20_000, options, afterwards }: FileScenario = {},
): Scenario {
  let made: Buffer | undefined;
  return {
    name,
    site: () => ({ '/*': { headers: { 'content-type': type }, body: (made ??= bytesOf(make())) } }),
    options: { timeout, ...options },
    // Making it holds up the process, which is not what is looked for.
    prepare: () => void (made = bytesOf(make())),
    act: async (scene) => {
      const start = performance.now();
      try {
        return await scene.scrape(scene.site.url('/file'));
      } finally {
        await afterwards?.(scene);
        expectBefore(start + timeout + grace);
      }
    },
    expect: expected,
  };
}

function expectBefore(time: number): void {
  if (performance.now() > time) throw new Error('It ended after its deadline.');
}

function bytesOf(content: Uint8Array | string): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
}
