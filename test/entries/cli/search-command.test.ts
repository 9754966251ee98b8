/** pagewright search: engines of the options and of the environment, and the pages of a stored crawl. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from 'pagewright/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openSearchEngine } from '../../../src/entries/cli/search-engine-options.ts';
import { ca, serverCert, serverKey } from '../../core/http/lab-authority.ts';
import { commandLine } from './command-line.ts';
import { docsSite } from './run-pagewright.ts';

afterEach(() => vi.unstubAllEnvs());

const key = 'key-0123456789abcdef';

async function searx(url = 'https://docs.test/docs/'): ReturnType<typeof serve> {
  const results = [
    { url, title: 'The <b>docs</b>', content: 'How it works.', publishedDate: '2026-11-01' },
    { url: 'https://docs.test/none.html', title: 'Nothing' },
  ];
  const body = JSON.stringify({ results });
  const server = await serve(() => ({ headers: { 'content-type': 'application/json' }, body }));
  onTestFinished(() => server.close());
  return server;
}

test('prints title, address and text of each result; a local engine needs no --allow', async () => {
  const server = await searx();
  const { code, stdout } = await commandLine([
    'search', 'how it works', '--engine-url', server.origin, '--limit', '2', '--since', 'week',
    '--language', 'en', '--exclude-domains', 'spam.test',
  ]); // prettier-ignore
  expect(code).toBe(0);
  expect(stdout).toBe(
    'The docs\nhttps://docs.test/docs/\n2026-11-01T00:00:00.000Z\nHow it works.\n\nNothing\nhttps://docs.test/none.html\n',
  );
  const { searchParams } = new URL(server.log[0]?.url ?? '', server.origin);
  expect(searchParams.get('q')).toBe('how it works -site:spam.test');
  expect(searchParams.get('time_range')).toBe('week');
});

test('the tls and the userAgent of the config file hold for --engine-url', async () => {
  const agents: unknown[] = [];
  const server = https.createServer({ key: serverKey, cert: serverCert }, (request, response) => {
    agents.push(request.headers['user-agent']);
    response.setHeader('content-type', 'application/json').end('{"results":[]}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const cwd = mkdtempSync(join(tmpdir(), 'pagewright-search-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const config = { tls: { ca }, userAgent: 'configured/1' };
  writeFileSync(join(cwd, 'pagewright.config.mjs'), `export default ${JSON.stringify(config)};`);
  const { port } = server.address() as AddressInfo;
  const words = ['search', 'docs', '--engine-url', `https://127.0.0.1:${port}`];
  expect((await commandLine(words, { cwd })).code).toBe(0);
  expect(agents).toEqual(['configured/1']);
  expect(await commandLine([...words, '--no-config'], { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^TLS: /) as string,
  });
});

test('--scrape adds the pages, and --json has everything', async () => {
  const server = await searx();
  vi.stubEnv('SEARXNG_URL', server.origin);
  const words = ['search', 'docs', '--limit', '2', '--scrape', ...docsSite];
  const text = await commandLine(words);
  expect(text.stdout).toMatch(/^The docs\nhttps:\/\/docs\.test\/docs\/\n.*\n\n# /);
  expect(text.stdout).toMatch(/Nothing\n.*\n\nerror: .*answered 404/);
  const { stdout } = await commandLine([...words, '--json']);
  const { engine, web } = JSON.parse(stdout) as {
    engine: string;
    web: { document?: { markdown: string }; error?: { code: string } }[];
  };
  expect(engine).toBe('searxng');
  expect(web[0]?.document?.markdown).toContain('# ');
  expect(web[1]?.error?.code).toBe('HTTP_STATUS');
});

test('pages of a private address are refused, though the engine has one', async () => {
  const server = await searx('http://127.0.0.1:9/secret');
  const words = ['search', 'docs', '--engine-url', server.origin, '--limit', '1', '--scrape'];
  expect((await commandLine(words)).stdout).toMatch(/error: .*127\.0\.0\.1/);
});

test('a key comes from the environment and is not shown', async () => {
  vi.stubEnv('TAVILY_API_KEY', key);
  const server = await serve(() => ({
    status: 401,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ detail: { error: `${key} is wrong` } }),
  }));
  onTestFinished(() => server.close());
  const { code, stderr } = await commandLine([
    'search', 'docs', '--engine', 'tavily', '--engine-url', server.origin,
  ]); // prettier-ignore
  expect(code).toBe(1);
  expect(stderr).toContain('answered 401: [hidden] is wrong. Check the API key.');
  expect(server.log[0]?.headers['authorization']).toBe(`Bearer ${key}`);
});

test('the engine of the config file is the default', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'pagewright-search-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const config = `export default { search: (query) => [{ url: 'https://a.test/' + query, title: 'Own' }] };`;
  writeFileSync(join(cwd, 'pagewright.config.mjs'), config);
  const { stdout } = await commandLine(['search', 'tides'], { cwd });
  expect(stdout).toBe('Own\nhttps://a.test/tides\n');
});

test('--index searches in a stored crawl', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'pagewright-search-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const store = ['--store', 'jobs'];
  const crawled = await commandLine(
    [
      'crawl',
      'https://docs.test/docs/clients/',
      '--limit',
      '5',
      '--output',
      'out',
      ...store,
      ...docsSite,
    ],
    { cwd },
  );
  expect(crawled.code).toBe(0);
  const jobs = await commandLine(['jobs', '--json', ...store], { cwd });
  const { id } = JSON.parse(jobs.stdout) as { id: string };
  const words = ['search', 'python client', '--index', id, ...store, '--limit', '1'];
  const { stdout } = await commandLine(words, { cwd });
  const [title, url] = stdout.split('\n');
  expect(title).toMatch(/python/i);
  expect(url).toBe('https://docs.test/docs/clients/python.html');
  const json = await commandLine([...words, '--json'], { cwd });
  expect(JSON.parse(json.stdout)).toMatchObject([{ url, score: expect.any(Number) as number }]);
  const refused = await commandLine([...words, '--include-domains', 'a.test'], { cwd });
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--include-domains is for a search engine') as string,
  });
});

test.each([
  [
    [],
    /--engine <name>: searxng, brave, tavily, exa; or SEARXNG_URL, .* in the environment; or --index/,
  ],
  [['--engine', 'searxng'], /give --engine-url, or set SEARXNG_URL/],
  [['--engine', 'exa'], /set EXA_API_KEY/],
  [['--engine', 'google'], /searxng, brave, tavily, exa/],
  [['--index', 'x'], /--index needs --store/],
])('%j is refused', async (words, message) => {
  for (const name of ['SEARXNG_URL', 'BRAVE_API_KEY', 'TAVILY_API_KEY', 'EXA_API_KEY']) {
    vi.stubEnv(name, '');
  }
  const { code, stderr } = await commandLine(['search', 'tides', ...words]);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('pagewright mcp names its own option when the key of the engine is missing', () => {
  vi.stubEnv('BRAVE_API_KEY', '').stubEnv('SEARXNG_URL', '');
  const open = (engine: string) => () => openSearchEngine({ engine }, {}, '--search');
  expect(open('brave')).toThrow('--search brave: set BRAVE_API_KEY.');
  expect(open('searxng')).toThrow('--search searxng: set SEARXNG_URL.');
});
