import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/entries/cli/run-command-line.ts';
import { outputProblem } from '../../../src/entries/cli/write-pages.ts';
import { serve } from '../../../src/entries/testing/index.ts';
import { emptyFolder, filesIn } from '../export/documents.ts';
import { smallPng } from '../../support/small-png.ts';

const text = 'A lamp gives light where there was none before. '.repeat(12);
const site = {
  '/': `<main><h1>Lamps</h1><p>${text}</p><p><img src="/lamp.png" alt="A"> <a href="/m.pdf">Manual</a>, <a href="/s.zip">all</a></p><p>${text}</p></main>`,
  '/lamp.png': { body: smallPng(6, 6) },
  '/m.pdf': { body: '%PDF-1.4' },
};
const crawl = (url: string): string[] => [
  'crawl', url, '--allow', '127.0.0.1', '--engine', 'http', '--quiet', '--no-strict',
  '--exclude-paths', '\\.pdf$',
]; // prettier-ignore

test('crawl --assets writes images and files beside the markdown', async () => {
  await using server = await serve(site);
  const folder = join(emptyFolder(), 'site');
  const words = ['--assets', 'images,pdf', '--output', folder];
  expect(await runCommandLine([...crawl(server.url('/')), ...words])).toBe(0);
  const files = filesIn(folder);
  expect(files).toEqual([
    expect.stringMatching(/^assets\/lamp-[0-9a-f]{16}\.png$/),
    expect.stringMatching(/^assets\/m-[0-9a-f]{16}\.pdf$/),
    'index.md',
  ]);
  const markdown = readFileSync(join(folder, 'index.md'), 'utf8');
  expect(markdown).toContain(`![A](${files[0]}) [Manual](${files[1]})`);
});

test('export writes the assets of a stored crawl', async () => {
  await using server = await serve(site);
  const folder = emptyFolder();
  const [lines, store, to] = ['pages.jsonl', 'store', 'site'].map((name) => join(folder, name));
  const words = ['--assets', 'images', '--store', store ?? '', '--jsonl', lines ?? ''];
  expect(await runCommandLine([...crawl(server.url('/')), ...words])).toBe(0);
  const exported = ['export', lines ?? '', to ?? '', '--store', store ?? '', '--quiet'];
  expect(await runCommandLine(exported)).toBe(0);
  expect(filesIn(to ?? '')).toEqual([expect.stringMatching(/^assets\/lamp-/), 'index.md']);
});

describe('refused where the files would be lost', () => {
  test.each([
    [{ assets: ['images'] }],
    [{ assets: ['images'], jsonl: 'a.jsonl' }],
    [{ assets: ['images'], output: 'a.parquet' }],
  ])('%j', (values) => {
    expect(outputProblem(values, ['markdown'], false)).toMatch(
      /^--assets are written beside markdown/,
    );
  });

  test('but not with a folder or a store', () => {
    expect(outputProblem({ assets: ['images'], output: 'a' }, ['markdown'], false)).toBeUndefined();
    expect(outputProblem({ assets: ['images'] }, ['markdown'], true)).toBeUndefined();
  });
});
