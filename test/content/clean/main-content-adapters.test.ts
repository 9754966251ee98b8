import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseHTML } from 'linkedom';
import {
  createClient,
  defineFormat,
  type MainContentExtractor,
  type ScrapeOptions,
} from 'pagewright';
import type { MainContentInput } from '../../../src/core/model/page.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { supportedVersions } from '../../../src/core/runtime/optional-packages.ts';
import { heavyPage, turnsDuring, watchThreads } from '../../core/page/heavy-page.ts';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';

const url = 'https://site.test/posts/one';
const client = createClient();
afterAll(() => client.close());

const article = readFileSync(
  new URL('../../../fixtures/sites/blog/en/rye-bread.html', import.meta.url),
  'utf8',
);
const paragraph =
  '<p>A sentence of some length, with a comma or two, and a <a href="more">link</a> in it.</p>';

/** A page with a menu, an article and a footer. */
const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><title>A title</title>${head}</head><body>` +
  `<nav><a href="/">Start of the menu</a></nav>${body}<footer>End of the page</footer></body></html>`;

const scrape = (
  html: string,
  options: Omit<ScrapeOptions, 'formats'>,
): Promise<{ markdown: string; html: string; warning?: string }> =>
  client.scrape({ html, url }, { ...options, formats: ['markdown', 'html'] });

describe.each(['readability', 'defuddle'] as const)("mainContent: '%s'", (mainContent) => {
  it('gives the text of an article and nothing around it', async () => {
    const { markdown, warning } = await scrape(article, { mainContent });
    expect(warning).toBeUndefined();
    expect(markdown).toContain('It is closer to mortar than to cake');
    expect(markdown).toContain('| Wholemeal rye flour | 500 g | 100 % |');
    expect(markdown).toContain('On the tenth day, toast it');
    expect(markdown).not.toMatch(/Almanac|RSS|newsletter/i);
    expect(markdown).not.toBe((await scrape(article, {})).markdown);
  });

  it('resolves links against the base of the page', async () => {
    const body = `<article><h1>One</h1>${paragraph.repeat(8)}</article>`;
    const { markdown, html } = await scrape(page(body, '<base href="/elsewhere/">'), {
      mainContent,
    });
    expect(markdown).toContain('[link](https://site.test/elsewhere/more)');
    expect(html).toContain('href="https://site.test/elsewhere/more"');
    expect(markdown).not.toContain('menu');
  });

  it('leaves the ids of headings, so that passages know where they stand', async () => {
    const part = (heading: string): string => `${heading}${paragraph.repeat(12)}`;
    const body = `<article>${part('<h1>One</h1>')}${part('<h2 id="two">Two</h2>')}${part('<h2>Three <a class="anchor" href="#three">#</a></h2>')}</article>`;
    const { chunks } = await client.scrape(
      { html: page(body), url },
      { mainContent, formats: [{ type: 'chunks', maxTokens: 600 }] },
    );
    expect(chunks.map(({ anchor }) => anchor)).toEqual([url, `${url}#two`, `${url}#three`]);
  });

  it('sees nothing of what cleaning removes', async () => {
    const hidden = '<p style="display:none">Unseen words for programs.</p>';
    const body = `<article>${paragraph.repeat(4)}${hidden}<p class="gone">Gone.</p>${paragraph.repeat(4)}</article>`;
    const { markdown } = await scrape(page(body), { mainContent, excludeTags: ['.gone'] });
    expect(markdown).toContain('A sentence');
    expect(markdown).not.toMatch(/Unseen|Gone/);
  });

  it('gives the same where the caller is as on a thread', async () => {
    const { markdown } = await scrape(article, { mainContent });
    const here = defineFormat({ name: 'here', needs: 'page', run: () => true });
    const formats = ['markdown', here] as const;
    const document = await client.scrape({ html: article, url }, { mainContent, formats });
    expect(document.markdown).toBe(markdown);
  });

  it('reads even a light page on a thread', async () => {
    using threads = watchThreads();
    await using own = createClient();
    await own.scrape({ html: pageOf('Light'), url });
    expect(threads.started).toBe(0);
    await own.scrape({ html: pageOf('Light'), url }, { mainContent });
    expect(threads.started).toBe(1);
  });

  it('gives something of a page that is 1,000 levels deep', async () => {
    const body = `${'<div>'.repeat(1000)}${paragraph.repeat(5)}${'</div>'.repeat(1000)}`;
    const work = scrape(page(body), { mainContent, limits: { depth: 1000 }, timeout: 25_000 });
    const turns = await turnsDuring(work);
    expect((await work).markdown).toContain('A sentence');
    expect(turns).toBeGreaterThan(1);
  });

  it('ends at the deadline on a page that keeps it busy, while the process goes on', async () => {
    const level = `<div>${'<p>Words, more words, and more of them than a crumb.</p>'.repeat(20)}`;
    const work = scrape(page(level.repeat(1000)), {
      mainContent,
      limits: { depth: 1000 },
      timeout: 1000,
    });
    const outcome = expect(work).rejects.toMatchObject({ code: 'TIMEOUT', url });
    expect(await turnsDuring(work)).toBeGreaterThan(10);
    await outcome;
  });

  it('is refused where no main content is looked for', async () => {
    const refused = (other: string) => ({
      code: 'BAD_REQUEST',
      message: `scrape: mainContent: with ${other} no main content is extracted; leave out one of the two`,
    });
    await expect(
      scrape(page('<p>A'), { mainContent, onlyMainContent: false }),
    ).rejects.toMatchObject(refused('onlyMainContent: false'));
    await expect(
      scrape(page('<p>A'), { mainContent, includeTags: ['footer'] }),
    ).rejects.toMatchObject(refused('includeTags'));
    const { markdown } = await scrape(page('<p>A'), { mainContent, includeTags: [] });
    expect(markdown).toContain('A');
  });

  it('leaves a page without any text as it is', async () => {
    const { markdown, warning } = await scrape('<img src="a.png" alt="">', { mainContent });
    expect(markdown).toBe('![](https://site.test/posts/a.png)');
    expect(warning).toBeUndefined();
  });
});

