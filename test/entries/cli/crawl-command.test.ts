import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hang, reset, serve } from 'pagewright/testing';
import { beforeAll, describe, expect, test } from 'vitest';
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
import { rareTest } from '../../support/deep.ts';

beforeAll(requireBuild);

const docs = 'https://docs.test/docs/';
const loopback = ['--allow', '127.0.0.1', '--sitemap', 'skip'];

interface Line {
  readonly markdown: string;
  readonly metadata: { readonly url: string; readonly statusCode: number };
}
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

/** A chain of pages with a body of so many bytes: `/0` links to all others. */
function chain(length: number, bytes: number): Record<string, string> {
  const links = Array.from({ length }, (_, n) => `<a href="/p/${n}">${n}</a>`).join(' ');
  const page = (n: number): string =>
    `<title>${n}</title><main><h1>${n}</h1><p>${`word${n} `.repeat(bytes / 8)}</p></main>`;
  return {
    '/p/': `<main><h1>Start</h1><p>${links}</p></main>`,
    ...Object.fromEntries(Array.from({ length }, (_, n) => [`/p/${n}`, page(n)])),
  };
}

test('--max-concurrency holds beyond the default of a client', async () => {
  const options = ['--max-concurrency', '200', '--limit', '2'];
  const { code, stderr } = await commandLine(['crawl', docs, ...docsSite, ...options]);
  expect(code).toBe(0);
  expect(stderr).not.toContain('of the client');
});

