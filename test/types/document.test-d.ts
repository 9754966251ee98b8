import {
  type Chunk,
  createClient,
  crawl,
  defineFormat,
  extract,
  type FormatInput,
  type MainContentExtractor,
  type Metadata,
  scrape,
  turndownMarkdown,
} from 'pagewright';
import TurndownService from 'turndown';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

const wordCount = defineFormat({
  name: 'wordCount',
  needs: 'content',
  run: (page) => (page.kind === 'html' ? (page.root.textContent ?? '').split(/\s+/).length : 0),
});

export async function exactlyTheFormatsAskedFor(): Promise<void> {
  const byDefault = await scrape('https://example.com');
  expectTypeOf(byDefault.markdown).toEqualTypeOf<string>();
  expectTypeOf(byDefault.metadata).toEqualTypeOf<Metadata>();
  // @ts-expect-error -- html was not asked for
  void byDefault.html;

  const two = await scrape('https://example.com', { formats: ['links', { type: 'html' }] });
  expectTypeOf(two.links).toEqualTypeOf<string[]>();
  expectTypeOf(two.html).toEqualTypeOf<string>();
  // @ts-expect-error -- markdown was not asked for
  void two.markdown;

  const nothing = await scrape('https://example.com', { formats: [] });
  // @ts-expect-error -- no format was asked for
  void nothing.markdown;
}

export async function optionsOfAFormatMayBeLeftOut(): Promise<void> {
  const countTokens = (text: string): number => text.length;
  const page = await scrape('https://example.com', {
    formats: [{ type: 'chunks', maxTokens: 300, countTokens }, 'summary'],
  });
  expectTypeOf(page.chunks).toEqualTypeOf<Chunk[]>();
  expectTypeOf(page.summary).toEqualTypeOf<string>();
  expectTypeOf(page.metadata.summaryMethod).toEqualTypeOf<'extractive' | 'model' | undefined>();
  const written = await scrape('https://example.com', {
    formats: [
      'links',
      { type: 'chunks', maxTokens: undefined, countTokens: (text) => text.length },
    ],
  });
  expectTypeOf(written.chunks).toEqualTypeOf<Chunk[]>();
  expectTypeOf(written.links).toEqualTypeOf<string[]>();
  // @ts-expect-error -- markdown was not asked for
  void written.markdown;
  const { data } = await crawl('https://example.com', {
    scrapeOptions: () => ({ formats: [{ type: 'chunks', countTokens: (text) => text.length }] }),
  });
  expectTypeOf(data[0]?.chunks).toEqualTypeOf<Chunk[] | undefined>();
  const byName = await scrape('https://example.com', { formats: ['chunks'] });
  expectTypeOf(byName.chunks[0]?.headingPath).toEqualTypeOf<string[] | undefined>();
  // @ts-expect-error -- tokens are a number
  void scrape('https://example.com', { formats: [{ type: 'chunks', maxTokens: '300' }] });
}

export async function aListThatIsNotKnownGivesFieldsThatMayBeMissing(
  formats: readonly FormatInput[],
  names: ('links' | 'html')[],
): Promise<void> {
  const any = await scrape('https://example.com', { formats });
  expectTypeOf(any.markdown).toEqualTypeOf<string | undefined>();
  const some = await scrape('https://example.com', { formats: names });
  expectTypeOf(some.links).toEqualTypeOf<string[] | undefined>();
  const { data } = await crawl('https://example.com', { scrapeOptions: { formats } });
  expectTypeOf(data[0]?.markdown).toEqualTypeOf<string | undefined>();
}

export async function jsonIsTypedByItsSchema(): Promise<void> {
  const schema = z.object({ name: z.string(), price: z.number().optional() });
  const page = await scrape('https://example.com', {
    formats: ['markdown', { type: 'json', schema }],
  });
  expectTypeOf(page.json).toEqualTypeOf<{ name: string; price?: number | undefined }>();
}

export async function provenanceIsThereWhenAskedFor(formats: FormatInput[]): Promise<void> {
  const schema = z.object({ name: z.string() });
  const asked = await scrape('https://example.com', {
    formats: [{ type: 'json', schema, provenance: true }],
  });
  expectTypeOf(asked.json).toEqualTypeOf<{ name: string }>();
  expectTypeOf(asked.jsonProvenance['name']?.status).toEqualTypeOf<
    'supported' | 'unverified' | 'notFound' | undefined
  >();
  const plain = await scrape('https://example.com', {
    formats: [{ type: 'json', schema, unverified: 'null' }],
  });
  // @ts-expect-error -- it was not asked for
  void plain.jsonProvenance;
  const any = await scrape('https://example.com', { formats });
  expectTypeOf(any.jsonProvenance?.['name']?.quote).toEqualTypeOf<string | null | undefined>();
  // @ts-expect-error -- no such choice
  void scrape('https://example.com', { formats: [{ type: 'json', schema, unverified: 'drop' }] });
}

export async function extractTellsProvenanceWhenAskedFor(maybe: boolean): Promise<void> {
  const options = { urls: ['https://example.com'], schema: z.object({ name: z.string() }) };
  const asked = await extract({ ...options, provenance: true });
  expectTypeOf(asked.provenance['name']?.start).toEqualTypeOf<number | null | undefined>();
  expectTypeOf(asked.data).toEqualTypeOf<{ name: string }>();
  const plain = await extract(options);
  // @ts-expect-error -- it was not asked for
  void plain.provenance;
  const perhaps = await extract({ ...options, provenance: maybe });
  expectTypeOf(perhaps.provenance?.['name']?.end).toEqualTypeOf<number | null | undefined>();
}

