import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { commandLine } from './command-line.ts';
import { requireBuild, docsSite, pagewright } from './run-pagewright.ts';

beforeAll(requireBuild);

test('--version is that of package.json', async () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  expect(await pagewright(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('--help names the commands and the exit codes, without colour codes', async () => {
  const { code, stdout, stderr } = await commandLine(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const word of [
    'scrape',
    'crawl',
    'batch',
    'map',
    'search',
    'extract',
    'Exit codes:',
    '130',
  ]) {
    expect(stdout).toContain(word);
  }
  expect(stdout).not.toContain('\x1b');
});

test('every command has a help page with examples', async () => {
  for (const command of ['scrape', 'crawl', 'batch', 'map', 'search', 'extract']) {
    const { code, stdout } = await commandLine([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: pagewright ${command}`);
    expect(stdout).toContain('Examples:');
  }
});

test('no line of any help is longer than 100 columns', async () => {
  const { stdout } = await commandLine(['--help']);
  const commands = [...stdout.matchAll(/^ {2}(\w+)(?: |$)/gm)].map(([, name = '']) => name);
  for (const command of new Set(['help', ...commands])) {
    const { stdout: short } = await commandLine([command, '--help']);
    const { stdout: whole } = await commandLine(['help', command]);
    expect(`${short}\n${whole}`.split('\n').filter((line) => line.length > 100)).toEqual([]);
  }
});

test('--help of a command with many options has the common ones, help has all', async () => {
  const { stdout: short } = await commandLine(['crawl', '--help']);
  const { stdout: whole } = await commandLine(['help', 'crawl']);
  expect(short).toContain('--include-paths');
  expect(short).not.toContain('--regex-on-full-url');
  expect(short).toMatch(/Common options only\. All \d+: pagewright help crawl\n+$/);
  expect(short.split('\n').length).toBeLessThan(whole.split('\n').length * 0.6);
  expect(whole).toContain('--regex-on-full-url');
  expect(whole).not.toContain('Common options only');
  const { stdout: map } = await commandLine(['map', '--help']);
  const { stdout: wholeMap } = await commandLine(['help', 'map']);
  expect(map).toBe(wholeMap);
});

test('every command that the documentation names is one', async () => {
  const root = new URL('../../../', import.meta.url);
  const guides = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md'));
  const { stdout } = await commandLine(['--help']);
  const commands = [...stdout.matchAll(/^ {2}(\w+)(?: |$)/gm)].map(([, name]) => name);
  for (const page of ['README.md', ...guides.map((name) => `docs/${name}`)]) {
    const text = readFileSync(new URL(page, root), 'utf8');
    const code = [...text.matchAll(/^```sh\n[^]*?^```|`[^`\n]+`/gm)].join('\n');
    for (const [, command] of code.matchAll(/(?:^|`|npx )pagewright (\w+)/gm)) {
      expect({ page, command, isThere: commands.includes(command) }).toMatchObject({
        isThere: true,
      });
    }
  }
});

test('without a command the help goes to stderr, and the exit code says wrong usage', async () => {
  const { code, stdout, stderr } = await commandLine([]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Usage: pagewright');
});

test('a word too many ends the process itself with exit code 2', async () => {
  const ended = await pagewright(['scrape', 'https://docs.test/', 'https://docs.test/']);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('too many arguments');
});

describe('wrong usage ends with exit code 2 and says what to change', () => {
  const page = 'https://docs.test/';
  test.each([
    [['scrap', page], 'Did you mean scrape?'],
    [['scrape', page, '--fomats', 'links'], 'did you mean --formats?'],
    [['crawl', page, '--max-depth', '2'], 'did you mean --max-discovery-depth?'],
    [['plan', page, '--skiped'], 'did you mean --skipped?'],
    [['plan', page, '--skip'], 'did you mean --skipped?'],
    [['scrape'], "missing required argument 'url'"],
    [['scrape', page, page], 'too many arguments'],
    [['scrape', page, '--timeout', 'long'], 'Expected milliseconds'],
    [['scrape', page, '--timeout', '0'], 'timeout'],
    [['scrape', page, '--formats', 'markdwon'], 'did you mean "markdown"?'],
    [['scrape', page, '--formats', 'md'], 'did you mean "markdown"?'],
    [[page], `did you mean "pagewright scrape ${page}"?`],
    [['./a.pdf'], 'did you mean "pagewright scrape ./a.pdf"?'],
    [['scrape', page, '--include-tags', 'a['], 'includeTags'],
    [['scrape', page, '--header', 'nothing'], 'Name: value'],
    [['scrape', page, '--url', page], '--url is only for files'],
    [['scrape', 'http://'], 'INVALID_URL'],
    [['scrape', page, '--limits', 'bodybytes=1'], 'limits.bodyBytes'],
    [['scrape', page, '--allow', 'http://a/b'], 'network.allow'],
    [['scrape', page, '--fixtures', 'https://docs.test=no-such-folder'], 'no-such-folder'],
    [['scrape', page, '--schema', 'none.json'], 'ENOENT'],
    [['scrape', page, '--chunk-tokens', '5'], 'chunks: maxTokens: expected number to be >=16'],
    [['scrape', page, '--main-content', 'x'], 'pagewright, readability, defuddle'],
    [['scrape', page, '--main-content', 'defuddle', '--no-only-main-content'], 'leave out one'],
    [['crawl'], "missing required argument 'url'"],
    [['crawl', page, '--sitemap', 'maybe'], 'include, skip, only'],
    [['crawl', page, '--limit', '0'], 'limit'],
    [['crawl', page, '--include-paths', '('], 'includePaths[0]'],
    [['crawl', page, '--output', 'out', '--formats', 'links'], '--output writes markdown'],
    [['crawl', page, '--output', 'out', '--formats', 'markdown,links'], 'add --jsonl'],
    [['batch'], "missing required argument 'urls', or --file"],
    [['batch', page, '--file', 'none.txt'], 'ENOENT'],
    [['batch', page, 'http://', '--strict'], 'urls[1]'],
    [['batch', page, '--budget', 'pages=5'], 'unknown option "budget.pages"'],
    [['extract', page], '--schema <file>, or --model with --prompt'],
  ])('%j: %s', async (words, message) => {
    const { code, stdout, stderr } = await commandLine(words);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^[A-Z_]+: /);
  });
});

test('with --json an error is one line of JSON on stderr, with the places that are wrong', async () => {
  const { code, stdout, stderr } = await commandLine([
    'scrape', 'https://docs.test/', '--json', '--formats', 'markdwon', ...docsSite,
  ]); // prettier-ignore
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.match(/\n/g)).toHaveLength(1);
  const { error } = JSON.parse(stderr) as { error: Record<string, unknown> };
  expect(error.code).toBe('BAD_REQUEST');
  expect(error.issues).toMatchObject([{ path: ['formats', 0] }]);

  const usage = await commandLine(['scrape', '--json', '--nothing', 'https://docs.test/']);
  expect(JSON.parse(usage.stderr)).toMatchObject({ error: { code: 'BAD_REQUEST' } });
});
