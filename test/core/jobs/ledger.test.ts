import { describe, expect, it } from 'vitest';
import { documentBytes, documentOf } from '../../../src/core/jobs/durable/stored-value.ts';
import { Ledger, type LedgerPart } from '../../../src/core/jobs/ledger.ts';

const closes = ({ counts }: Ledger): boolean =>
  counts.discovered === counts.completed + counts.failed + counts.skipped + counts.pending;

describe('the ledger', () => {
  it('has every URL in exactly one state at every moment', () => {
    const ledger = new Ledger();
    const moves = [
      () => ledger.pending('a'),
      () => ledger.pending('b', 'a'),
      () => ledger.skipped({ url: 'c', reason: 'SCOPE', rule: 'r', parent: 'a' }),
      () => ledger.completed('a'),
      () => ledger.failed({ url: 'b', code: 'DNS', error: 'x', timestamp: 't', parent: 'a' }),
      () => ledger.pending('d'),
      () => ledger.skipped({ url: 'd', reason: 'LIMIT', rule: 'limit: 1' }),
    ];
    for (const move of moves) {
      move();
      expect(closes(ledger)).toBe(true);
    }
    expect(ledger.counts).toEqual({
      discovered: 4,
      completed: 1,
      failed: 1,
      skipped: 2,
      pending: 0,
    });
    expect(ledger.explain('d')).toMatchObject({ state: 'skipped', reason: 'LIMIT' });
    expect(ledger.list('failed')).toHaveLength(1);
  });

  it('keeps the first reason of a skipped URL', () => {
    const ledger = new Ledger();
    expect(ledger.skipped({ url: 'a', reason: 'SCOPE', rule: 'r' })).toBe(true);
    expect(ledger.skipped({ url: 'a', reason: 'DEPTH', rule: 'r' })).toBe(false);
    expect(ledger.explain('a')).toMatchObject({ reason: 'SCOPE' });
  });
});

describe('a ledger of a sitemap that lists more than is scraped', () => {
  const total = 60_000;
  const url = (index: number): string => `https://site.test/category-${index % 97}/item-${index}`;

  function filled(): Ledger {
    const ledger = new Ledger();
    for (let index = 0; index < 100; index += 1) ledger.pending(url(index));
    for (let index = 100; index < total; index += 1) {
      const isExcluded = index % 10 === 0;
      ledger.skipped({
        url: url(index),
        ...(isExcluded
          ? { reason: 'EXCLUDE', rule: '/item' }
          : { reason: 'LIMIT', rule: 'limit: 10' }),
        ...(index % 1000 === 7 ? { parent: url(1) } : {}),
      });
    }
    return ledger;
  }

  it('counts and explains each of its URLs, and packs most of them', () => {
    const ledger = filled();
    expect(closes(ledger)).toBe(true);
    expect(ledger.counts).toMatchObject({ discovered: total, pending: 100, skipped: total - 100 });
    expect(ledger.reasons).toEqual({ LIMIT: 53_910, EXCLUDE: 5_990 });
    for (const index of [100, 10_099, 10_100, 33_333, total - 1]) {
      const reason = index % 10 === 0 ? 'EXCLUDE' : 'LIMIT';
      expect(ledger.explain(url(index))).toMatchObject({
        state: 'skipped',
        url: url(index),
        reason,
      });
    }
    expect(ledger.explain(url(50_007))).toHaveProperty('parent', url(1));
    expect(ledger.explain(url(total))).toBeUndefined();
    expect(ledger.has(url(total - 1))).toBe(true);
    const archives = [...ledger.parts()].flatMap(({ archive = [] }) => archive);
    const size = archives.reduce((sum, archive) => sum + archive.size, 0);
    const packs = archives.flatMap((archive) => archive.packs);
    expect(size).toBe(total - 100 - 10_000);
    // An object and its string take 300 bytes.
    expect(packs.reduce((sum, { length }) => sum + length, 0) / size).toBeLessThan(20);
  });

  it('gives them page by page, each once, in their order', () => {
    const ledger = filled();
    const all = ledger.skips().map((skip) => skip.url);
    expect(all).toEqual(Array.from({ length: total - 100 }, (_, index) => url(index + 100)));
    const paged: string[] = [];
    for (let from = 0; paged.length === from; from += 7_000) {
      paged.push(...ledger.skips(from, 7_000).map((skip) => skip.url));
    }
    expect(paged).toEqual(all);
    expect(ledger.skips(all.length, 5)).toEqual([]);
    expect(ledger.skipsBy('EXCLUDE')).toHaveLength(5_990);
  });

  it('takes URLs back that become something else', () => {
    const ledger = filled();
    const failure = { code: 'HOOK_FAILED', error: 'x', timestamp: 't' } as const;
    for (const index of [200, 30_001, 30_010]) {
      ledger.failed({ ...failure, url: url(index) });
      expect(closes(ledger)).toBe(true);
      expect(ledger.explain(url(index))).toMatchObject({ state: 'failed' });
      expect(ledger.skipped({ url: url(index), reason: 'LIMIT', rule: 'r' })).toBe(false);
    }
    // Also one that was to be scraped.
    expect(ledger.skipped({ url: url(3), reason: 'LIMIT', rule: 'limit: 10' })).toBe(true);
    expect(ledger.counts).toMatchObject({ discovered: total, failed: 3, pending: 99 });
    expect(ledger.counts.skipped).toBe(total - 100 - 3 + 1);
    const urls = ledger.skips().map((skip) => skip.url);
    expect(new Set(urls).size).toBe(ledger.counts.skipped);
    expect(urls).not.toContain(url(30_001));
    expect(ledger.reasons).toEqual({ LIMIT: 53_910, EXCLUDE: 5_988 });
  });

  it('is the same when it comes back from a store', () => {
    for (const change of [false, true]) {
      const ledger = filled();
      if (change) ledger.failed({ url: url(30_001), code: 'DNS', error: 'x', timestamp: 't' });
      const again = new Ledger();
      for (const part of ledger.parts()) again.load(documentOf(documentBytes(part)) as LedgerPart);
      expect(again.counts).toEqual(ledger.counts);
      expect(again.reasons).toEqual(ledger.reasons);
      expect(again.explain(url(total - 1))).toEqual(ledger.explain(url(total - 1)));
      expect(again.explain(url(30_001))).toEqual(ledger.explain(url(30_001)));
      expect(again.skips(40_000, 3)).toEqual(ledger.skips(40_000, 3));
      expect(again.skips()).toEqual(ledger.skips());
    }
  });

  it('is stored in parts of about 1 MB, repeats of packed URLs included', () => {
    const ledger = filled();
    for (const index of [150, 50_000]) {
      ledger.repeated({ url: url(index), reason: 'DUPLICATE_URL', rule: url(index) });
    }
    for (let index = 0; index < 20_000; index += 1) ledger.completed(`${url(index)}/completed`);
    const parts = [...ledger.parts()].map(documentBytes);
    expect(parts.length).toBeGreaterThan(4);
    for (const { length } of parts) expect(length).toBeLessThan(1_500_000);
    const again = new Ledger();
    for (const part of parts) again.load(documentOf(part) as LedgerPart);
    expect(again.counts).toEqual(ledger.counts);
    expect(again.reasons).toEqual(ledger.reasons);
    expect(again.skips()).toEqual(ledger.skips());
    expect(again.list('completed')).toEqual(ledger.list('completed'));
  });
});
