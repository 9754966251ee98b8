import { expect, test } from 'vitest';
import { type CrawlFacts, summaryLines } from '../../../src/entries/cli/write-pages.ts';

const facts: CrawlFacts = {
  status: 'completed',
  completed: 1,
  failed: 0,
  skipped: 0,
  pending: 0,
  bytes: 0,
  seconds: 0.2,
  statuses: {},
  writtenTo: ['docs'],
  errors: [],
  skippedByReason: {},
};

test('a crawl without any trouble says what it received and wrote, and where to look', () => {
  const folder = { bytes: 1_234_567, seconds: 8.4, statuses: { 200: 1 }, firstFile: 'docs/a.md' };
  expect(summaryLines({ ...facts, ...folder })).toEqual([
    'received 1.2 MB in 0:08: 1 × 200',
    '1 page written to docs',
    'look into docs/a.md',
  ]);
});

test('an interrupted crawl without a store says what would make it resumable', () => {
  const [, , interrupted, hint] = summaryLines({ ...facts, status: 'cancelled', pending: 3 });
  expect(interrupted).toBe('interrupted, 3 URLs were still queued');
  expect(hint).toContain('--store');
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
    'received 0 B in 0:00',
    '1 page failed: 1 TIMEOUT',
    '2 pages written to docs and pages.jsonl',
    'interrupted, 7 URLs were still queued',
    'resume with: pagewright resume 1 --store jobs',
  ]);
});
