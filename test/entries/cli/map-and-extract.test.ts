import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from 'pagewright/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { commandLine } from './command-line.ts';
import {
  requireBuild,
  docsSite,
  filesBelow,
  pagewright,
  workingDirectory,
} from './run-pagewright.ts';

beforeAll(requireBuild);

describe('map', () => {
  test('writes one URL a line, the start first, each once', async () => {
    const { code, stdout } = await pagewright(['map', 'https://docs.test/', ...docsSite]);
    expect(code).toBe(0);
    expect(stdout.endsWith('\n')).toBe(true);
    const urls = stdout.trimEnd().split('\n');
    expect(urls[0]).toBe('https://docs.test/');
    expect(urls.length).toBeGreaterThan(60);
    expect(new Set(urls).size).toBe(urls.length);
    for (const url of urls) expect(url).toMatch(/^https:\/\/docs\.test\//);
  });

  test('--json has what is known about each link', async () => {
    const cwd = workingDirectory();
    const { stdout } = await commandLine(
      ['map', 'https://docs.test/', '--json', '--limit', '5', '--output', 'map.json', ...docsSite],
      { cwd },
    );
    expect(stdout).toBe('');
    expect(filesBelow(cwd)).toEqual(['map.json']);
    const { links } = JSON.parse(readFileSync(join(cwd, 'map.json'), 'utf8')) as {
      links: { url: string; sources: string[] }[];
    };
    expect(links).toHaveLength(5);
    expect(links[0]).toMatchObject({
      url: 'https://docs.test/',
      title: expect.any(String) as string,
    });
  });

  test('options reach it', async () => {
    const { stdout } = await commandLine([
      'map', 'https://docs.test/', '--sitemap', 'only', '--include-paths', '^/changelog/',
      '--exclude-paths', '3\\.4', ...docsSite,
    ]); // prettier-ignore
    const urls = stdout.trimEnd().split('\n');
    expect(urls.length).toBeGreaterThan(2);
    for (const url of urls) expect(url).toContain('/changelog/');
    expect(stdout).not.toContain('3.4');
  });

  test('a site that does not answer is an error', async () => {
    const { code, stdout, stderr } = await commandLine([
      'map', 'http://127.0.0.1:2/', '--allow', '127.0.0.1',
    ]); // prettier-ignore
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^CONNECTION_REFUSED: /m);
  });
});

describe('extract', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', 'x-selector': 'h1' },
      price: { type: 'number', 'x-selector': '.price' },
      weight: { type: ['number', 'null'] },
    },
  };
  const pages = {
    '/lamp': '<title>Lamp</title><h1>Lamp</h1><p class="price">12.50</p>',
    '/broken': { status: 500, body: '' },
  };
  const folder = (): string => {
    const cwd = workingDirectory();
    writeFileSync(join(cwd, 'schema.json'), JSON.stringify(schema));
    return cwd;
  };

  test('writes the data as JSON, and what was not found on stderr', async () => {
    await using server = await serve(pages);
    const { code, stdout, stderr } = await pagewright(
      ['extract', server.url('/lamp'), '--schema', 'schema.json', '--allow', '127.0.0.1'],
      { cwd: folder() },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Lamp', price: 12.5 });
    expect(stderr).toContain('not found: weight');
  });

  test('--json gives sources and all the rest beside the data', async () => {
    await using server = await serve(pages);
    const { stdout, stderr } = await commandLine(
      [
        'extract', server.url('/lamp'), '--schema', 'schema.json', '--json', '--allow', '127.0.0.1',
      ], // prettier-ignore
      { cwd: folder() },
    );
    expect(JSON.parse(stderr)).toEqual({ notFound: ['weight'] });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      data: { name: 'Lamp', price: 12.5 },
      sources: { name: [server.url('/lamp')] },
      notFound: ['weight'],
    });
  });

  test('tells which entry is not a URL, and which page was taken where two disagree', async () => {
    const table = '<h1>Table</h1><p class="price">20</p>';
    await using server = await serve({ ...pages, '/table': table });
    const { code, stdout, stderr } = await commandLine(
      [
        'extract', server.url('/lamp'), 'ftp://site.test/', server.url('/table'),
        '--schema', 'schema.json', '--allow', '127.0.0.1',
      ], // prettier-ignore
      { cwd: folder() },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Lamp', price: 12.5 });
    expect(stderr).toContain('warning: ftp://site.test/ is not a URL');
    expect(stderr).toContain(`disagree about name; using the value of ${server.url('/lamp')}`);
  });

  test('a page that cannot be reached is an error', async () => {
    const { code, stderr } = await commandLine(
      ['extract', 'http://127.0.0.1:2/', '--schema', 'schema.json', '--allow', '127.0.0.1'],
      { cwd: folder() },
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[A-Z_]+: /);
  });
});
