import { expect, test } from 'vitest';
import { frontMatter } from '../../../src/entries/export/front-matter.ts';
import type { Metadata } from '../../../src/index.ts';

const metadata: Metadata = {
  sourceURL: 'https://docs.test/a',
  url: 'https://docs.test/a',
  statusCode: 200,
  contentType: 'text/html',
  scrapeId: 'x',
  engine: 'fixtures',
  engineReason: '',
  proxyUsed: 'basic',
  creditsUsed: 1,
  title: 'A page',
  depth: 1,
};

test('facts stand in a fixed order, and those a page does not have are left out', () => {
  expect(frontMatter(metadata)).toBe(
    `---
url: "https://docs.test/a"
title: "A page"
statusCode: 200
contentType: "text/html"
depth: 1
---
`,
  );
});

test('the URL before a redirect is told where it differs, and so is a warning', () => {
  const head = frontMatter(
    { ...metadata, sourceURL: 'https://docs.test/old' },
    { warning: 'Careful.' },
  );
  expect(head).toContain('sourceURL: "https://docs.test/old"\n');
  expect(head).toContain('warning: "Careful."\n---\n');
});

test('no title can end the head or add a line to it', () => {
  const title = 'a"\n---\nstatusCode: 500\u2028\u0085\u007f\ufeff\ud800 \\ # ☂ 東';
  const head = frontMatter({ ...metadata, title });
  const line = head.split('\n').find((text) => text.startsWith('title:')) ?? '';
  expect(line).toBe(
    'title: "a\\"\\n---\\nstatusCode: 500\\u2028\\u0085\\u007f\\ufeff\ufffd \\\\ # ☂ 東"',
  );
  expect(head.split('\n').filter((text) => text === '---')).toHaveLength(2);
});

test('a value that is no text is left out: a page may say anything', () => {
  const odd = { ...metadata, title: { a: 1 }, author: { name: 'x' } } as unknown as Metadata;
  expect(frontMatter(odd)).not.toMatch(/title|author/);
});