describe('--output', () => {
  test('mirrors the site as markdown files with a YAML head, and writes nothing else', async () => {
    const cwd = workingDirectory();
    const { code, stdout, stderr } = await pagewright(
      ['crawl', docs, '--output', 'out', ...docsSite],
      { cwd },
    );
    // The site has two links that lead nowhere.
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('2 pages failed: 1 HTTP_STATUS 404, 1 HTTP_STATUS 410\n');
    const files = filesBelow(cwd);
    for (const file of files) expect(file).toMatch(/^out\/docs\/.*\.md$/);
    expect(files).toContain('out/docs/index.md');
    expect(files).toContain('out/docs/clients/go.md');
    expect(files).toContain('out/docs/reference/tql/index.md');
    expect(stderr).toContain(`${files.length} pages written to out\n`);

    const go = readFileSync(join(cwd, 'out/docs/clients/go.md'), 'utf8');
    expect(go).toMatch(
      /^---\nurl: "https:\/\/docs\.test\/docs\/clients\/go\.html"\ntitle: "Go client — Tidewater docs"\n/,
    );
    expect(go).toMatch(/\nstatusCode: 200\n[^]*\n---\n\n# Go client\n/);
  });

  test('a second crawl into the same folder gives the same files', async () => {
    const cwd = workingDirectory();
    const words = ['crawl', docs, '--output', 'out', '--limit', '5', '--quiet', ...docsSite];
    await commandLine(words, { cwd });
    const first = filesBelow(cwd);
    expect(first).toHaveLength(5);
    await commandLine(words, { cwd });
    expect(filesBelow(cwd)).toEqual(first);
  });

  test('pages of several hosts have a folder for each host', async () => {
    const cwd = workingDirectory();
    for (const [site, link] of [['one', 'https://sub.a.test/same'], ['two', '/']]) {
      mkdirSync(join(cwd, `${site}/same`), { recursive: true });
      writeFileSync(join(cwd, `${site}/index.html`), `<p>Home ${site} <a href="/same/">S</a>`);
      writeFileSync(join(cwd, `${site}/same/index.html`), `<p>${site} <a href="${link}">L</a>`);
    } // prettier-ignore
    const { code, stderr } = await commandLine(
      [
        'crawl', 'https://a.test/', '--allow-subdomains', '--output', 'out',
        '--fixtures', 'https://a.test=one', '--fixtures', 'https://sub.a.test=two',
      ], // prettier-ignore
      { cwd },
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(filesBelow(join(cwd, 'out'))).toEqual([
      'a.test/index.md',
      'a.test/same/index.md',
      'sub.a.test/index.md',
      'sub.a.test/same/index.md',
    ]);
  });

  test('hostile paths stay inside of the folder', async () => {
    const cwd = workingDirectory();
    const links = ['/..%2f..%2fevil', '/%2e%2e/%2e%2e/evil2', '/a%00b', '/..%5c..%5cevil3'];
    await using server = await serve(({ url }) =>
      url === '/robots.txt'
        ? undefined
        : `<h1>${url}</h1><p>Page ${url} ${links.map((href) => `<a href="${href}">x</a>`).join(' ')}`,
    );
    mkdirSync(join(cwd, 'deep/er'), { recursive: true });
    const { code } = await commandLine(
      ['crawl', server.url('/'), '--output', 'deep/er/out', ...loopback],
      { cwd },
    );
    expect(code).toBe(0);
    const files = filesBelow(cwd);
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const file of files) expect(file).toMatch(/^deep\/er\/out\//);
  });

  test('a file in the way is STORAGE, and nothing is left running', async () => {
    const cwd = workingDirectory();
    writeFileSync(join(cwd, 'out'), 'a file');
    const { code, stderr } = await pagewright(['crawl', docs, '--output', 'out', ...docsSite], {
      cwd,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^STORAGE: Could not write out \(EEXIST\)/m);
  });
});

describe('lines of JSON', () => {
  rareTest('go to stdout when nothing else is said, one document a line, in order', async () => {
    const words = ['crawl', docs, '--limit', '10', ...docsSite];
    const { code, stdout, stderr } = await pagewright(words);
    expect(code).toBe(0);
    const pages = linesOf(stdout);
    expect(pages).toHaveLength(10);
    expect(pages[0]?.metadata.url).toBe(docs);
    expect(Object.keys(pages[0] ?? {}).sort()).toEqual(['markdown', 'metadata']);
    expect(stderr).toContain('10 pages written to stdout\n');
    // The order does not depend on the timing.
    const again = linesOf((await commandLine([...words, '--jsonl', '--quiet'])).stdout);
    expect(again.map((page) => page.metadata.url)).toEqual(pages.map((page) => page.metadata.url));
  });

  test('go to the file that is named, beside the folder when both are asked for', async () => {
    const cwd = workingDirectory();
    const { code, stdout } = await commandLine(
      [
        'crawl', docs, '--limit', '3', '--jsonl', 'pages.jsonl', '--output', 'out',
        '--formats', 'markdown,links', '--quiet', ...docsSite,
      ], // prettier-ignore
      { cwd },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(linesOf(readFileSync(join(cwd, 'pages.jsonl'), 'utf8'))).toHaveLength(3);
    expect(filesBelow(cwd)).toHaveLength(4);
  });

  test('leave the file of an earlier crawl as it was when none comes', async () => {
    const cwd = workingDirectory();
    writeFileSync(join(cwd, 'pages.jsonl'), 'earlier');
    const nowhere = ['crawl', 'http://127.0.0.1:1/', '--allow', '127.0.0.1', '--retries', '0'];
    const { code } = await commandLine([...nowhere, '--jsonl', 'pages.jsonl'], { cwd });
    expect(code).not.toBe(0);
    expect(readFileSync(join(cwd, 'pages.jsonl'), 'utf8')).toBe('earlier');
    expect(filesBelow(cwd)).toEqual(['pages.jsonl']);
  });

  test('a URL after --jsonl is the page, not a file', async () => {
    const cwd = workingDirectory();
    const { code, stdout } = await commandLine(
      ['crawl', '--limit', '2', ...docsSite, '--jsonl', docs],
      { cwd },
    );
    expect(code).toBe(0);
    expect(linesOf(stdout)).toHaveLength(2);
    expect(filesBelow(cwd)).toEqual([]);
  });
});

describe('what a crawl says on stderr', () => {
  test('is the progress at its end and a summary with counted reasons', async () => {
    const { stderr } = await commandLine(['crawl', docs, '--limit', '10', ...docsSite]);
    expect(stderr).toMatch(
      /^10 done, 0 failed, \d+ skipped, \d+ queued, \d+\.\d pages\/s\nskipped: .*\d+ LIMIT/m,
    );
    expect(stderr).toMatch(/skipped: .*\d+ EXTERNAL/);
    expect(stderr).not.toContain('\x1b');
  });

  test('is nothing with --quiet', async () => {
    const { stderr } = await commandLine(['crawl', docs, '--limit', '2', '--quiet', ...docsSite]);
    expect(stderr).toBe('');
  });

  test('is one line of JSON with --json', async () => {
    const { stderr } = await commandLine(['crawl', docs, '--limit', '2', '--json', ...docsSite]);
    expect(stderr.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(stderr)).toMatchObject({
      summary: { status: 'completed', completed: 2, failed: 0, writtenTo: ['stdout'], errors: [] },
    });
  });

  test('names failed pages and counts them by their reasons, as does the exit code', async () => {
    await using server = await serve(
      {
        '/p/':
          '<main><h1>Start</h1><p>Words. <a href="/p/good">g</a> <a href="/p/bad">b</a> <a href="/p/none">n</a></main>',
        '/p/good': '<main><h1>Good</h1><p>Good words.</main>',
      },
      { behaviours: { '/p/bad': reset() } },
    );
    const words = ['crawl', server.url('/p/'), '--retries', '0', ...loopback];
    const { code, stdout, stderr } = await pagewright(words);
    expect(code).toBe(3);
    expect(linesOf(stdout)).toHaveLength(2);
    expect(stderr).toContain(`failed: CONNECTION_RESET ${server.url('/p/bad')}: `);
    expect(stderr).toContain(`failed: 404 ${server.url('/p/none')}\n`);
    expect(stderr).toContain('2 done, 2 failed, ');
    expect(stderr).toContain('2 pages failed: 1 CONNECTION_RESET, 1 HTTP_STATUS 404\n');
    expect((await commandLine([...words, '--strict'])).code).toBe(3);
    expect((await commandLine([...words, '--no-strict'])).code).toBe(0);
    const kept = await commandLine([...words, '--error-pages', 'keep']);
    expect(linesOf(kept.stdout).map(({ metadata }) => metadata.statusCode)).toContain(404);
    expect(kept.stderr).toContain('1 page failed: 1 CONNECTION_RESET\n');
    const inJson = (await commandLine([...words, '--log', 'json'])).stderr.trim().split('\n');
    const events = inJson.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.flatMap(Object.keys)).toEqual(['failed', 'failed', 'summary']);
    expect(events[1]).toMatchObject({ failed: { code: 'HTTP_STATUS', statusCode: 404 } });
    const level = ['--log', 'json', '--log-level'];
    const keysAt = async (name: string): Promise<Set<string>> => {
      const { stderr: lines } = await commandLine([...words, ...level, name]);
      return new Set(
        lines
          .trim()
          .split('\n')
          .flatMap((line) => Object.keys(JSON.parse(line) as object)),
      );
    };
    expect(await keysAt('info')).toEqual(new Set(['info', 'failed', 'summary']));
    expect(await keysAt('debug')).toEqual(new Set(['info', 'debug', 'failed', 'summary']));
    const { summary } = events[2] as { summary: { errors: readonly object[] } };
    expect(summary.errors[1]).toMatchObject({ code: 'HTTP_STATUS', statusCode: 404 });
    expect(summary.errors[1]).not.toHaveProperty('document');
  });

  test('is the error alone when the start page cannot be fetched', async () => {
    const { code, stdout, stderr } = await commandLine([
      'crawl', 'http://127.0.0.1:2/', '--json', ...loopback,
    ]); // prettier-ignore
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'CONNECTION_REFUSED' } });
  });
});

