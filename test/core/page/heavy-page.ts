/** Pages that are read on a thread, and what can be seen of threads. */
import { readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { builtInFormat } from '../../../src/content/formats/index.ts';
import type { Snapshot } from '../../../src/core/model/snapshot.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';
import { outlineOnly, type ProcessingPlan } from '../../../src/core/page/process-page.ts';

/** Every built-in format that needs no options. */
export const allFormats = [
  'markdown',
  'html',
  'rawHtml',
  'links',
  'images',
  'tables',
  'chunks',
  'summary',
  'structuredData',
] as const;

/** The body of a real page so many times that it weighs over `bytes`. */
export function heavyPage(bytes = 400_000): string {
  const source = readFileSync(article, 'utf8');
  const [, head = '', body = ''] = /^([^]*<body[^>]*>)([^]*)<\/body>/.exec(source) ?? [];
  return `${head}${body.repeat(Math.ceil(bytes / body.length))}</body></html>`;
}

const article = new URL('../../../fixtures/sites/blog/en/rye-bread.html', import.meta.url);

/** A table that takes seconds: 900,000 nodes. */
export function endlessPage(): string {
  const row = '<tr><td>a</td><td>b <b>c</b></td><td>d</td></tr>';
  return `<html><title>T</title><body><h1>T</h1><table>${row.repeat(100_000)}</table></body></html>`;
}

/** The page as if an engine had fetched it. */
export function snapshotOf(source: string, type = 'text/html'): Snapshot {
  return {
    url: 'http://example.test/docs/page',
    statusCode: 200,
    headers: { 'content-type': type },
    body: new TextEncoder().encode(source),
    engine: 'test',
    redirects: [],
    warnings: [],
    requests: 1,
    bytes: source.length,
  };
}

/** Asks for these formats, and for nothing else. */
export function planOf(...names: readonly string[]): ProcessingPlan {
  const formats = names.map((name) => {
    const format = builtInFormat(name);
    if (format === undefined) throw new Error(`no format ${name}`);
    // What a thread is told is complete: the name alone would have it give the first step only.
    const isComplete = name !== 'chunks' && name !== 'summary';
    const options = isComplete ? undefined : format.parseOptions?.({});
    return { format, options, uses: {} };
  });
  return { ...outlineOnly, outline: false, limits: defaultLimits, formats };
}

/** Counts the threads that are started until it is disposed. */
export function watchThreads(): Disposable & { readonly started: number; readonly alive: number } {
  let started = 0;
  let alive = 0;
  const note = (worker: Worker): void => {
    started += 1;
    alive += 1;
    worker.once('exit', () => (alive -= 1));
  };
  process.on('worker', note);
  return {
    get started() {
      return started;
    },
    get alive() {
      return alive;
    },
    [Symbol.dispose]: () => void process.off('worker', note),
  };
}

/** Counts the turns of the event loop, one in 10 ms at most, while `work` is waited for. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 10);
  await work.catch(() => undefined);
  clearInterval(timer);
  return turns;
}