describe('where nothing is found', () => {
  it('the whole page is given with a warning', async () => {
    const { markdown, warning } = await scrape(page('<p>Short.</p>'), {
      mainContent: () => undefined,
    });
    expect(markdown).toBe('[Start of the menu](https://site.test/)\n\nShort.\n\nEnd of the page');
    expect(warning).toBe('The main content was not found: the whole page is given.');
  });

  it.each<[string, MainContentExtractor]>([
    ['null', () => null],
    ['an empty text', () => ''],
    ['an empty element', () => '<div id="content"> </div>'],
    ['a script', () => '<script>let a;</script>'],
    ['a promise of nothing', () => Promise.resolve(undefined)],
  ])('%s is nothing', async (_, mainContent) => {
    const { markdown, warning } = await scrape(page('<p>Short.</p>'), { mainContent });
    expect(markdown).toContain('Short.');
    expect(warning).toContain('not found');
  });
});

describe('defuddle', () => {
  it('says nothing on the console about JSON-LD that cannot be read', async () => {
    const broken = '<script type="application/ld+json">{ "@type": </script>';
    const body = `<article>${paragraph.repeat(8)}</article>`;
    const { stderr, stdout } = await runNode(
      root,
      `const { scrape } = await import(${JSON.stringify(built)});
       const here = { name: 'here', needs: 'content', run: () => 1 };
       const { markdown } = await scrape(${JSON.stringify({ html: page(body, broken), url })}, { mainContent: 'defuddle', formats: ['markdown', here] });
       console.log(markdown.length > 100);`,
    );
    expect(stderr).toBe('');
    expect(stdout).toBe('true\n');
  });

  it('asks no other site for what the page lacks', async () => {
    const asked: unknown[] = [];
    const { fetch } = globalThis;
    globalThis.fetch = (target) => {
      asked.push(target);
      return Promise.reject(new Error('no network'));
    };
    try {
      const here = defineFormat({ name: 'here', needs: 'content', run: () => true });
      const target = { html: page('<p>Loading…</p>'), url: 'https://x.com/someone/status/1' };
      await client.scrape(target, { mainContent: 'defuddle', formats: ['markdown', here] });
    } finally {
      globalThis.fetch = fetch;
    }
    expect(asked).toEqual([]);
  });
});

