/** The formats union: what each entry of `formats` gives, in every form, and that nothing else is there. */
import {
  type AttributeValues,
  batchScrape,
  type Branding,
  type ChangeTracking,
  type Chunk,
  createClient,
  crawl,
  defineFormat,
  type FormatInput,
  type FormatName,
  type Highlight,
  type Metadata,
  type PageAnswer,
  type Product,
  scrape,
  type StructuredData,
  type Table,
} from 'pagewright';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

const url = 'https://example.com';
const schema = z.object({ name: z.string() });

export async function everyFormatByItsName(): Promise<void> {
  const page = await scrape(url, {
    formats: [
      'markdown',
      'html',
      'rawHtml',
      'links',
      'images',
      'tables',
      'structuredData',
      'modelText',
      'product',
      'summary',
      'chunks',
      'screenshot',
      'branding',
      'changeTracking',
    ],
  });
  expectTypeOf(page.markdown).toEqualTypeOf<string>();
  expectTypeOf(page.html).toEqualTypeOf<string>();
  expectTypeOf(page.rawHtml).toEqualTypeOf<string>();
  expectTypeOf(page.links).toEqualTypeOf<string[]>();
  expectTypeOf(page.images).toEqualTypeOf<string[]>();
  expectTypeOf(page.modelText).toEqualTypeOf<string>();
  expectTypeOf(page.tables).toEqualTypeOf<Table[]>();
  expectTypeOf(page.structuredData).toEqualTypeOf<StructuredData>();
  expectTypeOf(page.product).toEqualTypeOf<Product | null>();
  expectTypeOf(page.summary).toEqualTypeOf<string>();
  expectTypeOf(page.chunks).toEqualTypeOf<Chunk[]>();
  expectTypeOf(page.screenshot).toEqualTypeOf<string>();
  expectTypeOf(page.branding).toEqualTypeOf<Branding>();
  expectTypeOf(page.changeTracking).toEqualTypeOf<ChangeTracking<never> | undefined>();
  expectTypeOf(page.metadata).toEqualTypeOf<Metadata>();
  expectTypeOf(page.warning).toEqualTypeOf<string | undefined>();
}

export async function everyFormatAsAnObject(): Promise<void> {
  const page = await scrape(url, {
    formats: [
      { type: 'markdown' },
      { type: 'html' },
      { type: 'rawHtml' },
      { type: 'links' },
      { type: 'images' },
      { type: 'tables' },
      { type: 'structuredData' },
      { type: 'product' },
      { type: 'summary' },
      { type: 'chunks', maxTokens: 300 },
      { type: 'screenshot', fullPage: true },
      { type: 'branding' },
      { type: 'attributes', selectors: [{ selector: 'a', attribute: 'href' }] },
      { type: 'json', schema, prompt: 'The name.', mode: 'auto' },
      { type: 'question', question: 'What is it?' },
      { type: 'highlights', query: 'prices' },
      { type: 'changeTracking', modes: ['git-diff'], tag: 'daily' },
    ],
  });
  expectTypeOf(page.markdown).toEqualTypeOf<string>();
  expectTypeOf(page.html).toEqualTypeOf<string>();
  expectTypeOf(page.rawHtml).toEqualTypeOf<string>();
  expectTypeOf(page.links).toEqualTypeOf<string[]>();
  expectTypeOf(page.images).toEqualTypeOf<string[]>();
  expectTypeOf(page.tables).toEqualTypeOf<Table[]>();
  expectTypeOf(page.structuredData).toEqualTypeOf<StructuredData>();
  expectTypeOf(page.product).toEqualTypeOf<Product | null>();
  expectTypeOf(page.summary).toEqualTypeOf<string>();
  expectTypeOf(page.chunks).toEqualTypeOf<Chunk[]>();
  expectTypeOf(page.screenshot).toEqualTypeOf<string>();
  expectTypeOf(page.branding).toEqualTypeOf<Branding>();
  expectTypeOf(page.attributes).toEqualTypeOf<AttributeValues[]>();
  expectTypeOf(page.json).toEqualTypeOf<{ name: string }>();
  expectTypeOf(page.question).toEqualTypeOf<PageAnswer>();
  expectTypeOf(page.highlights).toEqualTypeOf<Highlight[]>();
  expectTypeOf(page.changeTracking).toEqualTypeOf<ChangeTracking<'git-diff'> | undefined>();
}

