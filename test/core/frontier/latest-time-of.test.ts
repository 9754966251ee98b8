/** Until when a page may have changed by the date that its sitemap gives. */
import { describe, expect, it } from 'vitest';
import { latestTimeOf } from '../../../src/core/frontier/sitemaps/sitemap-date.ts';

describe('the latest time that a date may mean', () => {
  it.each([
    ['2026', '2027-01-01T12:00:00Z'],
    ['2026-12', '2027-01-01T12:00:00Z'],
    ['2026-02-28', '2026-03-01T12:00:00Z'],
    // Without a zone it may be anywhere.
    ['2026-05-01T10:00', '2026-05-02T12:00:00Z'],
    ['2026-05-01T10:00Z', '2026-05-01T10:01:00Z'],
    ['2026-05-01T10:00:30.5+02:00', '2026-05-01T08:01:30.500Z'],
  ])('%s is at most %s', (date, latest) => {
    expect(latestTimeOf(date)).toBe(Date.parse(latest));
  });

  it('is unknown of what is no date', () => {
    expect(latestTimeOf('yesterday')).toBeUndefined();
  });
});
