/** Requests of documents as an HTTP archive, valid by the schema of HAR 1.2. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import * as formats from 'ajv-formats';
import type { NetworkRequest } from 'pagewright';
import { writeHar } from 'pagewright/export';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pagewright-har-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

const startedAt = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

const requests: NetworkRequest[] = [
  {
    method: 'GET',
    url: 'https://a.example/?q=1&q=b%20c',
    type: 'document',
    startedAt,
    duration: 12,
    status: 302,
    bytes: 0,
    redirectsTo: 'https://a.example/x',
  },
  {
    method: 'POST',
    url: 'https://a.example/graphql',
    type: 'fetch',
    startedAt: startedAt + 5,
    duration: 7,
    status: 200,
    contentType: 'application/json',
    requestBytes: 9,
    bytes: 20,
    postData: { query: 'ü' },
    json: { name: 'ü' },
  },
  {
    method: 'GET',
    url: 'https://ads.example/',
    type: 'script',
    startedAt,
    duration: 0,
    blocked: 'ads',
  },
  { method: 'GET', url: 'wss://a.example/s', type: 'websocket', startedAt, isOpen: true },
];

const document = (own: object): { metadata: { url: string; title: string } } => ({
  metadata: { url: 'https://a.example/', title: 'A "title"' },
  ...own,
});

function problemsOf(har: unknown): unknown {
  const require = createRequire(import.meta.url);
  const schemas = Object.values(require('har-schema') as Record<string, { $id: string }>);
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default.default(ajv);
  ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json') as object);
  ajv.addSchema(schemas);
  const isValid = ajv.validate('har.json#', har);
  return isValid ? [] : ajv.errors;
}

test('a page for each document, an entry for each request', async () => {
  const file = join(folder, 'pages.har');
  expect(await writeHar([document({ requests }), document({ requests: [] })] as never, file)).toBe(
    2,
  );
  const har = JSON.parse(await readFile(file, 'utf8')) as {
    log: { pages: object[]; entries: { pageref: string }[] };
  };
  expect(problemsOf(har)).toEqual([]);
  expect(problemsOf({ log: { ...har.log, entries: [{}] } })).not.toEqual([]);
  const { pages, entries } = har.log;
  expect(pages[0]).toEqual({
    id: 'page_1',
    title: 'A "title"',
    startedDateTime: '2026-01-02T03:04:05.006Z',
    pageTimings: {},
  });
  expect(entries.map(({ pageref }) => pageref)).toEqual(['page_1', 'page_1', 'page_1', 'page_1']);
  expect(entries[0]).toMatchObject({
    time: 12,
    request: {
      queryString: [
        { name: 'q', value: '1' },
        { name: 'q', value: 'b c' },
      ],
    },
    response: { status: 302, statusText: 'Found', redirectURL: 'https://a.example/x' },
  });
  expect(entries[1]).toMatchObject({
    startedDateTime: '2026-01-02T03:04:05.011Z',
    request: {
      method: 'POST',
      bodySize: 9,
      postData: { mimeType: 'application/json', text: '{"query":"ü"}' },
    },
    response: {
      bodySize: 20,
      content: { size: 13, mimeType: 'application/json', text: '{"name":"ü"}' },
    },
  });
  expect(entries[2]).toMatchObject({ response: { status: 0 }, _error: 'blocked: ads' });
});

test.each([
  ['no requests', {}],
  ['something else there', { requests: [{ method: 'GET', url: 'x', startedAt: Infinity }] }],
])('a document with %s is refused, and no file is left', async (_, own) => {
  const file = join(folder, 'none.har');
  await expect(writeHar([document(own)] as never, file)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('has no requests') as string,
  });
  expect(await readdir(folder)).not.toContain('none.har');
});
