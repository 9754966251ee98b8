import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineConformance, type SitePage } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixturesEngine } from '../../../src/entries/testing/fixtures.ts';
import { ValidationError } from '../../../src/core/runtime/errors.ts';
import type { PageRequest } from '../../../src/core/model/request.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'fixtures-engine-'));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

function request(url: string, given: Partial<PageRequest> = {}): PageRequest {
  const { signal } = new AbortController();
  return {
    url,
    headers: {},
    skipTlsVerification: true,
    limits: defaultLimits,
    rendering: {},
    signal,
    ...given,
  };
}

/** The pages as a folder: each body a numbered file, each path an entry of site.json. */
async function writePages(pages: Readonly<Record<string, SitePage>>): Promise<string> {
  const folder = await mkdtemp(join(parent, 'site-'));
  const responses: Record<string, object> = {};
  for (const [at, [path, page]] of Object.entries(pages).entries()) {
    const { body = '', ...rest } = typeof page === 'string' ? { body: page } : page;
    const file = `${at}.html`;
    await writeFile(join(folder, file), body);
    responses[path] = { ...rest, file };
  }
  await writeFile(join(folder, 'site.json'), JSON.stringify({ responses }));
  return folder;
}

describe('fixturesEngine conforms', () => {
  const suite = engineConformance(
    async (origin, pages) => fixturesEngine({ [origin]: await writePages(pages) }),
    { network: false },
  );
  for (const { name, run } of suite) test(name, run);
});

describe('the sites of this repository', () => {
  const engine = fixturesEngine({
    'https://tidewater.test': 'fixtures/sites/docs',
    'https://shop.test': 'fixtures/sites/shop',
    'https://blog.test/': 'fixtures/sites/blog',
  });

  test.each([
    ['https://tidewater.test/', 'Tidewater'],
    ['https://shop.test/', 'Fernhill'],
    ['https://blog.test/', 'Wandering Almanac'],
  ])('%s is about %s', async (url, words) => {
    const { statusCode, body } = await engine.fetch(request(url));
    expect(statusCode).toBe(200);
    expect(Buffer.from(body).toString()).toContain(words);
  });

  test('redirects of site.json and of folders are followed', async () => {
    const moved = await engine.fetch(request('https://tidewater.test/docs/install.html'));
    expect(moved).toMatchObject({
      statusCode: 200,
      url: 'https://tidewater.test/docs/getting-started/install.html',
      redirects: [
        'https://tidewater.test/docs/install.html',
        'https://tidewater.test/docs/install/',
      ],
      requests: 3,
      engine: 'fixtures',
    });
    const folder = await engine.fetch(request('https://tidewater.test/docs/concepts/glossary'));
    expect(folder.url).toBe('https://tidewater.test/docs/concepts/glossary/');
  });

  test('a gone page and a missing page have their status and their body', async () => {
    const gone = await engine.fetch(request('https://tidewater.test/docs/v1/'));
    expect(gone.statusCode).toBe(410);
    expect(gone.body.length).toBeGreaterThan(100);
    const missing = await engine.fetch(request('https://shop.test/products/none.html'));
    expect(missing.statusCode).toBe(404);
    expect(missing.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  test('the delay of site.json is waited for', async () => {
    const start = performance.now();
    await engine.fetch(request('https://tidewater.test/docs/reference/cheatsheet.txt'));
    expect(performance.now() - start).toBeGreaterThan(190);
  });

  test('legacy encodings come byte for byte', async () => {
    const { headers, body } = await engine.fetch(request('https://blog.test/ru/tides.html'));
    expect(headers['content-type']).toBe('text/html; charset=windows-1251');
    expect(new TextDecoder('windows-1251').decode(body)).toContain('Как читать таблицу приливов');
  });

  test('only the mapped origins are handled', async () => {
    expect(engine.handles?.('https://tidewater.test/any?thing')).toBe(true);
    expect(engine.handles?.('https://blog.test')).toBe(true);
    for (const url of ['http://tidewater.test/', 'https://tidewater.test:8443/', 'nonsense', '']) {
      expect(engine.handles?.(url)).toBe(false);
    }
    expect(engine).toMatchObject({ name: 'fixtures', cost: 0, can: new Set(['method']) });
    await expect(engine.fetch(request('https://other.test/'))).rejects.toMatchObject({
      code: 'CONNECTION_REFUSED',
      url: 'https://other.test/',
    });
  });
});

test('a redirect to an origin that is not mapped says so; one to a mapped origin is followed', async () => {
  const engine = fixturesEngine({
    'https://a.test': await writePages({
      '/out': { status: 302, headers: { location: 'https://other.test/' } },
      '/over': { status: 302, headers: { location: '//b.test/ü?#part' } },
    }),
    'https://b.test': await writePages({ '/ü': 'arrived' }),
  });
  await expect(engine.fetch(request('https://a.test/out'))).rejects.toMatchObject({
    code: 'CONNECTION_REFUSED',
    message: expect.stringContaining('https://other.test') as string,
  });
  const { url, body } = await engine.fetch(request('https://a.test/over#part'));
  expect([url, Buffer.from(body).toString()]).toEqual(['https://b.test/%C3%BC?', 'arrived']);
});

test.each(['site.test', 'https://site.test/docs', '', 'https://site.test?'])(
  '"%s" is no origin',
  (origin) => {
    expect(() => fixturesEngine({ [origin]: 'fixtures/sites/docs' })).toThrow(ValidationError);
  },
);

test('a folder that does not exist is told at the first fetch', async () => {
  const engine = fixturesEngine({ 'https://a.test': join(parent, 'nothing') });
  await expect(engine.fetch(request('https://a.test/'))).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('nothing') as string,
  });
});
