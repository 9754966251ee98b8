import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSite, type Site, type SiteResponse } from '../../../src/entries/testing/site-files.ts';
import { ValidationError } from '../../../src/core/runtime/errors.ts';

const origin = 'https://site.test';
let parent: string;

async function writeSite(
  name: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(parent, name, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return join(parent, name);
}

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'site-files-'));
  await writeFile(join(parent, 'secret.txt'), 'secret');
});
afterAll(() => rm(parent, { recursive: true, force: true }));

describe('a folder', () => {
  let site: Site;
  const get = async (path: string): Promise<SiteResponse> => await site.respond(path, origin);
  const summary = async (path: string): Promise<string> => {
    const { status, headers, body } = await get(path);
    return [status, headers['location'] ?? Buffer.from(body).toString()].join(' ');
  };

  beforeAll(async () => {
    const folder = await writeSite('plain', {
      'index.html': 'home',
      'a/index.html': 'folder a',
      'a/page.html': 'page',
      'a/extensionless': 'file',
      'both/index.html': 'both',
      'bare/other.html': 'no index here',
      'straße ü.html': 'umlaut',
      'list.html': 'list',
      'list-2.html': 'second',
      'links.html': '<a href="{{origin}}/a">{{origin}}</a> {{other}}',
      'links.css': '{{origin}}',
      'koi8.html': Buffer.from([0xf0, 0xd2, 0xc9, ...Buffer.from('{{origin}}'), 0xd7, 0x00, 0xff]),
      'not-found.html': 'sorry',
      'old.html': 'old',
      'data.xml': '<loc>{{origin}}/</loc>',
      'site.json': JSON.stringify({
        description: 'ignored',
        notFound: 'not-found.html',
        responses: {
          '/list.html?page=2': { file: 'list-2.html' },
          '/slow': { file: 'list.html', delay: 40 },
          '/old.html': { status: 410 },
          '/headers.html': { headers: { 'X-Odd': 'never' } },
          '/list.html': { headers: { 'X-Odd': 'yes', 'Content-Type': 'text/x' } },
          '/moved': { status: 301, headers: { Location: '{{origin}}/a/' } },
          '/broken': { status: 503 },
          '/made': { status: 204 },
          '/packed.xml.gz': { file: 'data.xml', gzip: true },
          '/größe': { file: 'list.html' },
        },
        facts: { pages: [] },
      }),
    });
    site = await openSite(folder);
  });

  test.each([
    ['/', '200 home'],
    ['/index.html', '200 home'],
    ['/a/', '200 folder a'],
    ['/a', '301 /a/'],
    ['/a?x=1', '301 /a/?x=1'],
    ['/a/page.html', '200 page'],
    ['/a/page.html?whatever=1', '200 page'],
    ['/a/page.html/', '404 sorry'],
    ['/a/extensionless', '200 file'],
    ['/bare', '404 sorry'],
    ['/bare/', '404 sorry'],
    ['/stra%C3%9Fe%20%C3%BC.html', '200 umlaut'],
    ['/straße ü.html', '200 umlaut'],
    ['/%61/', '200 folder a'],
    ['/nothing', '404 sorry'],
    ['/A/', '404 sorry'],
  ])('%s is %s', async (path, expected) => {
    expect(await summary(path)).toBe(expected);
  });

  test.each([
    '/site.json',
    '/SITE.json',
    '/site%2ejson',
    '//site.json',
    '/./site.json',
    '/../secret.txt',
    '/a/../../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/a%2fpage.html',
    '/..\\secret.txt',
    '/..%5csecret.txt',
    '/list.html%00',
    '/\0',
    '/a//page.html',
    '/%zz',
    `/${'x'.repeat(5000)}`,
    'list.html',
    '',
  ])('%j is not there', async (path) => {
    expect(await summary(path)).toBe('404 sorry');
  });

  test.each([
    ['/list.html?page=2', '200 second'],
    ['/list.html?page=3', '200 list'],
    ['/old.html', '410 old'],
    ['/headers.html', '404 sorry'],
    ['/moved', '301 https://site.test/a/'],
    ['/moved?x=1', '301 https://site.test/a/'],
    ['/broken', '503 503 Service Unavailable'],
    ['/made', '204 '],
    ['/gr%C3%B6%C3%9Fe', '200 list'],
  ])('site.json: %s is %s', async (path, expected) => {
    expect(await summary(path)).toBe(expected);
  });

  test('headers of site.json are merged over the plain ones', async () => {
    const { headers } = await get('/list.html');
    expect(headers).toEqual({ 'content-type': 'text/x', 'content-length': '4', 'x-odd': 'yes' });
  });

  test('delay and gzip are done as site.json says', async () => {
    expect((await get('/slow')).delay).toBe(40);
    expect((await get('/')).delay).toBe(0);
    const { headers, body } = await get('/packed.xml.gz');
    expect(headers).toEqual({
      'content-type': 'application/gzip',
      'content-length': String(body.length),
    });
    expect(gunzipSync(body).toString()).toBe('<loc>https://site.test/</loc>');
  });

  test('{{origin}} is replaced in markup only, and no other byte is touched', async () => {
    expect(await summary('/links.html')).toBe(
      '200 <a href="https://site.test/a">https://site.test</a> {{other}}',
    );
    expect(await summary('/links.css')).toBe('200 {{origin}}');
    const { body } = await get('/koi8.html');
    const expected = [0xf0, 0xd2, 0xc9, ...Buffer.from(origin), 0xd7, 0x00, 0xff];
    expect([...body]).toEqual(expected);
  });
});

