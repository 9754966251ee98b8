import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sizeOf } from '../../support/picture.ts';
import { commandLine } from './command-line.ts';
import { requireBuild, filesBelow, pagewright, workingDirectory } from './run-pagewright.ts';
import { rareTest } from '../../support/deep.ts';

const tall = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Tides</title>
<body style="margin: 0"><main style="height: 3000px"><h1>Tides</h1><p>High water is at a quarter past six.</p><button id="more">More</button></main>
<script>document.querySelector('#more').onclick = () => { document.querySelector('p').textContent = 'Low water is at noon.'; };</script>`;

let site: FixtureServer;

beforeAll(async () => {
  requireBuild();
  site = await serve({
    '/': tall,
    '/guide': tall,
    '/visits': ({ headers }) => {
      const visits = Number(/visits=(\d+)/.exec(headers['cookie'] ?? '')?.[1] ?? 0) + 1;
      const body = `<!doctype html><title>Visits</title><main><p>You came ${visits} times.</p></main>`;
      return { headers: { 'set-cookie': `visits=${visits}; Max-Age=3600` }, body };
    },
  });
}, 60_000);

afterAll(async () => {
  await site.close();
});

const run = (words: readonly string[], cwd?: string): ReturnType<typeof pagewright> =>
  commandLine([...words, '--allow', '127.0.0.1'], cwd === undefined ? {} : { cwd });
/** In a process, which ends when its browser has. */
const runAlone = (words: readonly string[], cwd: string): ReturnType<typeof pagewright> =>
  pagewright([...words, '--allow', '127.0.0.1'], { cwd });

/** What a command tells beside that Chromium has no sandbox, where root runs it. */
const told = (stderr: string): string => {
  const [first = '', ...rest] = stderr.split('\n');
  const isRoot = process.getuid?.() === 0;
  return isRoot && first.includes('without its sandbox') ? rest.join('\n') : stderr;
};

describe('in a browser', { timeout: 60_000 }, () => {
  rareTest(
    '--screenshot writes the picture, and the markdown goes where it always goes',
    async () => {
      const cwd = workingDirectory();
      const { code, stdout, stderr } = await runAlone(
        ['scrape', site.url('/'), '--screenshot', 'page.png', '--full-page', '--mobile'],
        cwd,
      );
      expect({ code, stderr: told(stderr) }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('High water is at a quarter past six.');
      expect(filesBelow(cwd)).toEqual(['page.png']);
      const [width, height] = sizeOf(readFileSync(join(cwd, 'page.png')));
      expect(height / width).toBeGreaterThan(5);
    },
  );

  rareTest(
    'in JSON the name of the file stands for the picture; .jpg is a JPEG; actions run',
    async () => {
      const cwd = workingDirectory();
      writeFileSync(
        join(cwd, 'steps.json'),
        '[{ "type": "click", "selector": "#more" }, { "type": "executeJavascript", "script": "document.title" }]',
      );
      const { stdout } = await run(
        ['scrape', site.url('/'), '--json', '--screenshot', 'page.jpg', '--actions', '@steps.json'],
        cwd,
      );
      const document = JSON.parse(stdout) as Record<string, unknown>;
      expect(document).toMatchObject({
        markdown: expect.stringContaining('Low water is at noon.') as string,
        screenshot: 'page.jpg',
        actions: { javascriptReturns: [{ type: 'string', value: 'Tides' }] },
        metadata: { engine: 'browser' },
      });
      expect(sizeOf(readFileSync(join(cwd, 'page.jpg')))).toEqual([1280, 720]);
    },
  );

  rareTest(
    '--profile keeps what a visit left from run to run, in the folder that was named',
    async () => {
      const cwd = workingDirectory();
      const visit = async (): Promise<string> => {
        const words = ['scrape', site.url('/visits'), '--profile', 'me', '--profiles', 'state'];
        return (await runAlone(words, cwd)).stdout;
      };
      expect(await visit()).toBe('You came 1 times.\n');
      expect(await visit()).toBe('You came 2 times.\n');
      expect(filesBelow(cwd)).toEqual(['state/profiles/me.entry']);
    },
  );

  rareTest(
    'batch --screenshots puts pictures beside the markdown; --engine and --wait-for count',
    async () => {
      const cwd = workingDirectory();
      const { code } = await run(
        [
          'batch',
          site.url('/'),
          site.url('/guide'),
          '--output',
          'pages',
          '--screenshots',
          '--engine',
          'browser',
          '--wait-for',
          '100',
          '--quiet',
        ],
        cwd,
      );
      expect(code).toBe(0);
      const files = ['guide.md', 'guide.png', 'index.md', 'index.png'];
      expect(filesBelow(cwd)).toEqual(files.map((file) => `pages/${file}`));
      expect(sizeOf(readFileSync(join(cwd, 'pages/guide.png')))).toEqual([1280, 720]);
    },
  );

  rareTest('a failing action is an error with its index, exit code 1', async () => {
    const { code, stderr } = await run([
      'scrape',
      site.url('/'),
      '--actions',
      '[{"type":"press","key":"NoSuchKey"}]',
    ]);
    expect(code).toBe(1);
    expect(told(stderr)).toMatch(/^ACTION_FAILED: actions\[0\] \(press\)/);
  });
});

describe('wrong usage fetches nothing', { timeout: 60_000 }, () => {
  test.each<[string, string[], RegExp]>([
    [
      'an engine that there is not',
      ['scrape', '/', '--engine', 'firefox'],
      /--engine.*auto, http, browser/,
    ],
    [
      'a picture of another kind',
      ['scrape', '/', '--screenshot', 'page.gif'],
      /page\.gif ends neither/,
    ],
    ['--full-page alone', ['scrape', '/', '--full-page'], /--full-page/],
    [
      '--profile without a folder',
      ['scrape', '/', '--profile', 'me'],
      /--profile needs --profiles/,
    ],
    ['a folder without --profile', ['crawl', '/', '--profiles', 'x'], /--profiles needs --profile/],
    ['actions that are no JSON', ['scrape', '/', '--actions', 'click'], /--actions/],
    ['actions that are no list', ['scrape', '/', '--actions', '{}'], /a JSON list/],
    ['a file that is not there', ['scrape', '/', '--actions', '@nowhere.json'], /nowhere\.json/],
    [
      'an action that there is not',
      ['scrape', '/', '--actions', '[{"type":"clik"}]'],
      /unknown action "clik"/,
    ],
    ['--screenshots without a folder', ['batch', '/', '--screenshots'], /--output/],
    [
      'http with a picture',
      ['scrape', '/', '--engine', 'http', '--screenshot', 'a.png'],
      /engine: 'http'/,
    ],
  ])('%s', async (_, [command = '', path = '', ...words], message) => {
    site.clearLog();
    const { code, stdout, stderr } = await run([command, site.url(path), ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(site.log).toEqual([]);
  });

  test('a page from stdin has no picture', async () => {
    const { code, stderr } = await commandLine(['scrape', '-', '--screenshot', 'page.png'], {
      stdin: tall,
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/Content that you pass in is read as is/);
  });
});

test('help tells of them', async () => {
  for (const command of ['scrape', 'crawl', 'batch']) {
    const { stdout } = await commandLine([command, '--help']);
    for (const option of ['--engine', '--wait-for', '--mobile', '--actions', '--profile']) {
      expect(stdout, command).toContain(option);
    }
    expect(stdout, command).toMatch(/--screenshots?/);
  }
});