test('options reach the crawl', async () => {
  const { stdout } = await commandLine([
    'crawl', docs, '--sitemap', 'skip', '--max-discovery-depth', '1',
    '--include-paths', '/clients/', '--exclude-paths', 'rust', '--quiet', ...docsSite,
  ]); // prettier-ignore
  const urls = linesOf(stdout).map((page) => page.metadata.url);
  expect(urls.length).toBeGreaterThan(1);
  for (const url of urls) expect(url).toMatch(/\/clients\//);
  expect(urls.join()).not.toContain('rust');
});

describe('a reader of stdout', () => {
  test('that goes away ends the crawl quietly', async () => {
    await using server = await serve(chain(400, 20_000));
    const child = startPagewright(
      ['crawl', server.url('/p/'), '--quiet', ...loopback],
      workingDirectory(),
    );
    const stderr: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, stderr: Buffer.concat(stderr).toString() }).toEqual({ code: 0, stderr: '' });
    expect(server.log.length).toBeLessThan(300);
  });

  rareTest('that is slow holds up the crawl', async () => {
    await using server = await serve(chain(400, 20_000));
    const child = startPagewright(
      ['crawl', server.url('/p/'), '--quiet', ...loopback],
      workingDirectory(),
    );
    // Nothing is read: the pipe fills, and the crawl stops a few pages later.
    let before = -1;
    while (server.log.length === 0 || server.log.length !== before) {
      before = server.log.length;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(before).toBeLessThan(150);
    const output = collect(child);
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(0);
    expect(linesOf(output().stdout)).toHaveLength(401);
  });
});

describe('Ctrl-C', () => {
  test('once stops the crawl; what is done stays, and the exit code is 130', async () => {
    const pages = chain(40, 400);
    await using server = await serve(pages, { behaviours: { '/p/7': hang() } });
    const cwd = workingDirectory();
    const child = startPagewright(
      ['crawl', server.url('/p/'), '--jsonl', '--output', 'out', ...loopback],
      cwd,
    );
    const output = collect(child);
    // Documents come in their order, so page 7, which never ends, is what the crawl waits at.
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) if (line.includes('word6')) break;
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(130);
    const { stdout, stderr } = output();
    expect(linesOf(stdout)).toHaveLength(8);
    expect(filesBelow(cwd)).toHaveLength(8);
    expect(stderr).toContain('8 pages written to out and stdout\n');
    expect(stderr).toMatch(/interrupted, \d+ URLs were still queued\n/);
    expect(existsSync(join(cwd, 'storage'))).toBe(false);
  });

  test('twice ends at once, whatever it waits for', async () => {
    await using server = await serve(chain(400, 20_000));
    const child = startPagewright(
      ['crawl', server.url('/p/'), '--quiet', ...loopback],
      workingDirectory(),
    );
    // A reader that takes nothing: the crawl waits in a write, which no cancelling ends.
    let before = -1;
    for (let unchanged = 0; server.log.length < 10 || unchanged < 3;) {
      unchanged = server.log.length === before ? unchanged + 1 : 0;
      before = server.log.length;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(child.exitCode).toBeNull();
    child.kill('SIGINT');
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    // After its last write nothing of the program handles the signal any more.
    expect([130, 'SIGINT']).toContain(code ?? signal);
  });
});
