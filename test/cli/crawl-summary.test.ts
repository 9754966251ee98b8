import { expect, test } from 'vitest';
import { type CrawlFacts, summaryLines } from '../../src/cli/write-pages.ts';

const facts: CrawlFacts = {
  status: 'completed',
  completed: 1,
  failed: 0,
  skipped: 0,
  pending: 0,
  writtenTo: ['docs'],
  errors: [],
  skippedByReason: {},
};

test('a crawl without any trouble says one line', () => {
  expect(summaryLines(facts)).toEqual(['1 page written to docs']);
});

test('reasons, warnings and an interruption have lines of their own', () => {
  const lines = summaryLines({
    ...facts,
    status: 'cancelled',
    completed: 2,
    pending: 7,
    writtenTo: ['docs', 'pages.jsonl'],
    errors: [
      { url: 'https://a.test/x', code: 'TIMEOUT', error: 'Too slow.', timestamp: '2026-01-01' },
    ],
    skippedByReason: { EXTERNAL: 14, ROBOTS: 3 },
    warning: 'Careful.',
    resume: 'pagewright resume 1 --store jobs',
  });
  expect(lines).toEqual([
    'skipped: 14 EXTERNAL, 3 ROBOTS',
    'warning: Careful.',
    '2 pages written to docs and pages.jsonl',
    '1 page failed: 1 TIMEOUT',
    'interrupted, 7 URLs were still queued',
    'resume with: pagewright resume 1 --store jobs',
  ]);
});
