/** Fuzzes sitemaps and feeds: XML, text, JSON, gzip, whole and damaged. src/core/frontier. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect } from 'vitest';
import { parseSitemap } from '../../src/core/frontier/sitemaps/parse-sitemap.ts';
import { normalizeUrl } from '../../src/core/url/normalize-url.ts';
import { fuzzTest } from './fuzz-test.ts';
import { mutate, mutations, soup } from './mutations.ts';
import { cpuTime } from '../support/cpu-time.ts';

const home = 'https://example.test/sitemap.xml';

/** Paths of pages; names of sitemap files would move the entry to the other list. */
const pageUrl = fc
  .tuple(
    fc.constantFrom(
      'https://example.test/',
      'http://other.test/a/',
      'https://example.test:8443/ü/',
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('', '?a=1&b=2', '?q=<x>', '?amp=1&lt=2'),
  )
  // White space at its end is not part of a URL in a file.
  .map(([base, name, query]) => normalizeUrl(new URL(encodeURIComponent(name) + query, base), {}));
const date = fc.option(
  fc.constantFrom('2024-05-01', '2024-05-01T10:00:00Z', '2024-05-01T10:00:00+02:00'),
  {
    nil: undefined,
  },
);
const entries = fc.array(fc.record({ url: pageUrl, lastmod: date }), {
  minLength: 1,
  maxLength: 8,
});
type Entry = typeof entries extends fc.Arbitrary<readonly (infer Item)[]> ? Item : never;

function escape(text: string, style: 'entities' | 'cdata' | 'numbers'): string {
  if (style === 'cdata') return `<![CDATA[${text}]]>`;
  return text.replace(/[&<>"']/g, (character) => {
    if (style === 'numbers') return `&#x${character.charCodeAt(0).toString(16)};`;
    return { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[character] ?? '&apos;';
  });
}

type Kind = 'urlset' | 'prefixed' | 'atom' | 'rss' | 'text' | 'json';

function write(
  kind: Kind,
  list: readonly Entry[],
  style: 'entities' | 'cdata' | 'numbers',
): string {
  const many = (each: (url: string, lastmod: string | undefined) => string): string =>
    list.map(({ url, lastmod }) => each(escape(url, style), lastmod)).join('\n');
  const tag = (name: string, text: string | undefined): string =>
    text === undefined ? '' : `<${name}>${text}</${name}>`;
  switch (kind) {
    case 'urlset':
      return `<?xml version="1.0"?>\n<urlset>${many((url, lastmod) => `<url>${tag('loc', ` ${url}\n`)}${tag('lastmod', lastmod)}</url>`)}</urlset>`;
    case 'prefixed':
      return `<s:urlset xmlns:s="x">${many((url, lastmod) => `<s:url>${tag('s:lastmod', lastmod)}${tag('s:loc', url)}</s:url>`)}</s:urlset>`;
    case 'atom':
      return `<feed>${list.map(({ url, lastmod }) => `<entry><link href="${escape(url, style === 'numbers' ? style : 'entities')}"/>${tag('updated', lastmod)}</entry>`).join('')}</feed>`;
    case 'rss':
      return `<rss><channel>${many((url) => `<item>${tag('link', url)}</item>`)}</channel></rss>`;
    case 'text':
      return list.map(({ url }) => url).join('\n');
    case 'json':
      return JSON.stringify({ items: list.map(({ url }) => ({ url })) });
  }
}

const kind = fc.constantFrom<Kind>('urlset', 'prefixed', 'atom', 'rss', 'text', 'json');
const style = fc.constantFrom('entities' as const, 'cdata' as const, 'numbers' as const);
const wrapping = fc.constantFrom<(bytes: Buffer) => Buffer>(
  (bytes) => bytes,
  (bytes) => gzipSync(bytes),
  (bytes) => gzipSync(gzipSync(bytes)),
  (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
);

fuzzTest(
  'what is written as a sitemap or feed is read as it was',
  { runs: 500, share: 3 },
  fc.asyncProperty(kind, entries, style, wrapping, async (kind, list, style, wrap) => {
    const content = await parseSitemap(wrap(Buffer.from(write(kind, list, style))), home);
    expect(content.urls.map(({ url }) => url)).toEqual(list.map(({ url }) => url));
    expect(content.warnings).toEqual([]);
    if (kind === 'urlset' || kind === 'prefixed' || kind === 'atom') {
      expect(content.urls.map(({ lastmod }) => lastmod)).toEqual(
        list.map(({ lastmod }) => lastmod),
      );
    }
  }),
);

const tokens = [
  '<',
  '>',
  '</',
  '/>',
  '&',
  '&amp;',
  '&e;',
  '&#0;',
  '&#x110000;',
  ']]>',
  '<![CDATA[',
  '<!--',
  '-->',
  '"',
  '<?xml version="1.0" encoding="utf-16"?>',
  '<?xml encoding="none"?>',
  '<urlset>',
  '</urlset>',
  '<url>',
  '<loc>',
  '</loc>',
  '<sitemapindex>',
  '<sitemap>',
  '<feed>',
  '<entry>',
  '<rss>',
  '<item>',
  '<link/>',
  '<!DOCTYPE x [<!ENTITY e "https://example.test/EXPANDED"><!ENTITY f "&e;&e;">]>',
  '<lastmod>soon</lastmod>',
  '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
  '<html>',
  '{"items":[',
  '[',
  '{}',
  '\0',
  '\ufffe',
  'javascript:alert(1)',
  'data:,x',
  'https://user:pass@example.test/',
  '//other.test/',
  '/page',
  '\u202e',
  '<a>'.repeat(300),
  ` x="1"`.repeat(300),
  'https://example.test/a\n'.repeat(50),
  '\x1f\x8b\x08',
];
const file = fc.oneof(
  fc
    .tuple(kind, entries, style)
    .map(([kind, list, style]) => Buffer.from(write(kind, list, style))),
  soup(tokens, 60).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

fuzzTest(
  'any file gives absolute web URLs and warnings, the same ones each time, and soon',
  { runs: 500, share: 5 },
  fc.asyncProperty(
    file,
    mutations(tokens),
    wrapping,
    mutations(['\0'], 1),
    async (bytes, changes, wrap, damage) => {
      const sent = mutate(wrap(mutate(bytes, changes)), damage);
      const start = cpuTime();
      const content = await parseSitemap(sent, home);
      expect(cpuTime() - start).toBeLessThan(2_000);
      expect(await parseSitemap(sent, home)).toEqual(content);
      for (const { url } of [...content.urls, ...content.sitemaps]) {
        const parsed = new URL(url);
        expect(parsed.protocol).toMatch(/^https?:$/);
        expect(parsed.username + parsed.password).toBe('');
        expect(normalizeUrl(parsed, {})).toBe(url);
      }
    },
  ),
);

const marker = 'https://example.test/expanded';

fuzzTest(
  'entities of a document type are never expanded or fetched',
  { runs: 150, share: 1 },
  fc.asyncProperty(
    fc.constantFrom(
      `"${marker}"`,
      'SYSTEM "file:///etc/hostname"',
      '"&b;&b;&b;&b;"',
      'PUBLIC "x" "http://127.0.0.1/"',
    ),
    fc.constantFrom('&a;', '&#38;a;', '&amp;a;', '%a;', '<![CDATA[&a;]]>'),
    async (value, use) => {
      const doctype = `<!DOCTYPE urlset [<!ENTITY a ${value}><!ENTITY b "${marker}"><!ENTITY % c "${marker}">]>`;
      const text = `<?xml version="1.0"?>${doctype}<urlset><url><loc>${use}</loc></url></urlset>`;
      const { urls } = await parseSitemap(Buffer.from(text), home);
      expect(JSON.stringify(urls)).not.toContain(marker);
    },
  ),
);