describe('an extractor of the caller’s own', () => {
  const body = `<main><h1>One</h1>${paragraph}<script>var a;</script></main>`;

  it('gets the cleaned document with absolute URLs, and the address of the page', async () => {
    const inputs: MainContentInput[] = [];
    const mainContent: MainContentExtractor = (input) => {
      inputs.push(input);
      return input.html;
    };
    const { markdown } = await scrape(page(body, '<base href="/elsewhere/">'), { mainContent });
    const [input] = inputs;
    expect(inputs).toHaveLength(1);
    expect(input?.url).toBe(url);
    expect(input?.signal.aborted).toBe(false);
    expect(input?.html).toMatch(/^<html lang="en"><head><title>A title<\/title>/);
    expect(input?.html).toContain('href="https://site.test/elsewhere/more"');
    expect(input?.html).not.toContain('script');
    // A whole document is as good as a part of one.
    expect(markdown).toContain('Start of the menu');
  });

  it('gives HTML, whose relative links are resolved and whose scripts are no text', async () => {
    const { markdown, html } = await scrape(page(body), {
      mainContent: () => '<h2>Two</h2><p>See <a href="/b">b</a>.</p><script>let secret;</script>',
    });
    expect(markdown).toBe('## Two\n\nSee [b](https://site.test/b).');
    expect(html).toBe('<h2>Two</h2><p>See <a href="https://site.test/b">b</a>.</p>');
  });

  it('gives an element of any DOM, now or later', async () => {
    const mainContent: MainContentExtractor = async ({ html }) => {
      await Promise.resolve();
      return parseHTML(html).document.querySelector('h1');
    };
    expect((await scrape(page(body), { mainContent })).markdown).toBe('# One');
  });

  it('is held to the limits of a page', async () => {
    const mainContent = (): string => '<p>a</p>'.repeat(200);
    await expect(scrape(page(body), { mainContent, limits: { nodes: 100 } })).rejects.toMatchObject(
      { code: 'PARSE_LIMIT', url },
    );
  });

  it('may give a single image', async () => {
    const mainContent = (): string => '<img src="/a.png" alt="A">';
    const { markdown, warning } = await scrape(page(body), { mainContent });
    expect(markdown).toBe('![A](https://site.test/a.png)');
    expect(warning).toBeUndefined();
  });

  it('keeps the page where the caller is, however heavy', async () => {
    using threads = watchThreads();
    await using own = createClient();
    const mainContent = (): string => '<p>Short.</p>';
    const { markdown } = await own.scrape({ html: heavyPage(), url }, { mainContent });
    expect(markdown).toBe('Short.');
    expect(threads.started).toBe(0);
  });

  it('that throws is HOOK_FAILED with its name, for all of its ways to throw', async () => {
    const pickBody: MainContentExtractor = () => {
      throw new Error('no body today');
    };
    await expect(scrape(page(body), { mainContent: pickBody })).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      url,
      message: `The main content extractor "pickBody" threw for ${url}: no body today`,
    });
    const wrong = (() => 5) as unknown as MainContentExtractor;
    await expect(scrape(page(body), { mainContent: wrong })).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      message: expect.stringContaining('nothing, got 5') as string,
    });
    const rejecting = { mainContent: () => Promise.reject(new Error('later')) };
    await expect(scrape(page(body), rejecting)).rejects.toMatchObject({ code: 'HOOK_FAILED' });
  });

  it('gets the id of a heading back where one on the page has the same text, and no other', async () => {
    const own =
      '<h2 id="a">A</h2><h2 id="b1">B</h2><h2 id="b2">B</h2><section id="c"><h2>C</h2></section><h2 id="d">D</h2>';
    const mainContent = (): string =>
      '<h2> A </h2><h2>B</h2><h2>C</h2><p id="d">d</p><h2>D</h2><h2>E</h2>';
    const { html } = await scrape(page(own), { mainContent });
    expect(html).toBe(
      '<h2 id="a"> A </h2><h2>B</h2><h2 id="c">C</h2><p id="d">d</p><h2>D</h2><h2>E</h2>',
    );
  });

  it('is told when the scrape is aborted', async () => {
    const controller = new AbortController();
    let reason: unknown;
    const mainContent: MainContentExtractor = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(new Error('stopped'));
        });
        controller.abort();
      });
    const { signal } = controller;
    await expect(scrape(page(body), { mainContent, signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(reason).toMatchObject({ code: 'CANCELLED' });
  });

  it('reads every page of a crawl', async () => {
    const start = 'http://one.test/';
    const web = memoryWeb({
      [start]: pageOf('One', ['/two']),
      'http://one.test/two': pageOf('Two'),
    });
    await using own = createClient({ engines: [web] });
    const mainContent: MainContentExtractor = ({ url }) => `<p>Extracted of ${url}</p>`;
    const options = { sitemap: 'skip', scrapeOptions: { mainContent } } as const;
    const { data } = await own.crawl(start, options);
    expect(data.map(({ markdown }) => markdown)).toEqual([
      `Extracted of ${start}`,
      'Extracted of http://one.test/two',
    ]);
  });
});

