import { describe, expect, test } from 'vitest';
import { serve } from '../../../src/entries/testing/serve.ts';
import { shopSite } from '../../support/answer-sites.ts';
import { commandLine } from './command-line.ts';
import { docsSite } from './run-pagewright.ts';

describe('--search and --best-first', () => {
  test('map --search writes the links about it, the best first, or nothing', async () => {
    const { code, stdout } = await commandLine([
      'map', 'https://docs.test/', '--search', 'changelog', '--limit', '3', ...docsSite,
    ]); // prettier-ignore
    expect(code).toBe(0);
    const urls = stdout.trimEnd().split('\n');
    expect(urls).toHaveLength(3);
    for (const url of urls) expect(url).toContain('changelog');
    const none = await commandLine([
      'map',
      'https://docs.test/',
      '--search',
      'zeppelin',
      ...docsSite,
    ]);
    expect(none).toMatchObject({ code: 0, stdout: '' });
  });

  test('crawl --best-first takes the pages about it first', async () => {
    const { code, stdout } = await commandLine([
      'crawl', 'https://docs.test/', '--best-first', 'changelog', '--limit', '4', '--jsonl', '--quiet', ...docsSite,
    ]); // prettier-ignore
    expect(code).toBe(0);
    const pages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { metadata: { url: string; score: number } });
    expect(pages.map(({ metadata }) => metadata.score)[0]).toBe(0);
    for (const { metadata } of pages.slice(1)) {
      expect(metadata.url).toContain('changelog');
      expect(metadata.score).toBeGreaterThan(0);
    }
  });

  test('crawl --until-answered ends when its words are answered, and says so with what --redact took out', async () => {
    const { pages } = shopSite();
    const html = pages['/help/shipping']?.replace('<h2>', '<p>Ask jane@x.org.</p><h2>') ?? '';
    await using server = await serve({ ...pages, '/help/shipping': html });
    const words = 'How much are shipping costs to Norway?';
    const { code, stdout, stderr } = await commandLine([
      'crawl', server.url('/'), '--best-first', words, '--until-answered', '--redact', 'email',
      '--allow', '127.0.0.1', '--jsonl',
    ]); // prettier-ignore
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(15);
    expect(stderr).toContain(
      `answered: 15 pages cover 100 % of the query, best ${server.url('/help/shipping')}`,
    );
    expect(stderr).toContain('redacted: 1 email');
    expect(stderr).toMatch(/skipped: \d+ ANSWERED/);
  });

  test.each([
    [['--until-answered'], '--until-answered needs --best-first'],
    [['--depth-first', '--best-first', 'x'], 'a crawl has one order'],
    [['--regex-on-full-url'], '--regex-on-full-url needs --include-paths or --exclude-paths'],
    [['--best-first', 'x', '--judge', 'model'], '--judge needs --until-answered'],
  ])('%j is refused', async (words, message) => {
    const { code, stderr } = await commandLine([
      'crawl',
      'https://docs.test/',
      ...words,
      ...docsSite,
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
