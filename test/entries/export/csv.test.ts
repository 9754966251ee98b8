import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { csvSink } from '../../../src/entries/export/csv.ts';
import {
  type Documents,
  type DocumentSink,
  writeAll,
} from '../../../src/entries/export/document-sink.ts';
import { jsonArraySink } from '../../../src/entries/export/jsonl.ts';
import { createFile, type OpenFile } from '../../../src/entries/export/open-file.ts';
import { broken, emptyFolder, filesIn, page, pages } from './documents.ts';

async function written(documents: Documents, sink: (file: OpenFile) => DocumentSink) {
  const file = join(emptyFolder(), 'out');
  await writeAll(documents, async () => sink(await createFile(file)));
  return readFileSync(file, 'utf8');
}

test('cells with commas, quotes and line ends are quoted, rows end with CRLF', async () => {
  const text = await written([page('https://a.test/', { markdown: 'a, "b"\nc' })], csvSink);
  expect(text).toBe(
    'url,sourceURL,title,description,language,statusCode,contentType,depth,parentUrl,label,data,cachedAt,warning,markdown,more\r\n' +
      'https://a.test/,https://a.test/,Page https://a.test/,,,200,text/html,,,,,,,"a, ""b""\nc",\r\n',
  );
});

test('an object has a column a field, and nothing of later documents is lost', async () => {
  const make = (index: number) =>
    page(
      `https://a.test/${index}`,
      index === 0
        ? { json: null }
        : { json: { name: `n${index}`, tags: ['x'], ...(index === 150 && { late: 1 }) } },
    );
  const rows = (await written(pages(151, make), csvSink)).split('\r\n');
  expect(rows[0]).toMatch(/,markdown,json\.name,json\.tags,more$/);
  expect(rows[1]).toMatch(/,,,$/);
  expect(rows[2]?.endsWith('n1,"[""x""]",')).toBe(true);
  expect(rows[151]?.endsWith('n150,"[""x""]","{""json"":{""late"":1}}"')).toBe(true);
  expect(rows).toHaveLength(153);
});

test('a JSON array is whole with any number of documents, and absent after a failure', async () => {
  for (const count of [0, 1, 3]) {
    expect(JSON.parse(await written(pages(count), jsonArraySink))).toHaveLength(count);
  }
  const folder = emptyFolder();
  for (const sink of [jsonArraySink, csvSink]) {
    const file = join(folder, 'out');
    await expect(writeAll(broken(3), async () => sink(await createFile(file)))).rejects.toThrow();
  }
  expect(filesIn(folder)).toEqual([]);
});

test('texts that a spreadsheet takes for formulas are escaped, numbers are not', async () => {
  const json = { a: '=1+1', b: '+1', c: -2.5, d: '-x', e: '@SUM', f: '\tx', g: '+1+cmd' };
  const document = { ...page('https://a.test/'), json };
  const cells = (await written([document], csvSink)).split('\r\n')[1]?.split(',').slice(-8, -1);
  expect(cells).toEqual(["'=1+1", '+1', '-2.5', "'-x", "'@SUM", '"\'\tx"', "'+1+cmd"]);
  const plain = await written([document], (file) => csvSink(file, false));
  expect(plain).toContain(',=1+1,+1,-2.5,-x,@SUM,"\tx",+1+cmd,');
});

test('a field named __proto__ is empty where a document lacks it', async () => {
  const named = JSON.parse('[{ "__proto__": 1 }, { "a": 1 }]') as object[];
  const documents = named.map((json) => page('https://a.test/', { json }));
  const rows = (await written(documents, csvSink)).split('\r\n');
  expect(rows.slice(0, 3).map((row) => row.split(',').slice(-3).join())).toEqual([
    'json.__proto__,json.a,more',
    '1,,',
    ',1,',
  ]);
});
