/** Documents and folders for the tests of this room. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { PlainDocument } from '../../../src/index.ts';

/** A document of a URL. */
export function page(
  url: string,
  fields: Readonly<Record<string, unknown>> = {},
  facts: Readonly<Record<string, unknown>> = {},
): PlainDocument {
  return {
    markdown: `# ${url}\n`,
    ...fields,
    metadata: {
      sourceURL: url,
      url,
      statusCode: 200,
      contentType: 'text/html',
      scrapeId: 'x',
      engine: 'fixtures',
      engineReason: '',
      proxyUsed: 'basic',
      creditsUsed: 1,
      title: `Page ${url}`,
      ...facts,
    },
  };
}

/** So many documents, made when they are asked for. */
export async function* pages(
  count: number,
  make: (index: number) => PlainDocument = (index) => page(`https://docs.test/${index}`),
): AsyncGenerator<PlainDocument, void, undefined> {
  for (let index = 0; index < count; index += 1) yield make(index);
}

/** Documents that end with an error. */
export async function* broken(count: number): AsyncGenerator<PlainDocument, void, undefined> {
  yield* pages(count);
  throw new Error('the source broke');
}

/** An empty folder that goes with the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pagewright-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Everything below a folder that is no folder, sorted, with `/`. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

/** All of them. */
export async function gather<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
