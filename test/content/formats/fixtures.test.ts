/**
 * Every folder of `fixtures/pages/<format>` is one case: `page.html`, the expected value as JSON, markdown
 * or text, and in `options.json` the options of the format, `baseUrl` and `warnings`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { normalize } from '../../../src/content/clean/normalize/index.ts';
import { builtInFormat, builtInFormatNames } from '../../../src/content/formats/index.ts';
import { runFormat } from '../../../src/content/formats/run-format.ts';
import { defaults } from '../clean/page.ts';
import { context, htmlPage } from '../../support/page.ts';

interface Settings extends Readonly<Record<string, unknown>> {
  readonly baseUrl?: string;
  readonly warnings?: readonly string[];
}

/** The base of relative URLs in the cases of markdown, for which they were written. */
const baseUrls: Readonly<Record<string, string>> = {
  markdown: 'https://example.test/docs/page.html',
};

const root = fileURLToPath(new URL('../../../fixtures/pages/', import.meta.url));

const cases = builtInFormatNames()
  .filter((name) => existsSync(root + name))
  .flatMap((format) =>
    readdirSync(root + format)
      .sort()
      .map((name) => ({ format, name, folder: `${root}${format}/${name}/` })),
  )
  .filter(({ folder }) => existsSync(`${folder}page.html`));

test.each(cases)('$format: $name', async ({ format: formatName, folder }) => {
  const files = readdirSync(folder);
  const read = (file: string): string => readFileSync(folder + file, 'utf8');
  const format = builtInFormat(formatName);
  if (format === undefined) throw new Error(`there is no format ${formatName}`);
  const {
    baseUrl = baseUrls[formatName],
    warnings = [],
    ...options
  } = (files.includes('options.json') ? JSON.parse(read('options.json')) : {}) as Settings;
  const page = htmlPage(read('page.html'), baseUrl);
  if (format.needs === 'content') normalize.apply(page, defaults);
  const value = await runFormat(format, page, format.parseOptions?.(options), context);
  const file = files.find((name) => name.startsWith('expected.')) ?? '';
  const expected: unknown = file.endsWith('.json')
    ? JSON.parse(read(file))
    : read(file).replace(/\n$/, '');
  expect(value).toEqual(expected);
  expect(page.warnings).toEqual(warnings);
});

/** Folders of other tests. */
const elsewhere = new Set(['clean', 'extract', 'golden', 'json']);

test('there are cases of each folder', () => {
  const folders = readdirSync(root).filter((name) => !elsewhere.has(name));
  expect(new Set(cases.map(({ format }) => format))).toEqual(new Set(folders));
});
