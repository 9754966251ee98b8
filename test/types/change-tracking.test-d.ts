import { crawl, type FormatInput, scrape } from 'pagewright';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

const url = 'https://example.com';

export async function theFieldHasWhatItsModesGive(): Promise<void> {
  const plain = await scrape(url, { formats: ['markdown', 'changeTracking'] });
  expectTypeOf(plain.changeTracking?.previousScrapeAt).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(plain.changeTracking?.changeStatus).toEqualTypeOf<
    'new' | 'same' | 'changed' | 'removed' | undefined
  >();
  // @ts-expect-error -- there is none with zeroDataRetention, or when the storage fails
  void plain.changeTracking.visibility;
  // @ts-expect-error -- git-diff was not asked for
  void plain.changeTracking?.diff;

  const diff = await scrape(url, {
    formats: ['markdown', { type: 'changeTracking', modes: ['git-diff'] }],
  });
  expectTypeOf(diff.changeTracking?.diff?.text).toEqualTypeOf<string | undefined>();
  // @ts-expect-error -- json was not asked for
  void diff.changeTracking?.json;

  const all = await scrape(url, {
    formats: [
      'markdown',
      'screenshot',
      {
        type: 'changeTracking',
        modes: ['git-diff', 'json', 'visual'],
        schema: z.object({ price: z.number() }),
        ignore: { selectors: ['.clock'], patterns: [/\d+/, 'views'] },
        regions: [{ x: 0, y: 0, width: 10, height: 10 }],
      },
    ],
  });
  expectTypeOf(all.changeTracking?.json?.['price']?.previous).toEqualTypeOf<unknown>();
  expectTypeOf(all.changeTracking?.visual?.ratio).toEqualTypeOf<number | undefined>();
  void all.changeTracking?.diff;

  // @ts-expect-error -- no such mode
  void scrape(url, { formats: ['markdown', { type: 'changeTracking', modes: ['diff'] }] });
}

export async function inJobsAndUnknownLists(formats: FormatInput[]): Promise<void> {
  const { data } = await crawl(url, { scrapeOptions: { formats: ['markdown', 'changeTracking'] } });
  expectTypeOf(data[0]?.changeTracking?.visibility).toEqualTypeOf<
    'visible' | 'hidden' | undefined
  >();
  const any = await scrape(url, { formats });
  void any.changeTracking?.diff?.json.files;
}
