/**
 * Runs scenarios, each with servers and a client of its own, and looks at what is left behind.
 *
 * Each family is a file, and vitest gives each file a process: what a scenario leaks or allocates is
 * its family's. The peak of that process, vitest included, stays under 600 MB, which is stricter
 * than 600 MB a scenario.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient, PagewrightError } from '../../src/index.ts';
import { type Behaviour, serve } from '../../src/entries/testing/index.ts';
import { secret } from './secret.ts';
import { longestStall, watchStalls } from './stall-watch.ts';
import type { ExpectedDocument, Outcome, Routes, Scenario, Scene, Web } from './scenario.ts';
import { isDeep } from '../support/deep.ts';

/** Megabytes that the process of a family may take at its peak. */
const memoryLimit = 600;
/** Milliseconds for one scenario; each bounds its own waits far below. */
const scenarioTimeout = 25_000;

/** What a family of scenarios needs. */
interface Family {
  /** Megabytes that its process may take at its peak, a thread that reads included. @default 600 */
  readonly memory?: number;
}

/** Defines one test for each scenario. */
export function runScenarios(
  scenarios: readonly Scenario[],
  { memory = memoryLimit }: Family = {},
): void {
  test('every scenario of the family has a name of its own', () => {
    const names = scenarios.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
  for (const scenario of scenarios) {
    const runs = scenario.rare !== true || isDeep(scenario.name);
    test.runIf(runs)(scenario.name, { timeout: 2 * scenarioTimeout }, async () => {
      const first = await runScenario(scenario, memory);
      if (first <= longestStall) return;
      // Modules that are loaded and code that is compiled for the first time hold up the first run only.
      const again = await runScenario(scenario, memory);
      expect(again, 'ms in which the event loop stood still').toBeLessThan(longestStall);
    });
  }
}

/** Gives the longest time that the event loop stood still while the caller waited, ms. */
async function runScenario(scenario: Scenario, memory: number): Promise<number> {
  let longest: number;
  using accidents = watchProcess();
  const steps: (() => unknown)[] = [];
  const web: Web = {
    site: await serve({}, { behaviours: { '*': route(() => read(scenario.site, web)) } }),
    other: await serve(
      {},
      { host: '127.0.0.2', behaviours: { '*': route(() => read(scenario.other, web)) } },
    ),
  };
  const client = createClient({
    network: { allow: ['127.0.0.0/8', 'localhost'] },
    logger: {
      warn: (_, sentence) => {
        if (!isExpected(sentence)) accidents.seen.push(`logged: ${sentence}`);
      },
    },
    ...scenario.client,
  });
  const scene: Scene = {
    ...web,
    client,
    // What a server does the second time is to be seen.
    scrape: (url) =>
      client.scrape(url, { retries: 0, maxAge: 0, formats: ['markdown'], ...scenario.options }),
    defer: (step) => void steps.unshift(step),
  };
  try {
    scenario.prepare?.();
    using stalls = watchStalls();
    const result = await settle(scenario, scene);
    longest = stalls.longest;
    compare(result, scenario.expect, web);
    await client.close();
    await expectSocketsClosed(web);
  } finally {
    await client.close();
    for (const step of steps) await step();
    await Promise.all([web.site.close(), web.other.close()]);
  }
  // What was left to itself fails in a later turn.
  await sleep(0);
  expect(accidents.seen).toEqual([]);
  expect(process.resourceUsage().maxRSS / 1024).toBeLessThan(memory);
  return longest;
}

type Result = { readonly value: unknown } | { readonly error: unknown };

async function settle(scenario: Scenario, scene: Scene): Promise<Result> {
  const { visit = '/', act } = scenario;
  const target = typeof visit === 'function' ? visit(scene) : visit;
  const url = target.startsWith('/') ? scene.site.url(target) : target;
  try {
    return { value: await (act === undefined ? scene.scrape(url) : act(scene)) };
  } catch (error) {
    return { error };
  }
}

function compare(result: Result, outcome: Outcome, web: Web): void {
  expect(JSON.stringify(describe(result))).not.toContain(secret);
  if ('code' in outcome) {
    // What came instead is in the report.
    expect(describe(result)).toMatchObject({ code: outcome.code });
    const { error } = result as { error: PagewrightError };
    expect(error).toBeInstanceOf(PagewrightError);
    expect(error.message).toMatch(outcome.message);
    return;
  }
  if ('error' in result) throw result.error;
  if ('value' in outcome) expect(result.value).toEqual(outcome.value);
  else compareDocument(result.value as AnyDocument, outcome.document, web);
}

interface AnyDocument {
  readonly markdown?: string;
  readonly links?: readonly string[];
  readonly images?: readonly string[];
  readonly warning?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

function compareDocument(document: AnyDocument, expected: ExpectedDocument, web: Web): void {
  const { markdown, warning, statusCode = 200, url, fields = {}, metadata = {} } = expected;
  expectText(document.warning, warning);
  if (markdown !== undefined) expectText(document.markdown, markdown);
  expect(document).toMatchObject(fields);
  expect(document.metadata).toMatchObject({ statusCode, ...metadata });
  if (url !== undefined) {
    expect(document.metadata['url']).toBe(url.startsWith('/') ? web.site.url(url) : url);
  }
  expectSafe(document);
}

function expectText(text: string | undefined, expected: string | RegExp | undefined): void {
  if (expected instanceof RegExp) expect(text).toMatch(expected);
  else expect(text).toBe(expected);
}

/** What holds for every document, whatever the page tried. */
function expectSafe({ markdown = '', links = [], images = [] }: AnyDocument): void {
  expect(markdown).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
  for (const url of [...links, ...images]) expect(url).toMatch(/^https?:\/\//);
}

/** An outcome as it would be printed: no credentials may be in it. */
function describe(result: Result): unknown {
  if ('value' in result) return result.value;
  const causes: unknown[] = [];
  for (let error = result.error; error instanceof Error && causes.length < 9; error = error.cause) {
    const { name, message, stack } = error;
    causes.push({ ...error, name, message, stack });
  }
  return causes.length === 0 ? result.error : { ...(causes[0] as object), causes };
}

/** No connection outlives its client. */
async function expectSocketsClosed({ site, other }: Web): Promise<void> {
  const open = (): number => site.openSockets + other.openSockets;
  for (let wait = 0; open() > 0 && wait < 100; wait++) await sleep(20);
  expect(open()).toBe(0);
}

/** Sentences that are no accident: the sites of scenarios are small, and containers run tests as root. */
function isExpected(sentence: string): boolean {
  if (/^(?:One|No) page was kept|^The job ended because its budget/.test(sentence)) return true;
  return process.getuid?.() === 0 && /^Chromium runs without its sandbox/.test(sentence);
}

interface Accidents extends Disposable {
  readonly seen: string[];
}

/** Records what would end the process of a caller, or appear in its log. */
function watchProcess(): Accidents {
  const seen: string[] = [];
  const record = (what: unknown): void => {
    const text = what instanceof Error ? what.message : String(what);
    if (!isExpected(text)) seen.push(what instanceof Error ? (what.stack ?? text) : text);
  };
  const events = ['unhandledRejection', 'uncaughtExceptionMonitor', 'warning'] as const;
  for (const event of events) process.on(event, record);
  return {
    seen,
    [Symbol.dispose]: () => {
      for (const event of events) process.off(event, record);
    },
  };
}

function read(routes: Scenario['site'], web: Web): Routes {
  return (typeof routes === 'function' ? routes(web) : routes) ?? {};
}

/** Finds the page or behaviour of a request. */
function route(routes: () => Routes): Behaviour {
  let known: Routes | undefined;
  return (exchange) => {
    known ??= routes();
    const [path = ''] = exchange.url.split('?', 1);
    const start = Object.keys(known).find(
      (key) => key.endsWith('*') && exchange.url.startsWith(key.slice(0, -1)),
    );
    const found = known[exchange.url] ?? known[path] ?? (start === undefined ? null : known[start]);
    if (typeof found === 'function') return found(exchange);
    const page = typeof found === 'string' ? { body: found } : (found ?? { status: 404 });
    const { status = 200, headers = {}, body = '' } = page;
    const type = { 'content-type': 'text/html; charset=utf-8' };
    exchange.response.writeHead(status, { ...type, ...headers }).end(body);
    return undefined;
  };
}
