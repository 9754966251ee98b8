import { createClient, parse, scrape, turndownMarkdown } from 'pagewright';
import TurndownService from 'turndown';
import { describe, expect, it } from 'vitest';
import { watchThreads } from '../../core/page/heavy-page.ts';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';

const url = 'https://site.test/posts/one';

const service = (): TurndownService =>
  new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });

const html =
  '<html><head><title>T</title></head><body><nav><a href="/">Menu</a></nav><main><h1>One</h1>' +
  '<p>See <a href="../two">the second</a>, <mark>marked</mark>.</p>' +
  '<p><a href="javascript:alert(1)">run</a><script>alert(2)</script></p>' +
  '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></main></body></html>';

describe('turndownMarkdown', () => {
  it('writes the cleaned content with absolute URLs, and nothing that runs', async () => {
    const { markdown } = await scrape({ html, url }, { formats: [turndownMarkdown(service())] });
    expect(markdown).toBe(
      '# One\n\nSee [the second](https://site.test/two), marked.\n\nrun\n\na\n\nb\n\n1\n\n2',
    );
  });

  it('keeps the rules and plugins of the service', async () => {
    const turndown = service();
    turndown.addRule('mark', { filter: 'mark', replacement: (text) => `==${text}==` });
    turndown.use((plugged) => plugged.keep(['table']));
    const { markdown } = await scrape({ html, url }, { formats: [turndownMarkdown(turndown)] });
    expect(markdown).toContain('==marked==');
    expect(markdown).toContain('<table><tbody><tr><th>a</th><th>b</th></tr>');
  });

  it('follows the options of the scrape', async () => {
    const formats = [turndownMarkdown(service())] as const;
    const { markdown } = await scrape({ html, url }, { formats, onlyMainContent: false });
    expect(markdown).toContain('[Menu](https://site.test/)');
    const chosen = await scrape({ html, url }, { formats, includeTags: ['h1'] });
    expect(chosen.markdown).toBe('# One');
  });

  it('leaves out characters that nobody sees', async () => {
    const page = '<p>a\u202eb\u200b\u00adc</p>';
    const formats = [turndownMarkdown(service())] as const;
    expect((await scrape({ html: page, url }, { formats })).markdown).toBe('abc');
  });

  it('leaves what is not HTML to our own format', async () => {
    const formats = [turndownMarkdown(service())] as const;
    const { markdown } = await parse('{"a":1}', { contentType: 'application/json', url, formats });
    const ours = await parse('{"a":1}', { contentType: 'application/json', url });
    expect(markdown).toBe(ours.markdown);
    expect(markdown).toContain('"a"');
  });

  it('stands beside other formats, but not beside another markdown', async () => {
    const own = turndownMarkdown(service());
    const document = await scrape({ html, url }, { formats: ['links', own] });
    expect(Object.keys(document)).toEqual(['metadata', 'links', 'markdown']);
    await expect(scrape({ html, url }, { formats: ['markdown', own] })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'scrape: formats[1]: "markdown" is requested twice',
    });
  });

  it('says so when nothing is left of the page', async () => {
    const formats = [turndownMarkdown(service())] as const;
    const document = await scrape({ html: '<p>a</p>', url }, { formats, excludeTags: ['p'] });
    expect(document.markdown).toBe('');
    expect(document.warning).toBe('The page has no content.');
  });

  it('is HOOK_FAILED with the URL when turndown or a rule throws', async () => {
    const turndown = service();
    turndown.addRule('heading', {
      filter: 'h1',
      replacement: () => {
        throw new Error('no headings');
      },
    });
    const formats = [turndownMarkdown(turndown)] as const;
    await expect(scrape({ html, url }, { formats })).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      message: `The format "markdown" threw for ${url}: no headings`,
    });
  });

  it('is refused at once when it is no turndown, and HOOK_FAILED when it gives no text', async () => {
    const wrong: unknown[] = [undefined, null, 'atx', {}, TurndownService];
    for (const service of wrong) {
      expect(() => turndownMarkdown(service as TurndownService)).toThrow(
        expect.objectContaining({
          code: 'BAD_REQUEST',
          message: expect.stringMatching(/^turndownMarkdown: expected a TurndownService/) as string,
        }),
      );
    }
    const promising = { turndown: () => Promise.resolve('') as unknown as string };
    await expect(
      scrape({ html, url }, { formats: [turndownMarkdown(promising)] }),
    ).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      message: expect.stringContaining('expected markdown, got Promise') as string,
    });
  });

  it('survives a page that is 1,000 levels deep', async () => {
    const deep = `${'<div>'.repeat(1000)}<p>Bottom</p>`;
    const formats = [turndownMarkdown(service())] as const;
    const { markdown } = await scrape({ html: deep, url }, { formats, limits: { depth: 1000 } });
    expect(markdown).toBe('Bottom');
  });
});

describe('turndownMarkdown of a client', () => {
  it('is what markdown means, for scrapes without formats and for crawls', async () => {
    using threads = watchThreads();
    const start = 'http://one.test/';
    const web = memoryWeb({
      [start]: pageOf('One', ['/two']),
      'http://one.test/two': pageOf('Two'),
    });
    const turndown = { turndown: (page: string) => `${page.length} characters of HTML` };
    await using client = createClient({ engines: [web], formats: [turndownMarkdown(turndown)] });
    const { markdown } = await client.scrape(start);
    expect(markdown).toMatch(/^\d+ characters of HTML$/);
    const named = await client.scrape(start, { formats: ['markdown', 'links'] });
    expect(named.markdown).toBe(markdown);
    const { data } = await client.crawl(start, { sitemap: 'skip' });
    expect(data.map((page) => page.markdown)).toEqual([
      markdown,
      expect.stringMatching(/^\d+ characters of HTML$/),
    ]);
    expect(threads.started).toBe(0);
  });

  it.each(['links', 'metadata', 'plainMarkdown', '__proto__'])(
    'is the only built-in name that a format of a client may have: not %s',
    (name) => {
      const run = (): string => '';
      expect(() => createClient({ formats: [{ name, needs: 'content', run }] })).toThrow(
        'only markdown can be replaced',
      );
    },
  );
});
