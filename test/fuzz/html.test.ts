/** Fuzzes whole pages through parse(): parsers, cleaning, every format. */
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { type Document, PagewrightError, parse } from 'pagewright';
import { beforeAll, expect } from 'vitest';
import { fuzzTest } from './fuzz-test.ts';
import { page } from './pages.ts';
import { parseHtml } from '../../src/content/html/parse.ts';
import { defaultLimits } from '../../src/core/model/limits.ts';
import { cpuTime } from '../support/cpu-time.ts';

const url = 'https://example.test/dir/page.html?x=1';

const formats = [
  ...([
    'markdown',
    'html',
    'rawHtml',
    'links',
    'images',
    'tables',
    'summary',
    'structuredData',
    'product',
  ] as const),
  { type: 'chunks', maxTokens: 32, overlap: 8 },
  { type: 'attributes', selectors: [{ selector: 'a', attribute: 'href' }] },
  {
    type: 'json',
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        price: { type: 'number' },
        released: { type: 'string', format: 'date' },
        rows: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    },
  },
] as const;

/** Milliseconds for one page of a few kilobytes. */
const soon = 8_000;

const options = fc.record({
  onlyMainContent: fc.boolean(),
  blockAds: fc.boolean(),
  contentType: fc.constantFrom(
    ...[
      'text/html',
      'text/html; charset=utf-8',
      'text/html; charset=windows-1252',
      'application/xhtml+xml',
    ],
  ),
});

// Loading the modules takes longer than a busy machine leaves for the first page.
beforeAll(() => read('<p>a', { contentType: 'text/html' }), 120_000);

fuzzTest(
  'any bytes as HTML are a document that is safe to hand on, the same one each time',
  { runs: 150, share: 15 },
  fc.asyncProperty(page, options, async (source, given) => {
    const start = cpuTime();
    const document = await read(source, given);
    expect(cpuTime() - start).toBeLessThan(soon);
    const again = await read(source, given);
    if (document === undefined || again === undefined) {
      expect(again).toBe(document);
      return;
    }
    // What the test does is no part of a stretch of reading.
    for (const check of [expectSame, expectFacts, expectPlain, expectSafe]) {
      await setImmediate();
      check(document, again);
    }
  }),
);

/** Few names in a page, so that the rules for them meet. */
const tagSoup = fc
  .uniqueArray(
    fc.constantFrom(
      ...'head body template noscript table tr caption colgroup select p svg title frameset meta'.split(
        ' ',
      ),
    ),
    { minLength: 2, maxLength: 3 },
  )
  .chain((names) =>
    fc.array(fc.constantFrom('x', ' ', ...names.flatMap((name) => [`<${name}>`, `</${name}>`])), {
      maxLength: 30,
      size: 'max',
    }),
  )
  .map((pieces) => pieces.join(''));

fuzzTest(
  'tags in any order end in a tree',
  { runs: 150, share: 2 },
  fc.property(fc.array(tagSoup, { minLength: 100, maxLength: 100 }), (sources) => {
    for (const source of sources) {
      expect(parseHtml(source, defaultLimits).documentElement.localName).toBe('html');
    }
  }),
);

