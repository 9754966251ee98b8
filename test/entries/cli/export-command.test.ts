import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { PageValues } from '../../../src/entries/cli/page-options.ts';
import { formatsWhenNone } from '../../../src/entries/cli/output.ts';
import { outputProblem, type PageOutput } from '../../../src/entries/cli/write-pages.ts';
import { runCommandLine } from '../../../src/entries/cli/run-command-line.ts';
import { commandLine } from './command-line.ts';
import {
  requireBuild,
  docsSite,
  filesBelow,
  pagewright,
  workingDirectory,
} from './run-pagewright.ts';
import { rareTest } from '../../support/deep.ts';

beforeAll(requireBuild);

const crawlDocs = ['crawl', 'https://docs.test/docs/', '--limit', '4', '--quiet', ...docsSite];
/** In this process, which takes less time. */
const run = async (...words: readonly string[]): Promise<void> =>
  expect(await runCommandLine(words)).toBe(0);
const parquetRows = (file: string): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: new Uint8Array(readFileSync(file)).buffer });

describe('crawl --output takes the kind from the name', () => {
  test('of a file, which is there when all pages are', async () => {
    const cwd = workingDirectory();
    for (const output of ['a.jsonl', 'a.json', 'a.csv', 'a.parquet', 'a.warc.gz', 'llms.txt']) {
      await run(...crawlDocs, '--output', join(cwd, output));
    }
    expect(filesBelow(cwd)).toEqual([
      'a.csv',
      'a.json',
      'a.jsonl',
      'a.parquet',
      'a.warc.gz',
      'llms-full.txt',
      'llms.txt',
    ]);
    const read = (file: string): string => readFileSync(join(cwd, file), 'utf8');
    expect(read('a.jsonl').split('\n')).toHaveLength(5);
    expect(JSON.parse(read('a.json'))).toHaveLength(4);
    expect(read('a.csv').match(/^https:[^,\n]*,https:[^,\n]*,/gm)).toHaveLength(4);
    expect(await parquetRows(join(cwd, 'a.parquet'))).toHaveLength(4);
    // A web archive is of rawHtml, asked for or not.
    const archive = gunzipSync(readFileSync(join(cwd, 'a.warc.gz'))).toString();
    expect(archive.match(/^WARC-Type: response\r$/gm)).toHaveLength(4);
    expect(archive).toContain('<html');
    expect(read('llms.txt').match(/^- \[/gm)).toHaveLength(4);
    expect(read('llms-full.txt').match(/^Source: https:\/\/docs\.test\//gm)).toHaveLength(4);
  });

  test('of anything else a folder; --output-format says what a name does not', async () => {
    const cwd = workingDirectory();
    await run(...crawlDocs, '--output', join(cwd, 'docs'));
    expect(readFileSync(join(cwd, 'docs/docs/index.md'), 'utf8')).toMatch(/\]\([\w/.-]+\.md\)/);
    const words = ['--output-format', 'parquet', '--formats', 'links'];
    await run(...crawlDocs, '--output', join(cwd, 'table'), ...words);
    const [row] = await parquetRows(join(cwd, 'table'));
    expect(row).toMatchObject({ markdown: null, links: expect.stringMatching(/^\["https:/) });
  });

  test('a crawl that fails leaves no file', async () => {
    const cwd = workingDirectory();
    const words = ['crawl', 'https://none.test/', '--output', 'a.parquet', ...docsSite];
    expect(await commandLine(words, { cwd })).toMatchObject({ code: 1 });
    expect(filesBelow(cwd)).toEqual([]);
  });

  test('what does not go together is wrong usage', async () => {
    const words = ['crawl', 'https://docs.test/', '--output', 'a.warc', '--formats', 'links'];
    const { code, stderr } = await commandLine(words);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/archive of rawHtml/) }); // prettier-ignore
    const content = {
      onlyMainContent: true,
      removeBase64Images: true,
      blockAds: true,
      parsers: true,
    };
    const problem = (values: PageOutput & Partial<PageValues>): string | undefined =>
      outputProblem({ ...content, ...values }, formatsWhenNone(values), false);
    expect(problem({ output: 'a.parquet', formats: ['links'] })).toBeUndefined();
    expect(problem({ output: 'a.warc' })).toBeUndefined();
    expect(problem({ output: 'a.parquet', screenshots: true })).toMatch(/written beside markdown/);
    expect(problem({ output: 'a.parquet', relativeLinks: false })).toMatch(/for markdown/);
    expect(problem({ output: '-', outputFormat: 'parquet' })).toMatch(/stdout, for/);
    expect(problem({ outputFormat: 'warc' })).toMatch(/needs --output/);
    expect(problem({ output: 'a.warc', outputFormat: 'markdown' })).toBeUndefined();
    expect(problem({ output: 'a', formats: ['links'] })).toMatch(/not among the formats/);
  });
});

describe('export', () => {
  test('takes lines of JSON or a folder, and writes what crawl writes', async () => {
    const cwd = workingDirectory();
    await run(...crawlDocs, '--jsonl', join(cwd, 'a.jsonl'), '--output', join(cwd, 'crawled'));
    const { code, stderr } = await pagewright(['export', 'a.jsonl', 'exported'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '4 pages written to exported\n' });
    expect(filesBelow(join(cwd, 'exported'))).toEqual(filesBelow(join(cwd, 'crawled')));
    for (const file of filesBelow(join(cwd, 'exported'))) {
      const read = (folder: string): string => readFileSync(join(cwd, folder, file), 'utf8');
      expect(read('exported')).toBe(read('crawled'));
    }
    await run('export', join(cwd, 'crawled'), join(cwd, 'b.parquet'), '--quiet');
    expect(await parquetRows(join(cwd, 'b.parquet'))).toHaveLength(4);
  });

  rareTest('80 MB of pages pass through a heap of 64 MB', { timeout: 60_000 }, async () => {
    const cwd = workingDirectory();
    const lines = Array.from({ length: 2000 }, (_, index) => {
      const url = `https://docs.test/${index}`;
      const metadata = { url, sourceURL: url, statusCode: 200, contentType: 'text/html' };
      return JSON.stringify({ markdown: `${index} word `.repeat(4000), metadata });
    });
    writeFileSync(join(cwd, 'a.jsonl'), `${lines.join('\n')}\n`);
    onTestFinished(() => void delete process.env['NODE_OPTIONS']);
    process.env['NODE_OPTIONS'] = '--max-old-space-size=64';
    for (const output of ['b.parquet', 'folder']) {
      const ended = await pagewright(['export', 'a.jsonl', output], { cwd });
      expect(ended).toMatchObject({ code: 0, stderr: `2000 pages written to ${output}\n` });
    }
  });

  test('takes a job of a store, and a filter', async () => {
    const cwd = workingDirectory();
    const store = join(cwd, 'store');
    const kept = ['--store', store, '--jsonl', join(cwd, 'a.jsonl')];
    await run(...crawlDocs, ...kept);
    const { stdout } = await commandLine(['jobs', '--store', store, '--json'], { cwd });
    const { id } = JSON.parse(stdout) as { readonly id: string };
    const first = JSON.parse(readFileSync(join(cwd, 'a.jsonl'), 'utf8').split('\n')[0] ?? '') as {
      readonly metadata: { readonly url: string };
    };
    const path = ['--path', `^${new URL(first.metadata.url).pathname}$`];
    const counted = async (...words: readonly string[]): Promise<number> => {
      await run('export', ...words, join(cwd, 'b.json'), '--quiet');
      return (JSON.parse(readFileSync(join(cwd, 'b.json'), 'utf8')) as unknown[]).length;
    };
    expect(await counted(id, '--store', store)).toBe(4);
    expect(await counted(id, '--store', store, ...path, '--since', '2020-01-01')).toBe(1);
    expect(await counted(id, '--store', store, '--until', '2020-01-01')).toBe(0);
    expect(await counted(join(cwd, 'a.jsonl'), ...path, '--status', '2xx,404')).toBe(1);
    expect(await counted(join(cwd, 'a.jsonl'), '--status', '3xx', '--status', '500-503')).toBe(0);
    expect(await counted(join(cwd, 'a.jsonl'), '--label', 'a,b')).toBe(0);
    const refused = async (...words: readonly string[]): Promise<string> => {
      const ended = await commandLine(['export', ...words, 'c.json'], { cwd });
      expect(ended.code).not.toBe(0);
      return ended.stderr;
    };
    expect(await refused('a.jsonl', '--since', '2020-01-01')).toContain(
      'since: only a job has the times of its pages',
    );
    expect(await refused('a.jsonl', '--status', '6xx')).toContain(
      'status[0]: expected a status code',
    );
    const other = id.replace(/./g, (letter) => (letter === '-' ? '-' : '0'));
    expect(await refused(other, '--store', store)).toContain('JOB_NOT_FOUND');
    expect(filesBelow(cwd)).not.toContain('c.json');
  });

  test('refuses what would have no effect, and one file for two', async () => {
    const cwd = workingDirectory();
    await run(...crawlDocs, '--jsonl', join(cwd, 'a.jsonl'), '--output', join(cwd, 'crawled'));
    const before = filesBelow(cwd);
    for (const [words, message] of [
      [['a.jsonl', 'b.jsonl', '--no-relative-links'], 'need a folder of markdown files'],
      [['a.jsonl', 'b.parquet', '--by-host'], 'need a folder of markdown files'],
      [['crawled', 'b.jsonl', '--skip-damaged'], '--skip-damaged is for lines of JSON'],
      [['0d9c2f1e-1111-4222-8333-444455556666', 'b.csv'], '--store says where it is'],
      [['a.jsonl', 'llms-full.txt', '--output-format', 'llms'], 'name the list llms.txt'],
    ] as const) {
      const { code, stderr } = await commandLine(['export', ...words], { cwd });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) }); // prettier-ignore
    }
    expect(filesBelow(cwd)).toEqual(before);
  });

  test('what is damaged or missing is STORAGE, and nothing is left of the output', async () => {
    const cwd = workingDirectory();
    writeFileSync(join(cwd, 'a.jsonl'), '{"metadata":{"url":"https://docs.test/"}}\n{"meta');
    const ended = await commandLine(['export', 'a.jsonl', 'b.jsonl'], { cwd });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^STORAGE: a\.jsonl, line 2 is cut off/) }); // prettier-ignore
    expect(filesBelow(cwd)).toEqual(['a.jsonl']);
    await run('export', join(cwd, 'a.jsonl'), join(cwd, 'b.jsonl'), '--skip-damaged', '--quiet');
    expect(filesBelow(cwd)).toEqual(['a.jsonl', 'b.jsonl']);
    expect(await runCommandLine(['export', join(cwd, 'none'), join(cwd, 'c')])).toBe(1);
  });
});
