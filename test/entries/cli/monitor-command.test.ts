/** `pagewright monitor`: rounds for cron, the exit code that tells news, the list of monitors. */
import { serve, type SitePage } from 'pagewright/testing';
import { expect, test } from 'vitest';
import { commandLine } from './command-line.ts';
import { pagewright, requireBuild, workingDirectory } from './run-pagewright.ts';

test('--once prints the digest; --exit-code is 4 for news; --list and --remove', async () => {
  const pages: Record<string, SitePage> = {
    '/lamp': '<title>Lamp</title><h1>Lamp</h1><p>Price: € 64.00</p>',
  };
  await using site = await serve(pages);
  const cwd = workingDirectory();
  const monitor = (...words: string[]) =>
    commandLine(['monitor', '--store', 'watch.sqlite', '--allow', '127.0.0.1', ...words], { cwd });
  const once = [site.url('/lamp'), '--once', '--exit-code', '--id', 'lamp'];
  const first = await monitor(...once);
  expect([first.code, first.stdout.slice(17)]).toEqual([
    0,
    'Pages: 1 recorded for the first time.\n',
  ]);
  pages['/lamp'] = '<title>Lamp</title><h1>Lamp</h1><p>Price: € 52.00</p>';
  const second = await monitor(...once, '--json');
  expect(second.code).toBe(4);
  expect(JSON.parse(second.stdout)).toMatchObject({
    monitorId: 'lamp',
    round: 2,
    hasNews: true,
    pages: [{ summary: 'Price: € 64.00 → 52.00' }],
  });
  const third = await monitor('--id', 'lamp', '--once', '--exit-code');
  expect([third.code, third.stdout.slice(17)]).toEqual([0, 'Pages: 1 unchanged.\n']);
  const { stdout } = await monitor('--list', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ id: 'lamp', rounds: 3, targets: [site.url('/lamp')] });
  expect((await monitor('--remove', 'lamp')).code).toBe(0);
  expect((await monitor('--remove', 'lamp')).stderr).toMatch(/no monitor "lamp"/);
});

test('--once ends its process with the code of the round', async () => {
  requireBuild();
  await using site = await serve({ '/lamp': '<title>Lamp</title><p>Price: € 64.00</p>' });
  const store = ['--store', 'watch.sqlite', '--allow', '127.0.0.1'];
  const { code, stderr } = await pagewright(['monitor', ...store, site.url('/lamp'), '--once']);
  expect([code, stderr]).toEqual([0, '']);
});

test('wrong options are refused before anything is fetched', async () => {
  const run = async (...words: string[]): Promise<unknown> => {
    const { code, stderr } = await commandLine(['monitor', ...words]);
    return [code, stderr.trim()];
  };
  expect(await run('https://a.example/')).toEqual([
    2,
    'BAD_REQUEST: monitor needs --store <place>, where it keeps the pages',
  ]);
  expect(await run('--store', 'watch.sqlite')).toEqual([
    2,
    'BAD_REQUEST: monitor needs URLs, --crawl <url> or --id <name>',
  ]);
  for (const words of [['--every', '6h'], ['--goal', 'prices'], ['--ignore-robots-txt']]) {
    expect(await run('--store', 'watch.sqlite', '--id', 'x', ...words)).toEqual([
      2,
      `BAD_REQUEST: ${words[0]} is for a new monitor: name its URLs, or leave it out`,
    ]);
  }
  const url = 'https://a.example/';
  const ignored: [words: string[], problem: RegExp][] = [
    [[url, '--limit', '5'], /^--limit is for the pages of a site: name it with --crawl/],
    [[url, '--exit-code'], /^--exit-code needs --once/],
    [['--id', 'x', '--exit-code'], /^--exit-code needs --once/],
    [[url, '--once', '--jitter', '5m'], /jitter: there is no schedule to add it to; set /],
    [['--list', url], /^--list takes no URLs/],
    [['--list', '--once'], /^--list runs no monitor: leave --once out/],
    [['--list', '--id', 'x'], /^--list runs no monitor: leave --id out/],
    [['--list', '--crawl', url], /^--list runs no monitor: leave --crawl out/],
    [['--list', '--remove', 'x'], /^--remove runs no monitor: leave --list out/],
    [['--remove', 'x', url], /^--remove takes no URLs/],
    [['--remove', 'x', '--every', '1h'], /^--remove runs no monitor: leave --every out/],
  ];
  for (const [words, problem] of ignored) {
    const { code, stderr } = await commandLine(['monitor', '--store', 'watch.sqlite', ...words]);
    expect([code, stderr.replace('BAD_REQUEST: ', '')]).toEqual([
      2,
      expect.stringMatching(problem),
    ]);
  }
});
