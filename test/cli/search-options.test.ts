import { describe, expect, test } from 'vitest';
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
});
