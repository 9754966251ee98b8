import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

const go = 'https://docs.test/docs/clients/go.html';
const tql = 'https://docs.test/docs/reference/tql/';

const urlsOf = (stdout: string): string[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { metadata: { sourceURL: string } }).metadata.sourceURL);

describe('batch', () => {
  test('writes the pages of its arguments as lines of JSON, in their order', async () => {
    const { code, stdout, stderr } = await commandLine(['batch', tql, go, tql, ...docsSite]);
    expect(code).toBe(0);
    expect(urlsOf(stdout)).toEqual([tql, go]);
    expect(stderr).toContain('skipped: 1 DUPLICATE_URL');
    expect(stderr).toContain('2 pages written to stdout');
  });

  test('takes URLs from a file and from stdin, without blank lines and comments', async () => {
    const cwd = workingDirectory();
    const list = `# two pages\r\n${go}\r\n\r\n  ${tql}\n`;
    writeFileSync(join(cwd, 'urls.txt'), list);
    const fromFile = await pagewright(['batch', '--file', 'urls.txt', '--quiet', ...docsSite], {
      cwd,
    });
    expect(fromFile).toMatchObject({ code: 0, stderr: '' });
    expect(urlsOf(fromFile.stdout)).toEqual([go, tql]);
    const fromStdin = await pagewright(['batch', '--file', '-', ...docsSite], { stdin: list });
    expect(urlsOf(fromStdin.stdout)).toEqual([go, tql]);
  });

  test('writes a folder of markdown files', async () => {
    const cwd = workingDirectory();
    const { code } = await commandLine(['batch', go, tql, '--output', 'out', ...docsSite], { cwd });
    expect(code).toBe(0);
    const files = filesBelow(cwd);
    expect(files).toEqual(['out/docs/clients/go.md', 'out/docs/reference/tql/index.md']);
    expect(readFileSync(join(cwd, 'out/docs/clients/go.md'), 'utf8')).toMatch(/^---\nurl: /);
  });

  test('tells what is no URL and goes on, and failed pages by its exit code', async () => {
    const { code, stdout, stderr } = await commandLine(['batch', 'http://', go, ...docsSite]);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: http:// is not a URL');
    expect(urlsOf(stdout)).toEqual([go]);
    const words = ['batch', 'http://127.0.0.1:2/', go, '--retries', '0', ...docsSite];
    const failing = await commandLine(words);
    expect(failing.code).toBe(3);
    expect((await commandLine([...words, '--no-strict'])).code).toBe(0);
    expect(failing.stderr).toContain('failed: BLOCKED_ADDRESS http://127.0.0.1:2/');
  });
});
