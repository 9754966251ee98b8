import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hang, serve, status } from 'pagewright/testing';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { serveHttpProxy } from '../../core/http/proxies/proxy-lab.ts';
import { commandLine } from './command-line.ts';
import {
  collect,
  requireBuild,
  docsSite,
  filesBelow,
  pagewright,
  startPagewright,
  workingDirectory,
} from './run-pagewright.ts';

beforeAll(requireBuild);

const support = 'https://docs.test/community/support.html';

test('one page is markdown on stdout and nothing else anywhere', async () => {
  const cwd = workingDirectory();
  const { code, stdout, stderr } = await pagewright(['scrape', support, ...docsSite], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^# Support\n/);
  expect(stdout).toContain('| Lockkeeper GmbH |');
  expect(stdout).not.toContain('Changelog');
  expect(stdout).toMatch(/[^\n]\n$/);
  expect(filesBelow(cwd)).toEqual([]);
});

test('--redact takes personal data out, and refuses other kinds', async () => {
  const { code, stdout } = await commandLine([
    'scrape',
    support,
    '--redact',
    'email,phone',
    ...docsSite,
  ]);
  expect(code).toBe(0);
  expect(stdout).toContain('(tel:[phone])');
  expect(stdout).toContain('(mailto:[email])');
  expect(stdout).not.toMatch(/help@ebbflow|555 0142|5550142/);
  const refused = await commandLine(['scrape', support, '--redact', 'names', ...docsSite]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('"email", "phone"');
});

test('the same markdown goes to --output, and stdout stays empty', async () => {
  const cwd = workingDirectory();
  const direct = await commandLine(['scrape', support, ...docsSite]);
  const { code, stdout } = await commandLine(
    ['scrape', support, '--output', 'page.md', ...docsSite],
    { cwd },
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(filesBelow(cwd)).toEqual(['page.md']);
  expect(readFileSync(join(cwd, 'page.md'), 'utf8')).toBe(direct.stdout);
});

test('several formats are the document as JSON, with exactly these fields', async () => {
  const { stdout } = await commandLine([
    'scrape', support, '--formats', 'markdown,links', '--formats', 'tables', ...docsSite,
  ]); // prettier-ignore
  const document = JSON.parse(stdout) as { links: string[]; metadata: { title: string } };
  expect(Object.keys(document).sort()).toEqual(['links', 'markdown', 'metadata', 'tables']);
  expect(document.links).toContain('https://forum.tidewater.example/c/help');
  expect(document.metadata.title).toContain('Support');
});

test('--json gives the document for markdown alone, too', async () => {
  const { stdout } = await commandLine(['scrape', support, '--json', ...docsSite]);
  const document = JSON.parse(stdout) as { markdown: string };
  expect(Object.keys(document).sort()).toEqual(['markdown', 'metadata']);
  expect(document.markdown).toMatch(/^# Support\n/);
});

test('cleaning follows the options', async () => {
  const whole = await commandLine(['scrape', support, '--no-only-main-content', ...docsSite]);
  expect(whole.stdout).toContain('Changelog');
  const picked = await commandLine([
    'scrape', support, '--include-tags', 'h1,h2', '--exclude-tags', '#commercial', ...docsSite,
  ]); // prettier-ignore
  expect(picked.stdout).toMatch(/^# Support\n\n## .*Free\n\n## .*Which versions\n/);
  expect(picked.stdout).not.toContain('Commercial');
});

test('--chunk-tokens and --chunk-overlap add passages of that size', async () => {
  const passages = async (...options: string[]) => {
    const { stdout } = await commandLine(['scrape', support, ...options, ...docsSite]);
    return JSON.parse(stdout) as { chunks: { tokens: number }[]; links?: string[] };
  };
  const named = await passages('--formats', 'chunks');
  const small = await passages('--formats', 'chunks,links', '--chunk-tokens', '64');
  expect(small.chunks.length).toBeGreaterThan(named.chunks.length);
  expect(Object.keys(small).sort()).toEqual(['chunks', 'links', 'metadata']);
  expect(await passages('--chunk-overlap', '0')).toMatchObject({ chunks: named.chunks });
});

test('--markdown-links and --markdown-images write markdown without URLs', async () => {
  const scrape = (...options: string[]) =>
    commandLine(['scrape', support, ...options, ...docsSite]);
  const usual = await scrape();
  expect(usual.stdout).toMatch(/\]\(https:/);
  const short = await scrape('--markdown-links', 'text', '--markdown-images', 'none');
  expect([short.code, short.stdout]).toEqual([
    0,
    usual.stdout.replaceAll(/\[(.*?)\]\(.*?\)/g, '$1'),
  ]);
  const both = await scrape('--formats', 'markdown,links', '--markdown-links', 'text');
  expect(JSON.parse(both.stdout)).toMatchObject({ markdown: short.stdout.trimEnd() });
  const others = await scrape('--formats', 'modelText,chunks', '--markdown-links', 'text');
  const sized = await scrape('--chunk-tokens', '500', '--markdown-links', 'text');
  for (const { stdout } of [others, sized]) {
    const { markdown, modelText, chunks } = JSON.parse(stdout);
    expect(markdown).toBeUndefined();
    expect(`${modelText} ${chunks[0].text}`).not.toContain('](');
  }
  const wrong = await scrape('--markdown-links', 'none');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('links: expected')]);
});

test('--main-content names the extractor', async () => {
  const named = (name: string) =>
    commandLine(['scrape', support, '--main-content', name, ...docsSite]);
  const ours = await named('pagewright');
  const theirs = await named('readability');
  expect([ours.code, theirs.code]).toEqual([0, 0]);
  expect(ours.stdout).toMatch(/^# Support\n/);
  expect(theirs.stdout).not.toContain('# Support\n'); // it leaves out the title
  expect(theirs.stdout).toContain('Ask in the [forum]');
});

test('--schema adds data of that schema, --attribute the values of attributes', async () => {
  const cwd = workingDirectory();
  const html = '<h1>Lamp</h1><p class="price">12.50</p><a class="dl" href="/a.zip">A</a>';
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', 'x-selector': 'h1' },
      price: { type: 'number', 'x-selector': '.price' },
    },
  };
  writeFileSync(join(cwd, 'lamp.json'), JSON.stringify(schema));
  const { stdout, stderr } = await commandLine(
    [
      'scrape',
      '-',
      '--schema',
      'lamp.json',
      '--attribute',
      'a.dl@href',
      '--url',
      'https://a.test/',
    ],
    { cwd, stdin: html },
  );
  expect(stderr).toBe('');
  const document = JSON.parse(stdout) as { json: unknown; attributes: unknown };
  expect(document.json).toEqual({ name: 'Lamp', price: 12.5 });
  expect(document.attributes).toMatchObject([{ selector: 'a.dl', attribute: 'href' }]);
});

test('- reads a page from stdin in its own charset, and --url resolves its links', async () => {
  const page = Buffer.from(
    '<meta charset="windows-1251"><body><p>\xcf\xf0\xe8\xe2\xe5\xf2 <a href="a">b</a></p>',
    'latin1',
  );
  const { code, stdout } = await pagewright(['scrape', '-', '--url', 'https://a.test/x/y'], {
    stdin: page,
  });
  expect(code).toBe(0);
  expect(stdout).toBe('Привет [b](https://a.test/x/a)\n');
});

test('a page that the server answers with 404 is written, with a warning on stderr', async () => {
  const { code, stdout, stderr } = await commandLine([
    'scrape', 'https://docs.test/nothing-here', ...docsSite,
  ]); // prettier-ignore
  expect(code).toBe(0);
  expect(stdout).not.toBe('');
  expect(stderr).toContain('warning: 404 Not Found\n');
});

test('headers, user agent and languages reach the server', async () => {
  await using server = await serve({ '/': '<p>Hello</p>' });
  const { code } = await commandLine([
    'scrape', server.url('/'), '--allow', '127.0.0.1', '--header', 'X-One: 1',
    '--header', 'Cookie: a=b', '--user-agent', 'probe/1', '--location', 'de',
  ]); // prettier-ignore
  expect(code).toBe(0);
  expect(server.log[0]?.headers).toMatchObject({
    'x-one': '1',
    cookie: 'a=b',
    'user-agent': 'probe/1',
    'accept-language': expect.stringMatching(/^de-DE/) as string,
  });
});

test('a proxy is gone through, and a browser is looked like', async () => {
  await using server = await serve({ '/': '<p>Hello</p>' });
  const proxy = await serveHttpProxy({ login: 'ann:secret' });
  const { code, stdout } = await commandLine([
    'scrape', server.url('/'), '--allow', '127.0.0.1', '--proxy', proxy.as('ann', 'secret'), '--stealth',
  ]); // prettier-ignore
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello\n' });
  expect(proxy.asked).toEqual([new URL(server.origin).host]);
  expect(server.log[0]?.headers['user-agent']).toMatch(/^Mozilla\/5\.0 \((?!compatible)/);
});

test('--proxy environment takes the proxy of http_proxy, and says so', async () => {
  await using server = await serve({ '/': '<p>Hello</p>' });
  const proxy = await serveHttpProxy({ login: 'ann:secret' });
  vi.stubEnv('http_proxy', proxy.as('ann', 'secret'));
  vi.stubEnv('no_proxy', 'elsewhere.example');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { code, stdout, stderr } = await commandLine([
    'scrape', server.url('/'), '--allow', '127.0.0.1', '--proxy', 'environment',
  ]); // prettier-ignore
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello\n' });
  expect(proxy.asked).toEqual([new URL(server.origin).host]);
  expect(stderr).toContain('http URLs are requested through the proxy in http_proxy');
  expect(stderr).not.toContain('secret');
});

test('--retries 0 asks once', async () => {
  await using server = await serve({}, { behaviours: { '*': status({ code: 503 }) } });
  await commandLine(['scrape', server.url('/'), '--allow', '127.0.0.1', '--retries', '0']);
  expect(server.log).toHaveLength(1);
});

test('loopback is refused without --allow, and --deny wins over it', async () => {
  await using server = await serve({ '/': '<p>Hello</p>' });
  const refused = await pagewright(['scrape', server.url('/')]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^BLOCKED_ADDRESS: [^\n]* To allow it: --allow 127\.0\.0\.1\.\n$/);
  const denied = await commandLine([
    'scrape', server.url('/'), '--json', '--allow', '127.0.0.0/8', '--deny', '127.0.0.1',
  ]); // prettier-ignore
  expect(denied.code).toBe(1);
  expect(JSON.parse(denied.stderr)).toMatchObject({
    error: { code: 'BLOCKED_ADDRESS', url: server.url('/') },
  });
  expect(server.log).toHaveLength(0);
});

test('a page that never comes ends with TIMEOUT', async () => {
  await using server = await serve({}, { behaviours: { '*': hang() } });
  const { code, stderr } = await commandLine([
    'scrape', server.url('/'), '--allow', '127.0.0.1', '--timeout', '1000',
  ]); // prettier-ignore
  expect(code).toBe(1);
  expect(stderr).toMatch(/^TIMEOUT: /);
});

test('Ctrl-C ends a scrape at once with exit code 130', async () => {
  await using server = await serve({}, { behaviours: { '*': hang() } });
  const child = startPagewright(
    ['scrape', server.url('/'), '--allow', '127.0.0.1'],
    workingDirectory(),
  );
  const output = collect(child);
  while (server.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe(130);
  expect(output().stderr).toMatch(/^CANCELLED: /);
});

test('the folders of a file are made, as for every output', async () => {
  const cwd = workingDirectory();
  const words = ['scrape', support, '--output', 'no/such/folder/page.md', ...docsSite];
  expect((await commandLine(words, { cwd })).code).toBe(0);
  expect(existsSync(join(cwd, 'no/such/folder/page.md'))).toBe(true);
});

test('a file that cannot be written is STORAGE', async () => {
  const { code, stderr } = await commandLine([
    'scrape', support, '--output', join(import.meta.filename, 'folder/page.md'), ...docsSite,
  ]); // prettier-ignore
  expect(code).toBe(1);
  expect(stderr).toMatch(/^STORAGE: .*ENOTDIR/);
});

test('--data, --data-json and --method send a request, as with curl', async () => {
  await using server = await serve(
    ({ method, body, headers }) =>
      `<p>${method} ${String(headers['content-type'])} ${String(body)}</p>`,
  );
  const cwd = workingDirectory();
  writeFileSync(join(cwd, 'body.txt'), 'from=file');
  const words = ['--allow', '127.0.0.1', '--no-only-main-content', '--quiet'];
  const send = async (...flags: string[]): Promise<string> => {
    const ran = await commandLine(['scrape', server.url('/'), ...words, ...flags], { cwd });
    return ran.code === 0 ? ran.stdout.trim() : `${ran.code} ${ran.stderr}`;
  };
  const form = 'application/x-www-form-urlencoded;charset=UTF-8';
  expect(await send('--data', 'q=a b&page=2')).toBe(`POST ${form} q=a b&page=2`);
  expect(await send('--data', `@${join(cwd, 'body.txt')}`)).toBe(`POST ${form} from=file`);
  const json = ['--header', 'Content-Type: application/json'];
  expect(await send('--data', '{"a":1}', ...json)).toBe('POST application/json {"a":1}');
  const put = await send('--method', 'PUT', '--data-json', '{"a": [1]}');
  expect(put.replaceAll('\\', '')).toBe('PUT application/json {"a":[1]}');
  expect(await send('--data', 'a', '--data-json', '1')).toMatch(/^2 .*--data or --data-json/s);
  expect(await send('--data-json', '{')).toMatch(/^2 .*JSON/s);
  expect(await send('--data', '@missing')).toMatch(/^2 .*ENOENT/s);
  expect(await send('--method', 'HEAD')).toMatch(/^2 .*HEAD/s);
  const crawl = await commandLine(['crawl', server.url('/'), '--method', 'POST', '--output', '-']);
  expect(crawl.code).toBe(2);
});
