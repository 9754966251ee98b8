/** The config file: found, checked, and below the options of the command line. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { serve } from 'pagewright/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { commandLine } from './command-line.ts';
import { docsSite, pagewright, requireBuild, workingDirectory } from './run-pagewright.ts';

beforeAll(requireBuild);

/** A folder with a config file. */
function project(text: string, name = 'pagewright.config.mjs'): string {
  const cwd = workingDirectory();
  writeFileSync(join(cwd, name), text);
  return cwd;
}

const crawl = ['crawl', 'https://docs.test/docs/', '--json', ...docsSite];

async function pagesOf(words: readonly string[], cwd: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await commandLine(words, { cwd });
  return stdout.split('\n').flatMap((line) => {
    return line === '' ? [] : [JSON.parse(line) as Record<string, unknown>];
  });
}

describe('options of the file', () => {
  const text = `export default {
    userAgent: 'configured/1',
    network: { allow: ['127.0.0.1'] },
    defaults: { crawl: { limit: 3 }, scrape: { formats: ['links', 'html'], blockAds: false } },
  };`;

  test('hold for the client and its calls, and those of the command line win', async () => {
    const cwd = project(text);
    const pages = await pagesOf(crawl, cwd);
    expect(pages).toHaveLength(3);
    expect(Object.keys(pages[0] ?? {}).sort()).toEqual(['html', 'links', 'metadata']);
    const own = await pagesOf([...crawl, '--limit', '2', '--formats', 'markdown'], cwd);
    expect(own).toHaveLength(2);
    expect(Object.keys(own[0] ?? {}).sort()).toEqual(['markdown', 'metadata']);
    expect(await pagesOf([...crawl, '--limit', '4', '--no-config'], cwd)).toHaveLength(4);
  });

  test('hold for scrape, whose document is JSON then, and network and headers are those of the file', async () => {
    await using site = await serve({ '/p': '<main><h1>Page</h1><p>Words.</p></main>' });
    const cwd = project(text);
    const { code, stdout } = await commandLine(['scrape', site.url('/p')], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('html');
    expect(site.log.at(-1)?.headers['user-agent']).toBe('configured/1');
    await commandLine(['scrape', site.url('/p'), '--user-agent', 'own/2'], { cwd });
    expect(site.log.at(-1)?.headers['user-agent']).toBe('own/2');
  });

  test('--screenshot is an error where assets put the picture elsewhere', async () => {
    await using site = await serve({ '/p': '<main><h1>Page</h1><p>Words.</p></main>' });
    const cwd = project(`export default {
      network: { allow: ['127.0.0.1'] }, assets: () => 'https://cdn.test/1.png',
    };`);
    const words = ['scrape', site.url('/p'), '--screenshot', 'page.png'];
    const { code, stdout, stderr } = await commandLine(words, { cwd });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('STORAGE: --screenshot: page.png was not written');
    expect(existsSync(join(cwd, 'page.png'))).toBe(false);
  }, 60_000);

  test('do not stop a folder of markdown files', async () => {
    const { code, stderr } = await commandLine([...crawl, '--output', 'out'], {
      cwd: project(text),
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });
});

test.each([
  ['pagewright.config.mjs', `export default { userAgnet: 'x' }`, 'did you mean "userAgent"'],
  ['pagewright.config.js', `throw new Error('broken on purpose')`, 'broken on purpose'],
  ['pagewright.config.mjs', `export const config = {}`, 'default-export an object'],
  ['pagewright.config.mjs', `export default { defaults: { scrap: {} } }`, 'defaults.scrap'],
])('what is wrong in %s (%s) is told with the file', async (name, text, problem) => {
  const words = ['map', 'https://docs.test/', ...docsSite];
  const { code, stderr } = await commandLine(words, { cwd: project(text, name) });
  expect(code).toBe(2);
  expect(stderr).toContain(name);
  expect(stderr).toContain(problem);
});

test('a file that is named has to be there', async () => {
  const { code, stderr } = await commandLine(['map', 'https://docs.test/', '--config', 'none.mjs']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'BAD_REQUEST: none.mjs: there is no such file.\n',
  });
});

test('a TypeScript file is read by Node, or by the jiti of the project, or it is said what to do', async () => {
  const typed = `export default { defaults: { crawl: { limit: 1 as number } } };`;
  const cwd = project(typed, 'pagewright.config.ts');
  const stripsTypes = (process.features as { typescript?: unknown }).typescript !== undefined;
  if (!stripsTypes) {
    const { code, stderr } = await pagewright(crawl, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('install jiti (npm install --save-dev jiti)');
    // The package of the test runner's own dependencies.
    const jiti = dirname(createRequire(import.meta.url).resolve('jiti/package.json'));
    mkdirSync(join(cwd, 'node_modules'));
    symlinkSync(jiti, join(cwd, 'node_modules/jiti'));
  }
  const { code, stdout } = await pagewright([...crawl, '--jsonl', 'pages.jsonl'], { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(readFileSync(join(cwd, 'pages.jsonl'), 'utf8').match(/\n/g)).toHaveLength(1);
});
