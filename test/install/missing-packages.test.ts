/** The built package beside optional packages that are missing, of a version that does not work, or damaged. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { supportedVersions } from '../../src/core/runtime/optional-packages.ts';
import { requireBuild } from '../entries/cli/run-pagewright.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
};

test('package.json names the same optional packages, and lets npm install any version', () => {
  const installed = Object.keys(manifest.optionalDependencies);
  expect(installed).toEqual(['got-scraping']);
  const names = Object.keys(supportedVersions).filter((name) => !installed.includes(name));
  expect(manifest.peerDependencies).toEqual(Object.fromEntries(names.map((name) => [name, '*'])));
  expect(manifest.peerDependenciesMeta).toEqual(
    Object.fromEntries(names.map((name) => [name, { optional: true }])),
  );
});

describe('in a project', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pagewright-missing-'));
  const modules = join(folder, 'node_modules');

  /** The built package with what it depends on, and nothing else. */
  beforeAll(() => {
    requireBuild();
    const own = join(modules, 'pagewright');
    cpSync(join(root, 'dist'), join(own, 'dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(own, 'package.json'));
    for (const name of Object.keys(manifest.dependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(modules, name), 'dir');
    }
  });

  beforeEach(() => {
    for (const name of Object.keys(supportedVersions)) {
      rmSync(join(modules, name), { recursive: true, force: true });
    }
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function place(name: string, version: string, code = 'throw new Error("It is damaged.");'): void {
    mkdirSync(join(modules, name), { recursive: true });
    const own = { name, version, main: 'index.js', exports: { '.': './index.js' } };
    writeFileSync(join(modules, name, 'package.json'), JSON.stringify(own));
    writeFileSync(join(modules, name, 'index.js'), code);
  }

  async function program(code: string): Promise<unknown> {
    const told = `const told = ({ name, code, packageName, installedVersion, message }) =>
      ({ name, code, packageName, installedVersion, message });`;
    const words = ['--input-type=module', '--eval', `${told}\n${code}`];
    const { stdout } = await run(process.execPath, words, { cwd: folder });
    return JSON.parse(stdout);
  }

  /** Calls that name what needs a package, by the package. */
  const calls = `
    import { createClient } from 'pagewright';
    import { tesseractOcr } from 'pagewright/ocr';
    import { redisStore, s3Store, sqliteStore } from 'pagewright/storage';
    import { fleet } from 'pagewright/fleet';
    const keys = { accessKeyId: 'a', secretAccessKey: 'b' };
    const calls = {
      'playwright-core': () => createClient({ browser: { maxPages: 2 } }),
      '@ghostery/adblocker': () =>
        createClient({ browser: { browser: { newContext() {} }, filterLists: ['||ads.test^'] } }),
      impit: () => createClient({ stealth: 'impit' }),
      'tesseract.js': () => createClient({ ocr: tesseractOcr() }),
      redis: () => redisStore({ url: 'redis://127.0.0.1:1' }),
      aws4fetch: () => s3Store({ bucket: 'crawls', endpoint: 'http://127.0.0.1:1', ...keys }),
      bullmq: () => fleet({ redis: 'redis://127.0.0.1:1' }),
      '@mozilla/readability': () =>
        createClient().crawl('http://site.test/', { scrapeOptions: { mainContent: 'readability' } }),
      ...(process.getBuiltinModule('node:sqlite') === undefined && {
        '@photostructure/sqlite': () => sqliteStore({ file: 'pages.db' }),
      }),
    };
    const outcomes = {};
    for (const [name, call] of Object.entries(calls)) {
      try {
        call();
        outcomes[name] = 'passed';
      } catch (error) {
        outcomes[name] = told(error);
      }
    }
    console.log(JSON.stringify(outcomes));
    process.exit();`;
  type Outcomes = Readonly<Record<string, { readonly message: string }>>;

  it('a client, store or fleet that needs a missing package is refused when it is made', async () => {
    const outcomes = (await program(calls)) as Outcomes;
    expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(8);
    for (const [packageName, outcome] of Object.entries(outcomes)) {
      expect(outcome).toMatchObject({
        name: 'MissingDependencyError',
        code: 'MISSING_DEPENDENCY',
        packageName,
      });
      expect(outcome).not.toHaveProperty('installedVersion');
      expect(outcome.message).toMatch(/ is not installed\. Run: npm install "/);
    }
    expect(outcomes['playwright-core']?.message).toBe(
      'createClient({ browser }) needs the package "playwright-core", which is not installed. ' +
        'Run: npm install "playwright-core@>=1.50.0"',
    );
    // One command for all that is missing.
    expect(outcomes['bullmq']?.message).toContain('npm install "bullmq@>=6.7.0" "redis@>=5.0.0"');
  });

  it('a version that does not work is refused at the same place, and named', async () => {
    const wrong = {
      'playwright-core': '1.49.1',
      '@ghostery/adblocker': '1.40.0',
      impit: '0.13.9',
      'tesseract.js': '8.0.0-beta.1',
      redis: '4.7.0',
      aws4fetch: '0.9.0',
      bullmq: '5.70.0',
      '@mozilla/readability': '0.4.4',
      '@photostructure/sqlite': '1.1.9',
    };
    for (const [name, version] of Object.entries(wrong)) place(name, version);
    place('linkedom', '0.16.0');
    const outcomes = (await program(calls)) as Outcomes;
    for (const [packageName, outcome] of Object.entries(outcomes)) {
      const installedVersion = wrong[packageName as keyof typeof wrong];
      expect(outcome).toMatchObject({ code: 'MISSING_DEPENDENCY', packageName, installedVersion });
    }
    expect(outcomes['tesseract.js']?.message).toBe(
      'tesseractOcr() needs the package "tesseract.js", which is installed in version 8.0.0-beta.1; ' +
        'supported are >=4.0.0 and <8.0.0. Run: npm install "tesseract.js@>=4.0.0 <8.0.0"',
    );
  });

  it('a version that works is not loaded when the client is made', async () => {
    const versions: Readonly<Record<string, string>> = supportedVersions;
    for (const name of Object.keys(supportedVersions)) {
      place(name, versions[name]?.match(/[\d.]+/)?.[0] ?? '');
    }
    const outcomes = (await program(calls)) as Outcomes;
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['passed']));
  });

  it('a package that is there and cannot be loaded is told with the reason', async () => {
    place('redis', '6.3.1');
    const outcome = await program(`
      import { redisStore } from 'pagewright/storage';
      const store = redisStore({ url: 'redis://127.0.0.1:1' });
      console.log(JSON.stringify(await store.get('a').catch(told)));
      process.exit();`);
    expect(outcome).toMatchObject({
      code: 'MISSING_DEPENDENCY',
      message:
        'redisStore() needs the package "redis", which cannot be loaded: It is damaged. Run: npm install "redis@>=5.0.0"',
    });
  });

  it('stealth that is asked for says what to install; auto does without it', async () => {
    const outcome = await program(`
      import { createClient } from 'pagewright';
      import { serve } from 'pagewright/testing';
      const site = await serve({
        '/refused': { status: 403, body: '<title>No</title><p>Members only.</p>' },
        '/empty': { status: 403, body: '' },
      });
      const client = createClient({ browser: false, network: { allow: ['127.0.0.1'] } });
      const asked = await client.scrape(site.url('/refused'), { proxy: 'stealth' }).catch(told);
      const { metadata, warning } = await client.scrape(site.url('/refused'));
      const { statusCode, proxyUsed, creditsUsed } = metadata;
      const empty = await client.scrape(site.url('/empty')).catch(told);
      const requests = site.log.length;
      console.log(JSON.stringify({ asked, statusCode, proxyUsed, creditsUsed, warning, empty, requests }));
      process.exit();`);
    const message =
      `proxy: 'stealth' needs the package "got-scraping", which is not installed. ` +
      'Run: npm install "got-scraping@>=4.2.1"';
    expect(outcome).toEqual({
      asked: {
        name: 'MissingDependencyError',
        code: 'MISSING_DEPENDENCY',
        packageName: 'got-scraping',
        message,
      },
      statusCode: 403,
      proxyUsed: 'basic',
      creditsUsed: 1,
      warning: `Stealth was not tried, because ${message}`,
      empty: {
        name: 'PagewrightError',
        code: 'BLOCKED_BY_SITE',
        message: expect.stringMatching(/no content\. Stealth was not tried, because proxy/),
      },
      requests: 2,
    });
  });

  it('entries for a framework that is missing are imported, and say what to install when they are used', async () => {
    const outcome = await program(`
      import 'pagewright/ai';
      import { PagewrightLoader } from 'pagewright/langchain';
      import { PagewrightReader } from 'pagewright/llamaindex';
      import { instrumentPagewright } from 'pagewright/opentelemetry';
      const calls = [
        () => new PagewrightLoader({ url: 'http://site.test/' }),
        () => new PagewrightReader({ url: 'http://site.test/' }),
        () => instrumentPagewright(),
      ];
      const outcomes = calls.map((call) => {
        try {
          return call();
        } catch (error) {
          return told(error);
        }
      });
      console.log(JSON.stringify(outcomes));
      process.exit();`);
    expect(outcome).toMatchObject([
      { code: 'MISSING_DEPENDENCY', packageName: '@langchain/core' },
      { code: 'MISSING_DEPENDENCY', packageName: '@llamaindex/core' },
      {
        code: 'MISSING_DEPENDENCY',
        message:
          'pagewright/opentelemetry needs the package "@opentelemetry/api", which is not installed. Run: npm install "@opentelemetry/api@>=1.9.0"',
      },
    ]);
  });

  it('xlsx and xls say what to install; all other files are read', async () => {
    const files = join(root, 'fixtures', 'files');
    const outcome = await program(`
      import { readFileSync } from 'node:fs';
      import { parse } from 'pagewright';
      const read = (path, options = {}) =>
        parse(readFileSync(${JSON.stringify(files)} + path), { url: 'http://site.test' + path, ...options })
          .catch(told);
      const refused = [await read('/xlsx/ledger.xlsx'), await read('/xls/ledger.xls')];
      const others = [await read('/ods/ledger.ods'), await read('/docx/letter.docx'), await read('/csv/prices.csv')];
      console.log(JSON.stringify({ refused, others: others.map(({ markdown }) => markdown.length > 100) }));`);
    const missing = {
      name: 'MissingDependencyError',
      code: 'MISSING_DEPENDENCY',
      packageName: '@e965/xlsx',
      message:
        'Reading a workbook needs the package "@e965/xlsx", which is not installed. Run: npm install "@e965/xlsx@>=0.20.3"',
    };
    expect(outcome).toEqual({ refused: [missing, missing], others: [true, true, true] });
  });
});
