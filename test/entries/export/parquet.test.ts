import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { writeParquet } from '../../../src/entries/export/index.ts';
import { broken, emptyFolder, filesIn, page, pages } from './documents.ts';

const newFile = (): string => join(emptyFolder(), 'site.parquet');
const bytesOf = (file: string): ArrayBuffer => new Uint8Array(readFileSync(file)).buffer;
const rowsOf = (file: string): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: bytesOf(file) });
const fixed = [
  'url', 'sourceURL', 'title', 'description', 'language', 'statusCode', 'contentType', 'markdown', 'html',
  'links', 'depth', 'parentUrl', 'label', 'data', 'cachedAt', 'warning', 'metadata',
]; // prettier-ignore

describe('a row for each document', () => {
  test('has its facts, its texts, and JSON for the rest', async () => {
    const file = newFile();
    const document = page(
      'https://docs.test/ä',
      { markdown: '# 東京 😀\n\0', links: ['https://docs.test/b'], json: { a: [1] }, summary: 'S', warning: 'W' },
      { depth: 2, language: 'de', cachedAt: '2020-01-02T03:04:05.678Z', keywords: 'k' },
    ); // prettier-ignore
    expect(await writeParquet([document], file)).toBe(1);
    const [row = {}] = await rowsOf(file);
    expect(Object.keys(row)).toEqual([...fixed, 'json', 'summary', 'more']);
    expect(row).toMatchObject({
      url: 'https://docs.test/ä',
      title: 'Page https://docs.test/ä',
      description: null,
      language: 'de',
      statusCode: 200,
      contentType: 'text/html',
      markdown: '# 東京 😀\n\0',
      html: null,
      links: '["https://docs.test/b"]',
      depth: 2,
      parentUrl: null,
      label: null,
      data: null,
      cachedAt: new Date('2020-01-02T03:04:05.678Z'),
      warning: 'W',
      json: '{"a":[1]}',
      summary: 'S',
      more: null,
    });
    expect(JSON.parse(String(row['metadata']))).toEqual(document.metadata);
  });

  test('a format that only later documents have is in the last column', async () => {
    const file = newFile();
    const documents = pages(1500, (index) =>
      page(`https://docs.test/${index}`, index < 1000 ? { summary: 'S' } : { tables: [[index]] }),
    );
    await writeParquet(documents, file);
    const rows = await rowsOf(file);
    expect(rows).toHaveLength(1500);
    expect(rows[999]).toMatchObject({ summary: 'S', more: null });
    expect(rows[1000]).toMatchObject({ summary: null, more: '{"tables":[[1000]]}' });
  });

  test('facts of a wrong type are null; fields of any name find a place', async () => {
    const file = newFile();
    const names = Array.from({ length: 100 }, (_, index) => `own${index}`);
    const own = Object.fromEntries(names.map((name) => [name, true]));
    const facts = { title: 5, description: ['x'], statusCode: 1e10, depth: 1.5, cachedAt: 'never' };
    const odd = { ...own, url: 'mine', more: 1, 'a.b': 2, '': 3, bytes: new Uint8Array([1]) };
    await writeParquet([page('https://docs.test/', odd, facts)], file);
    const [row = {}] = await rowsOf(file);
    expect(row).toMatchObject({ url: 'https://docs.test/', title: null, description: null, statusCode: null, depth: null, cachedAt: null, own63: 'true' }); // prettier-ignore
    expect(JSON.parse(String(row['more']))).toMatchObject({ url: 'mine', more: 1, own99: true });
  });

  test('no documents are a table without rows', async () => {
    const file = newFile();
    expect(await writeParquet([], file)).toBe(0);
    expect(await rowsOf(file)).toEqual([]);
    const { schema } = await parquetMetadataAsync(bytesOf(file));
    expect(schema.slice(1).map(({ name }) => name)).toEqual([...fixed, 'more']);
  });

  test('a source that breaks leaves no file', async () => {
    const folder = emptyFolder();
    await expect(writeParquet(broken(2000), join(folder, 'a.parquet'))).rejects.toThrow('broke');
    expect(filesIn(folder)).toEqual([]);
  });
});

test('a row group has as much as fits: by rows, and by characters', async () => {
  const file = newFile();
  const large = 'word '.repeat(400_000);
  await writeParquet(
    pages(13, (index) => page(`https://docs.test/${index}`, { markdown: `${index} ${large}` })),
    file,
  );
  const { row_groups } = await parquetMetadataAsync(bytesOf(file));
  expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([4, 4, 4, 1]);
  expect((await rowsOf(file))[12]?.['markdown']).toBe(`12 ${large}`);
});