fuzzTest(
  'any bytes under any media type are a document or an error of the table',
  { runs: 100, share: 6 },
  fc.asyncProperty(
    page,
    fc.constantFrom(
      ...[
        'text/plain',
        'text/markdown',
        'application/json',
        'application/xml',
        'image/svg+xml',
        'text/csv',
      ],
      ...[
        'application/rss+xml',
        'application/octet-stream',
        'image/png',
        'application/pdf',
        'x',
        '',
      ],
    ),
    async (source, contentType) => {
      const document = await read(source, { contentType });
      if (document === undefined) return;
      expectPlain(document);
      for (const link of document.links) expect(link).toMatch(/^https?:\/\//);
    },
  ),
);

fuzzTest(
  'what the html format gives is read again without a failure, as main content and as a whole',
  { runs: 60, share: 3 },
  fc.asyncProperty(page, fc.boolean(), async (source, onlyMainContent) => {
    const document = await read(source, {
      contentType: 'text/html; charset=utf-8',
      onlyMainContent,
    });
    // A NUL character stays in it, and makes it look like a binary file.
    if (document === undefined || document.html.includes('\0')) return;
    const again = await parse(document.html, {
      contentType: 'text/html',
      url,
      onlyMainContent: false,
    });
    expect(typeof again.markdown).toBe('string');
  }),
);

type Read = Document<typeof formats>;

/** The document, or undefined for an error that pages may cause. */
async function read(page: string, options: object): Promise<Read | undefined> {
  try {
    return await parse(Buffer.from(page, 'latin1'), { ...options, url, formats });
  } catch (error) {
    expect(error).toBeInstanceOf(PagewrightError);
    const { code } = error as PagewrightError;
    expect(['PARSE_LIMIT', 'UNSUPPORTED_CONTENT', 'PDF_DAMAGED', 'EXTRACT_INVALID']).toContain(
      code,
    );
    return undefined;
  }
}

function expectSame(document: Read, again: Read): void {
  expect(withoutId(again)).toEqual(withoutId(document));
}

function withoutId({ metadata: { scrapeId: _, ...metadata }, ...fields }: Read): unknown {
  return { ...fields, metadata };
}

/** What a page says of itself does not replace what is known about it. */
function expectFacts({ metadata }: Read): void {
  expect(metadata).toMatchObject({ url, sourceURL: url, statusCode: 200, engine: 'none' });
  expect(metadata.scrapeId).toMatch(/^[0-9a-f-]{36}$/);
}

/** Nothing but plain data, as JSON can carry it, and nothing of it in a prototype. */
function expectPlain(document: Read): void {
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  expect('polluted' in {}).toBe(false);
  expect(JSON.parse(JSON.stringify(document))).toBeTypeOf('object');
  // One expectation for all of them: there may be thousands.
  const odd: unknown[] = [];
  const rest: unknown[] = [document];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (typeof value === 'number' && !Number.isFinite(value)) odd.push(value);
    if (typeof value !== 'object' || value === null) continue;
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = [Object.prototype, Array.prototype, null].includes(prototype as null);
    // Where it is a name like any other it does no harm.
    if (!isPlain || (prototype !== null && Object.hasOwn(value, '__proto__'))) odd.push(value);
    rest.push(...Object.values(value).filter((one) => one !== undefined));
  }
  expect(odd).toEqual([]);
}

/** Links lead to the web, once each; no link of the markdown runs code. */
function expectSafe({ links, images, markdown }: Read): void {
  for (const list of [links, images]) {
    expect(new Set(list).size).toBe(list.length);
    for (const link of list) {
      expect(new URL(link).href).toBe(link);
      expect(link).toMatch(/^https?:\/\//);
    }
  }
  expect(markdown).not.toMatch(unseen);
  const prose = withoutCode(markdown);
  expect(linkTargets(prose).filter((target) => codeUrl.test(target))).toEqual([]);
  expect(prose).not.toMatch(/(?<!\\)<(?:javascript|vbscript|data|blob):[^\s<>]*>/i);
  expect(prose).not.toMatch(
    /^ {0,3}\[(?:\\.|[^\]\\^])+\]:\s*<?(?:javascript|vbscript|data|blob):/im,
  );
}

/** Controls, and what turns the direction of text around (CVE-2021-42574). */
const unseen = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const codeUrl = /^<?\s*(?:javascript|vbscript|data|blob):/i;

/** What follows `](` where a bracket is open (CommonMark 0.31, 6.3). */
function linkTargets(markdown: string): string[] {
  const targets: string[] = [];
  for (const block of markdown.split(/\n\s*\n/)) {
    let open = 0;
    for (const { 0: mark, index } of block.matchAll(/\\[^]|\[|\](?:\(\s*)?/g)) {
      if (mark === '[') open += 1;
      if (!mark.startsWith(']') || open === 0) continue;
      open -= 1;
      if (mark.length > 1) targets.push(block.slice(index + mark.length, index + 100));
    }
  }
  return targets;
}

/** Markdown without fenced blocks and code spans, where anything may stand. */
function withoutCode(markdown: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split('\n')) {
    const [, mark = ''] = /^[\s>*+\d.-]*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined && mark !== '') fence = mark;
    else if (fence !== undefined && mark.startsWith(fence) && line.trim().endsWith(mark))
      fence = undefined;
    else if (fence === undefined) kept.push(line);
  }
  return kept.join('\n').replace(/(?<![\\`])(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, '');
}
