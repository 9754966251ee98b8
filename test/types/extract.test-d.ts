/** The type of extracted data by every kind of schema, in every verb; results and states of the job. */
import {
  batchScrape,
  crawl,
  createClient,
  extract,
  type ExtractConflict,
  type ExtractJob,
  type ExtractPage,
  type ExtractProgress,
  type ExtractResult,
  type ExtractStatus,
  type JsonSchema,
  type PageFailure,
  type Provenance,
  type SchemaInput,
  scrape,
} from 'pagewright';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod-v3';
import { z as z34 } from 'zod-v3/v4';

const urls = ['https://example.com'];
const [url] = urls as [string];

/** As ArkType, Valibot and others give one. */
declare const standard: {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'other';
    readonly validate: (value: unknown) => { readonly value: { id: bigint } };
    readonly types?: { readonly input: { id: string }; readonly output: { id: bigint } };
    readonly jsonSchema: { readonly input: () => Record<string, unknown> };
  };
};

const four = z.object({ name: z.string(), at: z.string().transform((text) => new Date(text)) });
const three = z3.object({ name: z3.string(), tags: z3.array(z3.string()).default([]) });
const fourOfThree = z34.object({ name: z34.string().nullable() });
const small = mini.object({ size: mini.optional(mini.number()) });
const constant = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    offers: {
      type: 'array',
      items: {
        type: 'object',
        properties: { price: { type: ['number', 'null'] }, currency: { enum: ['EUR', 'USD'] } },
        required: ['price'],
      },
    },
  },
  required: ['name'],
} as const;
interface OfConstant {
  name: string;
  offers?: { price: number | null; currency?: 'EUR' | 'USD' }[];
}
const widened = { type: 'object', properties: { name: { type: 'string' } } };

export async function extractIsTypedByItsSchema(
  plain: JsonSchema,
  input: SchemaInput,
): Promise<void> {
  const byFour = await extract({ urls, schema: four });
  expectTypeOf(byFour.data).toEqualTypeOf<{ name: string; at: Date }>();
  const byThree = await extract({ urls, schema: three });
  expectTypeOf(byThree.data).toEqualTypeOf<{ name: string; tags: string[] }>();
  const byFourOfThree = await extract({ urls, schema: fourOfThree });
  expectTypeOf(byFourOfThree.data).toEqualTypeOf<{ name: string | null }>();
  const bySmall = await extract({ urls, schema: small });
  expectTypeOf(bySmall.data).toEqualTypeOf<{ size?: number | undefined }>();
  const byStandard = await extract({ urls, schema: standard });
  expectTypeOf(byStandard.data).toEqualTypeOf<{ id: bigint }>();
  const byConstant = await extract({ urls, schema: constant });
  expectTypeOf(byConstant.data).toEqualTypeOf<OfConstant>();
  const inPlace = await extract({
    urls,
    schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
  });
  expectTypeOf(inPlace.data).toEqualTypeOf<{ a: number }>();
  const byWidened = await extract({ urls, schema: widened });
  expectTypeOf(byWidened.data).toEqualTypeOf<unknown>();
  const byPlain = await extract({ urls, schema: plain });
  expectTypeOf(byPlain.data).toEqualTypeOf<unknown>();
  const byPrompt = await extract({ urls, prompt: 'The name.' });
  expectTypeOf(byPrompt.data).toEqualTypeOf<unknown>();
  const undecided = await extract({ urls, schema: input });
  expectTypeOf(undecided.data).toEqualTypeOf<unknown>();
}

export async function soIsTheJsonFormatOfScrape(): Promise<void> {
  const byFour = await scrape(url, { formats: [{ type: 'json', schema: four }] });
  expectTypeOf(byFour.json).toEqualTypeOf<{ name: string; at: Date }>();
  const byThree = await scrape(url, { formats: [{ type: 'json', schema: three }] });
  expectTypeOf(byThree.json).toEqualTypeOf<{ name: string; tags: string[] }>();
  const byStandard = await scrape(url, { formats: [{ type: 'json', schema: standard }] });
  expectTypeOf(byStandard.json).toEqualTypeOf<{ id: bigint }>();
  const byConstant = await scrape(url, { formats: [{ type: 'json', schema: constant }] });
  expectTypeOf(byConstant.json).toEqualTypeOf<OfConstant>();
  const inPlace = await scrape(url, {
    formats: [{ type: 'json', schema: { type: 'array', items: { type: 'boolean' } } }],
  });
  expectTypeOf(inPlace.json).toEqualTypeOf<boolean[]>();
  const byWidened = await scrape(url, { formats: [{ type: 'json', schema: widened }] });
  expectTypeOf(byWidened.json).toEqualTypeOf<unknown>();
  const byPrompt = await scrape(url, { formats: [{ type: 'json', prompt: 'The name.' }] });
  expectTypeOf(byPrompt.json).toEqualTypeOf<unknown>();
}

