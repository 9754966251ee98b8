/** The files of fixtures/sitemaps, in every encoding and packing. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  parseSitemap,
  type SitemapContent,
} from '../../../../src/core/frontier/sitemaps/sitemaps.ts';

interface Expected {
  readonly urls?: SitemapContent['urls'];
  readonly sitemaps?: SitemapContent['sitemaps'];
  /** A part of each warning. */
  readonly warnings?: readonly string[];
}

const folder = new URL('../../../../fixtures/sitemaps/', import.meta.url);
const expected = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) as Readonly<
  Record<string, Expected>
>;

const packings: Readonly<Record<string, (bytes: Buffer) => Uint8Array>> = {
  'as it is': (bytes) => bytes,
  gzipped: (bytes) => gzipSync(bytes),
  'gzipped twice': (bytes) => gzipSync(gzipSync(bytes)),
  'gzipped with zeros after it': (bytes) => Buffer.concat([gzipSync(bytes), Buffer.alloc(512)]),
  'with a byte order mark': (bytes) => Buffer.concat([Buffer.from('\uFEFF'), bytes]),
  'as UTF-16LE': (bytes) => Buffer.from(`\uFEFF${bytes.toString()}`, 'utf16le'),
  'as UTF-16BE': (bytes) => Buffer.from(`\uFEFF${bytes.toString()}`, 'utf16le').swap16(),
  'after blank lines': (bytes) => Buffer.concat([Buffer.from('\n \r\n\t'), bytes]),
};

test('every file has its expectation', () => {
  const files = readdirSync(folder).filter((name) => !/^(README|expected)/.test(name));
  expect(Object.keys(expected).sort()).toEqual(files.sort());
});

describe.each(Object.entries(packings))('%s', (_, pack) => {
  test.each(Object.entries(expected))('%s', async (name, { urls, sitemaps, warnings }) => {
    const bytes = pack(readFileSync(new URL(name, folder)));
    const content = await parseSitemap(bytes, `http://example.test/${name}`);
    expect(content.urls).toEqual(urls ?? []);
    expect(content.sitemaps).toEqual(sitemaps ?? []);
    expect(content.warnings).toHaveLength(warnings?.length ?? 0);
    for (const [index, part] of (warnings ?? []).entries()) {
      expect(content.warnings[index]).toContain(part);
    }
  });
});
