/** Every office file of the fixtures gives the markdown beside it. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'pagewright';
import { describe, expect, test } from 'vitest';

const folder = new URL('../../../fixtures/files/', import.meta.url);
const kinds = [
  'docx',
  'pptx',
  'odt',
  'odp',
  'epub',
  'rtf',
  'doc',
  'xlsx',
  'xls',
  'ods',
  'csv',
  'tsv',
];

const types: Readonly<Record<string, string>> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  odp: 'application/vnd.oasis.opendocument.presentation',
  epub: 'application/epub+zip',
  rtf: 'application/rtf',
  doc: 'application/msword',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xls: 'application/vnd.ms-excel',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
};

describe.each(kinds)('%s', (kind) => {
  const files = readdirSync(new URL(`${kind}/`, folder)).filter((name) =>
    name.endsWith(`.${kind}`),
  );

  test.each(files)('%s', async (name) => {
    const file = new URL(`${kind}/${name}`, folder);
    const markdown = readFileSync(new URL(file.href.replace(/\w+$/, 'md')), 'utf8');
    // No type is declared: the bytes, or the extension of a text, say what it is.
    const document = await parse(readFileSync(file), { url: `https://files.test/${name}` });
    expect(document.markdown).toBe(markdown.trimEnd());
    expect(document.metadata.contentType).toBe(types[kind]);
  });
});
