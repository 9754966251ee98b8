/** `--report`: the page about a job that a command has run. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from 'pagewright/testing';
import { beforeAll, expect, test } from 'vitest';
import { readReport, rowsOf } from '../export/reported-site.ts';
import { commandLine } from './command-line.ts';
import { requireBuild, workingDirectory } from './run-pagewright.ts';

beforeAll(requireBuild);

const pages = {
  '/': '<title>Start</title><main><h1>Start</h1><p>See <a href="/lamp">Lamp</a> <a href="/gone">Gone</a></p></main>',
  '/lamp': '<title>Lamp</title><main><h1>Lamp</h1><p class="price">49</p></main>',
};
const words = ['--allow', '127.0.0.1', '--report', 'report.html'];

async function report(cwd: string): Promise<Record<string, unknown>> {
  const data = await readReport(join(cwd, 'report.html'));
  const states = [...rowsOf(data)].map(([path, { state }]) => [path, state]);
  return { verb: data.job.verb, status: data.job.status, ...Object.fromEntries(states) };
}

test('crawl and resume write the report beside the pages, and name it in the summary', async () => {
  await using site = await serve(pages);
  const cwd = workingDirectory();
  const stored = ['--store', 'jobs.sqlite', '--output', 'docs', ...words];
  const { code, stderr } = await commandLine(['crawl', site.url('/'), ...stored], { cwd });
  expect(code).toBe(3);
  expect(stderr).toContain('2 pages written to docs and report.html');
  const expected = { verb: 'crawl', status: 'completed', '/': 'page', '/lamp': 'page' };
  expect(await report(cwd)).toEqual({ ...expected, '/gone': 'failed' });
  const id = /^job (\S+)$/m.exec(stderr)?.[1] ?? '';
  writeFileSync(join(cwd, 'report.html'), '');
  await commandLine(['resume', id, ...stored], { cwd });
  expect(await report(cwd)).toEqual({ ...expected, '/gone': 'failed' });
});

test('a batch of pages that all fail has a report, too', async () => {
  await using site = await serve(pages);
  const cwd = workingDirectory();
  const { code } = await commandLine(['batch', site.url('/gone'), ...words], { cwd });
  expect(code).toBe(3);
  expect(await report(cwd)).toEqual({
    verb: 'batchScrape',
    status: 'completed',
    '/gone': 'failed',
  });
});

test('a crawl whose start page fails has a report, too', async () => {
  await using site = await serve({});
  const cwd = workingDirectory();
  const { code } = await commandLine(['crawl', site.url('/gone'), ...words], { cwd });
  expect(code).toBe(1);
  expect(await report(cwd)).toMatchObject({ verb: 'crawl', status: 'failed', '/gone': 'failed' });
});

test('an extraction has one that names the pages without a value', async () => {
  await using site = await serve(pages);
  const cwd = workingDirectory();
  const schema = {
    type: 'object',
    properties: { price: { type: 'number', 'x-selector': '.price' } },
  };
  writeFileSync(join(cwd, 'schema.json'), JSON.stringify(schema));
  const given = ['extract', site.url('/lamp'), site.url('/gone'), '--schema', 'schema.json'];
  const { code, stdout } = await commandLine([...given, ...words], { cwd });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ price: 49 });
  expect(await report(cwd)).toEqual({
    verb: 'extract',
    status: 'completed',
    '/lamp': 'page',
    '/gone': 'failed',
  });
});

test('a report that cannot be written is an error', async () => {
  await using site = await serve(pages);
  const cwd = workingDirectory();
  writeFileSync(join(cwd, 'file'), '');
  const given = [
    'batch',
    site.url('/lamp'),
    '--allow',
    '127.0.0.1',
    '--report',
    'file/report.html',
  ];
  const { code, stderr } = await commandLine(given, { cwd });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^STORAGE: /m);
});