export async function andOfCrawlAndBatch(): Promise<void> {
  const formats = [{ type: 'json', schema: three }, 'links'] as const;
  const { data } = await crawl(url, { scrapeOptions: { formats } });
  expectTypeOf(data[0]?.json).toEqualTypeOf<{ name: string; tags: string[] } | undefined>();
  for await (const page of crawl(url, { scrapeOptions: { formats } })) {
    expectTypeOf(page.json).toEqualTypeOf<{ name: string; tags: string[] }>();
    // @ts-expect-error -- html was not asked for
    void page.html;
  }
  const batch = batchScrape(urls, { formats: [{ type: 'json', schema: constant }] });
  batch.on('page', ({ json }) => expectTypeOf(json).toEqualTypeOf<OfConstant>());
  expectTypeOf((await batch).data[0]?.json).toEqualTypeOf<OfConstant | undefined>();
  const { json } = (await createClient().crawl(url, { scrapeOptions: { formats } })).data[0] ?? {};
  expectTypeOf(json).toEqualTypeOf<{ name: string; tags: string[] } | undefined>();
}

export async function aResultHasItsParts(): Promise<void> {
  const job = extract({ urls, schema: constant });
  expectTypeOf(job).toEqualTypeOf<ExtractJob<OfConstant>>();
  expectTypeOf(job.id).toEqualTypeOf<string>();
  expectTypeOf(job.status()).toEqualTypeOf<ExtractStatus>();
  expectTypeOf(job.status().status).toEqualTypeOf<ExtractProgress['status']>();
  expectTypeOf<ExtractProgress['status']>().toEqualTypeOf<
    'processing' | 'completed' | 'failed' | 'cancelled'
  >();
  const result = await job;
  expectTypeOf(result).toEqualTypeOf<ExtractResult<OfConstant>>();
  expectTypeOf(result.sources).toEqualTypeOf<Readonly<Record<string, readonly string[]>>>();
  expectTypeOf(result.conflicts).toEqualTypeOf<readonly ExtractConflict[]>();
  expectTypeOf(result.notFound).toEqualTypeOf<readonly string[]>();
  expectTypeOf(result.errors).toEqualTypeOf<readonly PageFailure[]>();
  expectTypeOf(result.pages).toEqualTypeOf<readonly ExtractPage[]>();
  expectTypeOf(result.pages[0]?.cacheState).toEqualTypeOf<'hit' | 'miss' | undefined>();
  expectTypeOf(result.candidates?.[0]?.data).toEqualTypeOf<OfConstant | undefined>();
  expectTypeOf(result.invalidURLs).toEqualTypeOf<readonly string[]>();
  expectTypeOf(result.data).toEqualTypeOf<OfConstant>();
  expectTypeOf(job.status().data).toEqualTypeOf<unknown>();
  expectTypeOf(job.progress).toEqualTypeOf<ExtractProgress>();
  expectTypeOf(result.modelUsage?.inputTokens).toEqualTypeOf<number | undefined>();
  // @ts-expect-error -- it was not asked for
  void result.provenance;
  const proven = await createClient().extract({ urls, schema: three, provenance: true });
  expectTypeOf(proven.provenance).toEqualTypeOf<Provenance>();
  expectTypeOf(proven.data).toEqualTypeOf<{ name: string; tags: string[] }>();
}

export function eventsOfAnExtraction(): void {
  void extract({
    urls,
    schema: four,
    webhook: { url, events: ['started', 'completed', 'failed'] },
    onPartial: (partial, from) => {
      expectTypeOf(partial).toEqualTypeOf<unknown>();
      expectTypeOf(from).toEqualTypeOf<string>();
    },
  });
  // @ts-expect-error -- an extraction has no pages of its own
  void extract({ urls, schema: four, webhook: { url, events: ['page'] } });
  // @ts-expect-error -- formats play no part
  void extract({ urls, schema: four, scrapeOptions: { formats: ['html'] } });
  // @ts-expect-error -- a text is no schema
  void extract({ urls, schema: 'name' });
  // @ts-expect-error -- no such option
  void extract({ urls, shcema: four });
}
