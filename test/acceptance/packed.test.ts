/** What a user has: the packed library, installed elsewhere, and its command line. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Behaviour, serve, type SitePage } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pageOf } from '../support/memory-web.ts';
import { rareTest } from '../support/deep.ts';
import { installPacked } from '../support/packed-library.ts';

// It starts Node, npm and Chromium.
vi.setConfig({ testTimeout: 90_000 });

const app = mkdtempSync(join(tmpdir(), 'pagewright-packed-'));

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, words: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(file, words, { cwd: app, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** A program of a user's: what `work` returns, as JSON. */
async function program(work: string): Promise<unknown> {
  const file = join(app, 'program.mjs');
  const imports = "import { createClient } from 'pagewright';";
  writeFileSync(
    file,
    `${imports}\nconst work = async (client) => { ${work} };\n` +
      `const client = createClient({ network: { allow: ['127.0.0.1'] } });\n` +
      'console.log(JSON.stringify(await work(client)));\nawait client.close();\n',
  );
  const { code, stdout, stderr } = await run(process.execPath, [file]);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const commandLine = (...words: readonly string[]): Promise<Run> =>
  run(process.execPath, [
    join(app, 'node_modules/pagewright/dist/entries/cli.js'),
    ...words,
    '--allow',
    '127.0.0.1',
  ]);

beforeAll(async () => {
  await installPacked(app);
}, 60_000);

afterAll(() => rmSync(app, { recursive: true, force: true }));

describe('error pages', () => {
  /** Ten pages; 1, 4 and 7 fail. */
  const site = ({ url }: { readonly url: string }): SitePage | undefined => {
    const n = Number(/^\/(\d+)$/.exec(url)?.[1] ?? (url === '/' ? 0 : NaN));
    if (Number.isNaN(n)) return undefined;
    if (n % 3 === 1) return { status: 404, body: pageOf(`Trouble ${n}`) };
    return pageOf(
      `Page ${n}`,
      n === 0 ? Array.from({ length: 9 }, (_, index) => `/${index + 1}`) : [],
    );
  };

  rareTest('fill no limit, and are errors with their documents', async () => {
    await using server = await serve(site);
    const result = await program(`
      const job = client.crawl('${server.url('/')}', { limit: 6, sitemap: 'skip' });
      const { data, errors, failed } = await job;
      return {
        failed,
        kept: data.map(({ metadata }) => metadata.title),
        errors: errors.map(({ code, statusCode, document }) => [code, statusCode, document.metadata.title]),
      };`);
    expect(result).toEqual({
      failed: 3,
      kept: ['Page 0', 'Page 2', 'Page 3', 'Page 5', 'Page 6', 'Page 8'],
      errors: [
        ['HTTP_STATUS', 404, 'Trouble 1'],
        ['HTTP_STATUS', 404, 'Trouble 4'],
        ['HTTP_STATUS', 404, 'Trouble 7'],
      ],
    });
  });

  it('are told by the command line, whose exit code is 3; --fail refuses one', async () => {
    await using server = await serve(site);
    const crawl = await commandLine('crawl', server.url('/'), '--sitemap', 'skip');
    expect(crawl.code).toBe(3);
    expect(crawl.stdout.trim().split('\n')).toHaveLength(7);
    expect(crawl.stderr).toContain('3 pages failed: 3 HTTP_STATUS 404\n');
    const scrape = await commandLine('scrape', server.url('/1'), '--fail');
    expect(scrape).toMatchObject({ code: 1, stdout: '' });
    expect(scrape.stderr).toMatch(/^HTTP_STATUS: .* answered 404 Not Found\./);
    expect(await commandLine('scrape', server.url('/1'))).toMatchObject({ code: 0 });
  });

  it('fail the crawl when its start page is one', async () => {
    await using server = await serve(site);
    const { code, stdout, stderr } = await commandLine('crawl', server.url('/4'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/HTTP_STATUS: .*\/4 answered 404 Not Found/);
  });
});

it('says in some lines what is wrong when nobody catches an error', async () => {
  const file = join(app, 'uncaught.mjs');
  writeFileSync(file, "import { createClient } from 'pagewright';\ncreateClient({ nope: 1 });\n");
  const { code, stderr } = await run(process.execPath, [file]);
  expect(code).toBe(1);
  expect(stderr).toContain('ValidationError: createClient: unknown option "nope"');
  expect(stderr).toContain('uncaught.mjs:2:1');
  // Node prints the line of the throw: in a bundle without lines it is all of the code.
  expect(stderr.length).toBeLessThan(5000);
});

describe('a crawl that finds nothing', () => {
  rareTest('says why, to programs and on the command line', async () => {
    await using server = await serve({
      '/robots.txt': 'User-agent: *\nDisallow: /closed/',
      '/closed/': pageOf('Closed'),
      '/open/': pageOf('Open', ['/open/a']),
      '/open/a': pageOf('A'),
    });
    const result = await program(`
      const tell = async (job) => {
        try {
          for await (const page of job);
          return [job.progress.status, job.progress.warning];
        } catch ({ code, message }) {
          return [code, message];
        }
      };
      return [
        await tell(client.crawl('${server.url('/closed/')}')),
        await tell(client.crawl('${server.url('/open/')}', { includePaths: ['^/x/'] })),
      ];`);
    expect(result).toEqual([
      ['ROBOTS', expect.stringContaining('Disallow: /closed/')],
      ['completed', expect.stringContaining('no pattern of includePaths matches')],
    ]);
    const closed = await commandLine('crawl', server.url('/closed/'));
    expect(closed).toMatchObject({ code: 1, stdout: '' });
    expect(closed.stderr).toMatch(/ROBOTS: .*Disallow: \/closed\/.*--ignore-robots-txt/);
    const excluded = await commandLine(
      'crawl',
      server.url('/open/'),
      '--include-paths',
      '^/x/',
      '--quiet',
    );
    expect(excluded).toMatchObject({ code: 0, stdout: '' });
    expect(excluded.stderr).toMatch(/^warning: No page was kept .*--include-paths/);
  });

  rareTest(
    'says so of a robots.txt that cannot be read, a folder that is not there, a single page',
    async () => {
      await using server = await serve({
        '/robots.txt': { status: 503, body: '' },
        '/only/': pageOf('Only', ['/other/']),
      });
      const unread = await commandLine('crawl', server.url('/only/'));
      expect(unread).toMatchObject({ code: 1, stdout: '' });
      expect(unread.stderr).toMatch(/ROBOTS: .*robots\.txt answered 503.*--ignore-robots-txt/);
      const folder = ['--fixtures', 'http://site.test=no-such-folder'];
      const missing = await commandLine('crawl', 'http://site.test/', ...folder);
      expect(missing).toMatchObject({ code: 2, stdout: '' });
      expect(missing.stderr).toMatch(/BAD_REQUEST: .*no-such-folder/);
      const words = ['--ignore-robots-txt', '--json'];
      const single = await commandLine('crawl', server.url('/only/'), ...words);
      expect(single.code).toBe(0);
      expect(single.stdout.trim().split('\n')).toHaveLength(1);
      const [first, last] = single.stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
      const warning = expect.stringMatching(
        /^One page .* 1 SCOPE .*--crawl-entire-domain/,
      ) as unknown;
      expect(first).toEqual({ warning });
      expect(last).toMatchObject({ summary: { completed: 1, warning } });
    },
  );
});

describe('a host that asks for time', () => {
  rareTest('fails a scrape at once, with its own code and the time', async () => {
    await using server = await serve(() => ({
      status: 429,
      headers: { 'retry-after': '90' },
      body: '',
    }));
    const result = await program(`
      const told = [];
      for (const path of ['/', '/other']) {
        const started = performance.now();
        const { code, retryAfter } = await client.scrape('${server.origin}' + path).catch((error) => error);
        told.push([code, retryAfter > 0 && retryAfter <= 90_000, performance.now() - started < 25_000]);
      }
      return told;`);
    // Not after its 30 s.
    const atOnce = ['HOST_BUSY', true, true];
    expect(result).toEqual([atOnce, atOnce]);
    expect(server.log.map(({ url }) => url)).toEqual(['/']);
    const { code, stderr } = await commandLine('scrape', server.url('/'), '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'HOST_BUSY', statusCode: 429, retryAfter: 90_000 },
    });
  });
});

describe('a site that allows three requests a second', () => {
  it('gives all 13 pages over plain HTTP', async () => {
    const starts: number[] = [];
    const limited: Behaviour = async ({ page, send, response }) => {
      const now = performance.now();
      while (starts[0] !== undefined && starts[0] <= now - 1000) starts.shift();
      if (starts.length < 3) {
        starts.push(now);
        return send(await page());
      }
      response.writeHead(429, { 'content-type': 'text/html', 'retry-after': '1' });
      response.end('<h1>Too many requests</h1>');
    };
    const links = Array.from({ length: 12 }, (_, n) => `/${n + 1}`);
    const site = ({ url }: { readonly url: string }): string =>
      pageOf(`Page ${url}`, url === '/' ? links : []);
    await using server = await serve(site, { behaviours: { '*': limited } });
    const result = await program(`
      const started = performance.now();
      const options = { sitemap: 'skip', ignoreRobotsTxt: true };
      const { data, failed, creditsUsed } = await client.crawl('${server.url('/')}', options);
      const isInTime = performance.now() - started < 8000;
      const engines = [...new Set(data.map(({ metadata }) => metadata.engine))];
      return { kept: data.length, failed, creditsUsed, engines, isInTime };`);
    expect(result).toEqual({
      kept: 13,
      failed: 0,
      creditsUsed: 13,
      engines: ['http'],
      isInTime: true,
    });
    const words = ['--sitemap', 'skip', '--ignore-robots-txt', '--formats', 'markdown'];
    const { code, stdout } = await commandLine('crawl', server.url('/'), ...words);
    expect({ code, pages: stdout.trim().split('\n').length }).toEqual({ code: 0, pages: 13 });
  });
});

describe('a challenge that a browser passes', () => {
  rareTest('is passed, named and charged as stealth', async () => {
    const script =
      "setTimeout(() => { document.cookie = 'pass=' + (6 * 7) + '; path=/'; location.reload(); }, 1500);";
    await using server = await serve(({ headers }) =>
      headers['cookie']?.includes('pass=42') === true
        ? pageOf('The harbour')
        : {
            status: 403,
            body: `<title>One moment</title><p>Checking.</p><script>${script}</script>`,
          },
    );
    const result = await program(`
      const { markdown, metadata } = await client.scrape('${server.url('/')}');
      const { statusCode, engine, proxyUsed, creditsUsed } = metadata;
      return { title: markdown.split('\\n')[0], statusCode, engine, proxyUsed, creditsUsed };`);
    expect(result).toEqual({
      title: '# The harbour',
      statusCode: 200,
      engine: 'browser',
      proxyUsed: 'stealth',
      creditsUsed: 5,
    });
    const { code, stdout } = await commandLine('scrape', server.url('/'));
    expect({ code, title: stdout.split('\n')[0] }).toEqual({ code: 0, title: '# The harbour' });
    await using closed = await serve(() => ({ status: 403, body: '' }));
    const words = ['--engine', 'http', '--json'];
    const { stderr } = await commandLine('scrape', closed.url('/'), ...words);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'BLOCKED_BY_SITE', statusCode: 403 },
    });
  });
});
