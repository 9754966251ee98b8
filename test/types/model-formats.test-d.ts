import { crawl, type Highlight, type PageAnswer, parse, scrape } from 'pagewright';
import { expectTypeOf } from 'vitest';

export async function questionAndHighlightsAreTyped(): Promise<void> {
  const page = await scrape('https://example.com', {
    formats: [
      { type: 'question', question: 'Why?' },
      { type: 'highlights', query: 'why', limit: 3 },
      { type: 'summary' },
    ],
  });
  expectTypeOf(page.question).toEqualTypeOf<PageAnswer>();
  expectTypeOf(page.question.answer).toEqualTypeOf<string | null>();
  expectTypeOf(page.question.quotes).toEqualTypeOf<PageAnswer['quotes']>();
  expectTypeOf(page.highlights).toEqualTypeOf<Highlight[]>();
  expectTypeOf(page.summary).toEqualTypeOf<string>();
  expectTypeOf(page.metadata.highlightsMethod).toEqualTypeOf<'extractive' | 'model' | undefined>();
  // @ts-expect-error -- markdown was not asked for
  void page.markdown;
  const { data } = await crawl('https://example.com', {
    scrapeOptions: { formats: [{ type: 'question', question: 'Why?' }] },
  });
  expectTypeOf(data[0]?.question).toEqualTypeOf<PageAnswer | undefined>();
}

export function mistakesDoNotCompile(): void {
  // @ts-expect-error -- it needs a question
  void parse('', { formats: ['question'] });
  // @ts-expect-error -- it needs a query
  void parse('', { formats: [{ type: 'highlights' }] });
  // @ts-expect-error -- a limit is a number
  void parse('', { formats: [{ type: 'highlights', query: 'why', limit: '3' }] });
}