describe('the option', () => {
  it('takes three names and functions', async () => {
    const mainContent = 'trafilatura' as 'defuddle';
    await expect(scrape('<p>a</p>', { mainContent })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message:
        'scrape: mainContent: expected one of "pagewright"|"readability"|"defuddle" or a function, got "trafilatura"',
    });
  });

  it("'pagewright' is the default", async () => {
    const named = await scrape(article, { mainContent: 'pagewright' });
    expect(named.markdown).toBe((await scrape(article, {})).markdown);
  });
});

const root = fileURLToPath(new URL('../../..', import.meta.url));
const built = new URL('../../../dist/index.js', import.meta.url).href;

/** Runs a module in a new process. */
const runNode = (cwd: string, code: string): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { cwd });

describe('without the optional packages', () => {
  let folder: string;

  /** The built package with what it depends on, and nothing else. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pagewright-'));
    const modules = join(folder, 'node_modules');
    const own = join(modules, 'pagewright');
    cpSync(join(root, 'dist'), join(own, 'dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(own, 'package.json'));
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(modules, name), 'dir');
    }
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const failures = (mainContent: string): string => `
    const { createClient } = await import('pagewright');
    const asked = [];
    const fetch = async ({ url }) => { asked.push(url); throw new Error('fetched'); };
    const client = createClient({ engines: [{ name: 'own', can: new Set(), cost: 0, fetch }] });
    const told = ({ name, code, packageName, message }) => ({ name, code, packageName, message });
    const mainContent = ${JSON.stringify(mainContent)};
    const scraped = await client.scrape('http://site.test/', { mainContent }).catch(told);
    let crawled;
    try { client.crawl('http://site.test/', { scrapeOptions: { mainContent } }); } catch (error) { crawled = told(error); }
    const { markdown } = await client.scrape({ html: '<p>Ours</p>', url: 'http://site.test/' });
    console.log(JSON.stringify({ scraped, crawled, asked, markdown }));`;

  it.each([
    ['readability', '@mozilla/readability'],
    ['defuddle', 'defuddle'],
  ] as const)('%s is refused before anything is fetched', async (mainContent, packageName) => {
    const { stdout } = await runNode(folder, failures(mainContent));
    const missing = {
      name: 'MissingDependencyError',
      code: 'MISSING_DEPENDENCY',
      packageName,
      message:
        `mainContent: '${mainContent}' needs the package "${packageName}", which is not installed. ` +
        `Run: npm install "${packageName}@${supportedVersions[packageName]}" "linkedom@>=0.16.0"`,
    };
    expect(JSON.parse(stdout)).toEqual({
      scraped: missing,
      crawled: missing,
      asked: [],
      markdown: 'Ours',
    });
  });
});