/** A format that is new in the registry has to be added above. */
export function thereIsNoOther(): void {
  expectTypeOf<FormatName>().toEqualTypeOf<
    | 'attributes'
    | 'branding'
    | 'changeTracking'
    | 'chunks'
    | 'highlights'
    | 'html'
    | 'images'
    | 'modelText'
    | 'json'
    | 'links'
    | 'markdown'
    | 'product'
    | 'question'
    | 'rawBase64'
    | 'rawHtml'
    | 'requests'
    | 'screenshot'
    | 'structuredData'
    | 'summary'
    | 'tables'
    | 'transcripts'
  >();
}

export async function markdownHasOptions(): Promise<void> {
  const page = await scrape(url, {
    formats: [
      {
        type: 'markdown',
        links: 'reference',
        images: 'none',
        handlers: {
          'x-note': ({ attributes, markdown }) => ({ block: (attributes['a'] ?? '') + markdown }),
        },
      },
      { type: 'chunks', links: 'text', maxTokens: 300 },
      { type: 'modelText', images: 'alt' },
    ],
  });
  expectTypeOf(page.markdown).toEqualTypeOf<string>();
  expectTypeOf(page.chunks).toEqualTypeOf<Chunk[]>();
  expectTypeOf(page.modelText).toEqualTypeOf<string>();
  // @ts-expect-error -- there is no such style
  await scrape(url, { formats: [{ type: 'markdown', links: 'none' }] });
  // @ts-expect-error -- a handler returns markdown
  await scrape(url, { formats: [{ type: 'markdown', handlers: { b: () => 7 } }] });
}

export async function whatWasNotAskedForIsNotThere(): Promise<void> {
  const page = await scrape(url, { formats: ['markdown'] });
  // @ts-expect-error -- html was not asked for
  void page.html;
  // @ts-expect-error -- rawHtml was not asked for
  void page.rawHtml;
  // @ts-expect-error -- links were not asked for
  void page.links;
  // @ts-expect-error -- images were not asked for
  void page.images;
  // @ts-expect-error -- tables were not asked for
  void page.tables;
  // @ts-expect-error -- structuredData was not asked for
  void page.structuredData;
  // @ts-expect-error -- product was not asked for
  void page.product;
  // @ts-expect-error -- summary was not asked for
  void page.summary;
  // @ts-expect-error -- chunks were not asked for
  void page.chunks;
  // @ts-expect-error -- screenshot was not asked for
  void page.screenshot;
  // @ts-expect-error -- branding was not asked for
  void page.branding;
  // @ts-expect-error -- attributes were not asked for
  void page.attributes;
  // @ts-expect-error -- json was not asked for
  void page.json;
  // @ts-expect-error -- question was not asked for
  void page.question;
  // @ts-expect-error -- highlights were not asked for
  void page.highlights;
  // @ts-expect-error -- changeTracking was not asked for
  void page.changeTracking;
  const { data } = await crawl(url, { scrapeOptions: { formats: ['links'] } });
  // @ts-expect-error -- html was not asked for
  void data[0]?.html;
  for await (const one of batchScrape([url], { formats: [{ type: 'json', schema }] })) {
    expectTypeOf(one.json).toEqualTypeOf<{ name: string }>();
    // @ts-expect-error -- html was not asked for
    void one.html;
  }
}