export async function ownFormatsAreTypedByValue(): Promise<void> {
  const byValue = await scrape('https://example.com', { formats: [wordCount, 'links'] });
  expectTypeOf(byValue.wordCount).toEqualTypeOf<number>();

  const client = createClient({ formats: [wordCount] });
  const byName = await client.scrape('https://example.com', { formats: ['wordCount'] });
  expectTypeOf(byName.wordCount).toEqualTypeOf<number>();
  for await (const page of client.crawl('https://example.com', {
    scrapeOptions: { formats: ['wordCount'] },
  })) {
    expectTypeOf(page.wordCount).toEqualTypeOf<number>();
  }
}

export async function crawlPagesAreTypedToo(): Promise<void> {
  const result = await crawl('https://example.com', { scrapeOptions: { formats: ['tables'] } });
  expectTypeOf(result.data[0]?.tables[0]?.headers).toEqualTypeOf<string[] | undefined>();
  const byUrl = await crawl('https://example.com', {
    scrapeOptions: (url) => ({ formats: ['links'], timeout: url.length * 1000 }),
  });
  expectTypeOf(byUrl.data[0]?.links).toEqualTypeOf<string[] | undefined>();
}

export function mistakesDoNotCompile(): void {
  // @ts-expect-error -- no such format
  void scrape('https://example.com', { formats: ['markdwon'] });
  // @ts-expect-error -- no such option
  void scrape('https://example.com', { onlyMainContnt: true });
  // @ts-expect-error -- attributes needs selectors
  void scrape('https://example.com', { formats: ['attributes'] });
}

export async function ownFormatsTakeTypedOptions(): Promise<void> {
  const shout = defineFormat({
    name: 'shout',
    needs: 'content',
    parseOptions: ({ loud }): { readonly loud: boolean } => ({ loud: loud === true }),
    run: (_, { loud }) => (loud ? 'HO' : 'ho'),
  });
  const client = createClient({ formats: [shout] });
  const page = await client.scrape('https://example.com', {
    formats: [{ type: 'shout', loud: true }],
  });
  expectTypeOf(page.shout).toEqualTypeOf<string>();
}

export async function markdownByTurndownIsMarkdown(): Promise<void> {
  const markdown = turndownMarkdown(new TurndownService());
  const byValue = await scrape('https://example.com', { formats: [markdown, 'links'] });
  expectTypeOf(byValue.markdown).toEqualTypeOf<string>();
  const client = createClient({ formats: [markdown] });
  const byDefault = await client.scrape('https://example.com');
  expectTypeOf(byDefault.markdown).toEqualTypeOf<string>();
  const byName = await client.scrape('https://example.com', { formats: ['markdown'] });
  expectTypeOf(byName.markdown).toEqualTypeOf<string>();
}

export function extractorsGiveHtmlOrElements(): void {
  void scrape('https://example.com', { mainContent: 'defuddle' });
  void scrape('https://example.com', { mainContent: async ({ html }) => Promise.resolve(html) });
  const outer: MainContentExtractor = ({ url }) => ({ outerHTML: url });
  void crawl('https://example.com', { scrapeOptions: { mainContent: outer } });
  // @ts-expect-error -- no such extractor
  void scrape('https://example.com', { mainContent: 'trafilatura' });
  // @ts-expect-error -- a number is no HTML
  void scrape('https://example.com', { mainContent: () => 5 });
}

export async function defaultsOfAClientTypeItsDocuments(): Promise<void> {
  const client = createClient({
    formats: [wordCount],
    defaults: { scrape: { formats: ['links', 'wordCount'], timeout: 5000 }, crawl: { limit: 5 } },
  });
  const page = await client.scrape('https://example.com');
  expectTypeOf(page.links).toEqualTypeOf<string[]>();
  expectTypeOf(page.wordCount).toEqualTypeOf<number>();
  // @ts-expect-error -- markdown is not among the defaults
  void page.markdown;
  const { data } = await client.crawl('https://example.com', { limit: 1 });
  expectTypeOf(data[0]?.links).toEqualTypeOf<string[] | undefined>();
  for await (const one of client.batchScrape([], { formats: ['html'] })) {
    expectTypeOf(one.html).toEqualTypeOf<string>();
    // @ts-expect-error -- the call asks for others
    void one.links;
  }
  const patient = client.extend({ defaults: { scrape: { timeout: 90_000 } } });
  expectTypeOf((await patient.scrape('https://example.com')).wordCount).toEqualTypeOf<number>();
  const other = patient.extend({ defaults: { scrape: { formats: ['tables', 'wordCount'] } } });
  const tables = await other.scrape('https://example.com');
  expectTypeOf(tables.tables[0]?.headers).toEqualTypeOf<string[] | undefined>();
  // @ts-expect-error -- the defaults were replaced
  void tables.links;
  const plain = createClient({ defaults: { scrape: { timeout: 5000 } } });
  expectTypeOf((await plain.scrape('https://example.com')).markdown).toEqualTypeOf<string>();
}

export function wrongDefaultsDoNotCompile(): void {
  // @ts-expect-error -- no such option
  createClient({ defaults: { scrape: { formts: ['links'] } } });
  // @ts-expect-error -- no such format
  createClient({ defaults: { scrape: { formats: ['link'] } } });
  // @ts-expect-error -- the option is maxTokens
  createClient({ defaults: { scrape: { formats: [{ type: 'chunks', maxToken: 5 }] } } });
  // @ts-expect-error -- options of pages are in defaults.scrape
  createClient({ defaults: { crawl: { scrapeOptions: { formats: ['links'] } } } });
  // @ts-expect-error -- a signal is for one call
  createClient({ defaults: { scrape: { signal: AbortSignal.abort() } } });
}
