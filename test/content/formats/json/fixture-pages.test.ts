import { expect, test } from 'vitest';
import {
  countPages,
  type StructuredPage,
  structuredPages,
} from '../../../../bench/structured-pages.mjs';
import { extractFromPage } from '../../../../src/content/formats/json.ts';
import { compileSchema } from '../../../../src/extract/schema/compile-schema.ts';
import { htmlPage } from '../../../support/page.ts';

const pages = structuredPages();

async function extract({ url, html, schema }: StructuredPage): Promise<unknown> {
  const { jsonSchema } = await compileSchema(schema);
  return (await extractFromPage({ ...htmlPage(html, url), url }, jsonSchema)).value;
}

test('there are forty pages in eight templates', () => {
  expect(new Set(pages.map(({ template }) => template)).size).toBe(8);
  expect(pages).toHaveLength(40);
});

test.each([
  { what: 'all pages', isMeant: (): boolean => true },
  {
    what: 'the pages that were looked at',
    isMeant: ({ isHeldOut }: StructuredPage): boolean => !isHeldOut,
  },
  {
    what: 'the pages that were held out',
    isMeant: ({ isHeldOut }: StructuredPage): boolean => isHeldOut,
  },
])(
  'nine in ten leaves are right and one in a hundred is wrong at most: $what',
  async ({ isMeant }) => {
    const { leaves, right, wrong, problems } = await countPages(pages.filter(isMeant), extract);
    expect(leaves).toBeGreaterThan(200);
    expect(right / leaves, problems.join('\n')).toBeGreaterThanOrEqual(0.9);
    expect(wrong / leaves, problems.join('\n')).toBeLessThanOrEqual(0.01);
  },
);

test('every wrong value counts, and every lost one', async () => {
  const page = pages.find(({ template, name }) => template === 'shop' && name === '1');
  if (page === undefined) throw new Error('the page is gone');
  const gold = page.gold as Record<string, unknown>;
  const count = (value: unknown): ReturnType<typeof countPages> =>
    countPages([page], () => Promise.resolve(value));
  const { leaves } = await count(gold);
  expect(await count({ ...gold, price: 310 })).toMatchObject({ right: leaves - 1, wrong: 1 });
  expect(await count({ ...gold, price: null })).toMatchObject({ right: leaves - 1, missing: 1 });
  expect(await count({ ...gold, features: [] })).toMatchObject({ right: leaves - 3, missing: 3 });
  expect(await count({ ...gold, more: 1 })).toMatchObject({ right: leaves, wrong: 1 });
});
