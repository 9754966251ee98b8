import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { extractFromPage, json } from '../../../../src/content/formats/json.ts';
import { runFormat } from '../../../../src/content/formats/run-format.ts';
import { compileSchema, type JsonSchema } from '../../../../src/extract/schema/compile-schema.ts';
import type { HtmlPage } from '../../../../src/core/model/page.ts';
import { context, htmlPage } from '../../../support/page.ts';

interface Gold {
  readonly value: unknown;
  readonly notFound: readonly string[];
  readonly sources?: Readonly<Record<string, string>>;
}

const folder = fileURLToPath(new URL('../../../../fixtures/pages/extract/', import.meta.url));
const cases = readdirSync(folder);

function read(name: string, file: string): string {
  return readFileSync(join(folder, name, file), 'utf8');
}

function pageOf(name: string): HtmlPage {
  const url = `https://fixture.test/${name}`;
  return { ...htmlPage(read(name, 'page.html'), url), url };
}

test('there are enough cases', () => {
  expect(cases.length).toBeGreaterThanOrEqual(20);
});

test.each(cases)(
  '%s: the data, what is missing and where it was found are as read by a person',
  async (name) => {
    const schema = await compileSchema(JSON.parse(read(name, 'schema.json')) as JsonSchema);
    const page = pageOf(name);
    const gold = JSON.parse(read(name, 'expected.json')) as Gold;
    const extraction = await extractFromPage(page, schema.jsonSchema);
    expect(extraction.value).toEqual(gold.value);
    expect([...extraction.notFound].sort()).toEqual([...gold.notFound].sort());
    expect(extraction.sources).toMatchObject(gold.sources ?? {});
    expect(await runFormat(json, page, { schema }, context)).toEqual(gold.value);
  },
);

test.each(cases)('%s: an empty page gives none of it', async (name) => {
  const schema = await compileSchema(JSON.parse(read(name, 'schema.json')) as JsonSchema);
  const { sources } = await extractFromPage(htmlPage(''), schema.jsonSchema);
  expect(sources).toEqual({});
});
