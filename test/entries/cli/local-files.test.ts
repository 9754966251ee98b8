import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from 'pagewright/testing';
import { expect, test } from 'vitest';
import { commandLine } from './command-line.ts';
import { filesBelow, workingDirectory } from './run-pagewright.ts';

function site(): string {
  const cwd = workingDirectory();
  mkdirSync(join(cwd, 'site/sub'), { recursive: true });
  writeFileSync(join(cwd, 'site/index.html'), '<h1>Home</h1><p>To <a href="sub/a.html">A</a>.</p>');
  writeFileSync(join(cwd, 'site/sub/a.html'), '<h1>A</h1><p>Words of A.</p>');
  writeFileSync(join(cwd, 'site/b.md'), '# B\n\nText of B.\n');
  writeFileSync(join(cwd, 'site/style.css'), 'body {}');
  writeFileSync(join(cwd, 'site/.hidden.md'), '# Hidden');
  return cwd;
}

test('a file is read by its path, its URL or its name', async () => {
  const cwd = site();
  const url = pathToFileURL(join(cwd, 'site/b.md')).href;
  for (const word of ['./site/b.md', 'site/b.md', url]) {
    const { code, stdout, stderr } = await commandLine(['scrape', word], { cwd });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '# B\n\nText of B.\n',
      stderr: '',
    });
  }
  await commandLine(['scrape', './site/b.md', '--output', 'b.json'], { cwd });
  expect(JSON.parse(readFileSync(join(cwd, 'b.json'), 'utf8'))).toMatchObject({
    metadata: { url },
  });
  await commandLine(['scrape', './site/b.md', '--output', 'b.csv'], { cwd });
  expect(readFileSync(join(cwd, 'b.csv'), 'utf8')).toMatch(/^url,.*,"# B\n\nText of B\.\n",\r\n$/s);
});

test('the documents of a folder become files, lines or an array; --url is the URL of the site', async () => {
  const cwd = site();
  const lines = await commandLine(['scrape', './site'], { cwd });
  expect(lines.stdout.trim().split('\n')).toHaveLength(3);
  expect(lines.stderr).toBe('3 of 3 documents written to stdout, 1 other file skipped\n');
  await commandLine(['scrape', './site', '--output', 'out'], { cwd });
  expect(filesBelow(join(cwd, 'out'))).toEqual(['b.md', 'index.md', 'sub/a.md']);
  const words = ['scrape', './site/', '--url', 'https://a.test/docs/', '--output', 'site.md'];
  await commandLine(words, { cwd });
  const index = readFileSync(join(cwd, 'site.md/docs/index.md'), 'utf8');
  expect(index).toContain('To [A](sub/a.md).');
  writeFileSync(
    join(cwd, 'site/bad.pdf'),
    Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  );
  const failed = await commandLine(['scrape', './site/', '--output', 'a.json'], { cwd });
  expect(failed.code).toBe(3);
  expect(failed.stderr).toContain('failed: UNSUPPORTED_CONTENT site/bad.pdf');
  expect(JSON.parse(readFileSync(join(cwd, 'a.json'), 'utf8'))).toHaveLength(3);
});

test('no page, redirect, sitemap or list leads to a file of this machine', async () => {
  const cwd = workingDirectory();
  const secret = pathToFileURL(join(cwd, 'secret.html')).href;
  writeFileSync(join(cwd, 'secret.html'), '<p>top-secret');
  await using server = await serve(({ url }) => {
    if (url === '/robots.txt') return `Sitemap: ${secret}\nSitemap: ${server.url('/map.xml')}`;
    if (url === '/map.xml') return `<urlset><url><loc>${secret}</loc></url></urlset>`;
    if (url === '/moved') return { status: 302, headers: { location: secret } };
    return `<meta http-equiv="refresh" content="99;url=${secret}"><h1>Page</h1><p>Words <a href="${secret}">a</a> <a href="/moved">b</a> <iframe src="${secret}"></iframe></p>`;
  });
  const options = ['--allow', '127.0.0.1', '--engine', 'http'];
  const crawled = await commandLine(['crawl', server.url('/'), ...options], { cwd });
  expect(crawled.stdout).toContain('# Page');
  expect(crawled.stdout).not.toContain('top-secret');
  const list = `${secret}\n./secret.html\n${server.url('/moved')}\n`;
  const listed = await commandLine(['batch', '--file', '-', ...options], { cwd, stdin: list });
  expect(listed.code).not.toBe(0);
  expect(listed.stdout).not.toContain('top-secret');
  const scraped = await commandLine(['scrape', server.url('/moved'), ...options], { cwd });
  expect(scraped).toMatchObject({ code: 1, stdout: '' });
  const site = await commandLine(['crawl', './'], { cwd });
  expect(site).toMatchObject({ code: 2, stdout: '' });
});