test('content types go by the extension', async () => {
  const files = [
    'a.html',
    'a.xml',
    'a.JSON',
    'a.txt',
    'a.md',
    'a.png',
    'a.pdf',
    'a.woff2',
    'a.xyz',
    'a',
  ];
  const site = await openSite(
    await writeSite('types', Object.fromEntries(files.map((name) => [name, 'x']))),
  );
  const types = files.map(async (name) => {
    return (await site.respond(`/${name}`, origin)).headers['content-type'];
  });
  expect(await Promise.all(types)).toEqual([
    'text/html; charset=utf-8',
    'application/xml',
    'application/json',
    'text/plain; charset=utf-8',
    'text/markdown; charset=utf-8',
    'image/png',
    'application/pdf',
    'font/woff2',
    'application/octet-stream',
    'application/octet-stream',
  ]);
});

test('a folder without site.json is a site; what changes on disk changes in it', async () => {
  const folder = await writeSite('bare', { 'index.html': 'one' });
  const site = await openSite(folder);
  const home = async (): Promise<string> =>
    Buffer.from((await site.respond('/', origin)).body).toString();
  expect(await home()).toBe('one');
  await writeSite('bare', { 'index.html': 'two' });
  expect(await home()).toBe('two');
  expect(await site.respond('/no', origin)).toMatchObject({
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: Buffer.from('404 Not Found'),
  });
});

test.each([
  ['no-such-folder', {}, /There is no folder .*no-such-folder/],
  ['no-json', { 'site.json': '{' }, /site\.json is not JSON/],
  [
    'typo',
    { 'site.json': '{"responses":{"/a":{"staus":404}}}' },
    /"\/a" has an unknown key "staus"/,
  ],
])('%s cannot be opened', async (name, files, message) => {
  await writeSite(name, files);
  const error = await openSite(join(parent, name)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ValidationError);
  expect(String(error)).toMatch(message);
});

test('a folder is named by a file: URL as well, and by no other URL', async () => {
  const folder = await writeSite('by-url', { 'index.html': 'here' });
  const site = await openSite(pathToFileURL(`${folder}/`));
  expect(Buffer.from((await site.respond('/', origin)).body).toString()).toBe('here');
  const error = await openSite(new URL('https://site.test/')).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ValidationError);
  expect(String(error)).toContain('https://site.test/ is not a file: URL');
});

test('a file outside of the folder is refused', async () => {
  const rules = '{"responses":{"/a":{"file":"../secret.txt"}}}';
  const site = await openSite(await writeSite('outside', { 'site.json': rules }));
  await expect(site.respond('/a', origin)).rejects.toThrow(/outside/);
});
