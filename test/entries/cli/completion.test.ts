/** Completion: the script runs in the shell that it is for. */
import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandLine } from './command-line.ts';

const hasBash = spawnSync('bash', ['--version']).status === 0;

/** The completions of the last word. */
async function completions(...words: readonly string[]): Promise<string[]> {
  const { stdout: script } = await commandLine(['completion', 'bash']);
  const program = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pagewright; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync('bash', ['-c', program, 'bash', 'pagewright', ...words], {
    cwd: new URL('../../../', import.meta.url),
    encoding: 'utf8',
  });
  return text.split('\n').filter((line) => line !== '');
}

test.skipIf(!hasBash)('bash completes commands, options, choices and files', async () => {
  expect(await completions('cr')).toEqual(['crawl']);
  expect(await completions('mcp', '--ho')).toEqual(['--hosts']);
  expect(await completions('crawl', '--store', 'x', '--best')).toEqual(['--best-first']);
  expect(await completions('crawl', '--sitemap', '')).toEqual(['include', 'skip', 'only']);
  expect(await completions('--log', 'j')).toEqual(['json']);
  expect(await completions('fleet', '')).toEqual(['status', 'pause', 'resume']);
  expect(await completions('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(await completions('scrape', '--schema', 'package.j')).toEqual(['package.json']);
  expect(await completions('crawl', '--limit', '')).toEqual([]);
  expect(await completions('map', '--best')).toEqual([]);
  expect(await completions('search', '--engine', '')).toEqual([
    'searxng',
    'brave',
    'tavily',
    'exa',
  ]);
});

test('fish and zsh have scripts of the same commands', async () => {
  const fish = (await commandLine(['completion', 'fish'])).stdout;
  expect(fish).toContain(
    `complete -c pagewright -n '__fish_seen_subcommand_from crawl' -l sitemap -x -a 'include skip only'`,
  );
  expect(fish).toContain('complete -c pagewright -n __fish_use_subcommand -a resume -d ');
  const zsh = (await commandLine(['completion', 'zsh'])).stdout;
  expect(zsh).toContain('bashcompinit');
  expect(zsh).toContain('source <(pagewright completion zsh)');
});

test('another shell is refused with those that there are', async () => {
  const { code, stderr } = await commandLine(['completion', 'tcsh']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('bash, zsh, fish') as string,
  });
});