export function wrongFormsDoNotCompile(): void {
  // @ts-expect-error -- json needs an object
  void scrape(url, { formats: ['json'] });
  // @ts-expect-error -- attributes needs selectors
  void scrape(url, { formats: [{ type: 'attributes' }] });
  // @ts-expect-error -- no such type
  void scrape(url, { formats: [{ type: 'pdf' }] });
  // @ts-expect-error -- a number
  void scrape(url, { formats: [{ type: 'screenshot', quality: 'high' }] });
  // @ts-expect-error -- no such mode
  void scrape(url, { formats: [{ type: 'json', schema, mode: 'llm' }] });
}

const words = defineFormat({ name: 'words', needs: 'content', run: () => 5 });
const shout = defineFormat({
  name: 'shout',
  needs: 'content',
  parseOptions: ({ loud }): { readonly loud: boolean } => ({ loud: loud === true }),
  run: (_, { loud }) => ({ loud }),
});

export async function formatsOfYourOwn(): Promise<void> {
  const byValue = await scrape(url, { formats: [words, { type: 'html' }] });
  expectTypeOf(byValue.words).toEqualTypeOf<number>();
  expectTypeOf(byValue.html).toEqualTypeOf<string>();
  // @ts-expect-error -- markdown was not asked for
  void byValue.markdown;

  const client = createClient({ formats: [words, shout] });
  const { data } = await client.crawl(url, {
    scrapeOptions: { formats: ['words', { type: 'shout', loud: true }] },
  });
  expectTypeOf(data[0]?.words).toEqualTypeOf<number | undefined>();
  expectTypeOf(data[0]?.shout).toEqualTypeOf<{ loud: boolean } | undefined>();
  for await (const page of client.batchScrape([url], { formats: ['words'] })) {
    expectTypeOf(page.words).toEqualTypeOf<number>();
    // @ts-expect-error -- shout was not asked for
    void page.shout;
  }
  // @ts-expect-error -- of another client
  void createClient().scrape(url, { formats: ['words'] });
  // @ts-expect-error -- its option is a boolean
  void client.scrape(url, { formats: [{ type: 'shout', loud: 'yes' }] });
}

export async function aListThatIsNotKnown(formats: FormatInput[]): Promise<void> {
  const page = await scrape(url, { formats });
  expectTypeOf(page.html).toEqualTypeOf<string | undefined>();
  expectTypeOf(page.json).toEqualTypeOf<unknown>();
  expectTypeOf(page.product).toEqualTypeOf<Product | null | undefined>();
  expectTypeOf(page.metadata).toEqualTypeOf<Metadata>();
}

export async function listsThatAreMadeBeforeTheCall(isLong: boolean): Promise<void> {
  const fixed = ['markdown', { type: 'chunks', maxTokens: 300 }] as const;
  const byList = await scrape(url, { formats: fixed });
  expectTypeOf(byList.chunks).toEqualTypeOf<Chunk[]>();
  // @ts-expect-error -- html was not asked for
  void byList.html;
  const spread = await scrape(url, { formats: [...fixed, 'links'] });
  expectTypeOf(spread.links).toEqualTypeOf<string[]>();
  expectTypeOf(spread.chunks).toEqualTypeOf<Chunk[]>();
  const sometimes = await scrape(url, {
    formats: ['links', ...(isLong ? (['html'] as const) : [])],
  });
  // Which of the two lists the compiler takes depends on what it has met before.
  expectTypeOf(sometimes.links).toExtend<string[] | undefined>();
  const either = await scrape(url, { formats: [isLong ? 'html' : 'links', 'tables'] });
  expectTypeOf(either.tables).toEqualTypeOf<Table[]>();
  const entry: FormatInput = { type: 'chunks', maxTokens: 5 };
  const { data } = await batchScrape([url], { formats: [entry, 'links'] });
  expectTypeOf(data[0]?.links).toEqualTypeOf<string[] | undefined>();
  const options = { type: 'chunks', maxTokens: 5 } as const;
  const byObject = await scrape(url, { formats: [{ ...options, overlap: 1 }, words] });
  expectTypeOf(byObject.chunks).toEqualTypeOf<Chunk[]>();
  expectTypeOf(byObject.words).toEqualTypeOf<number>();
}
