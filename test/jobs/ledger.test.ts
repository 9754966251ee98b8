import { describe, expect, it } from 'vitest';
import { Ledger } from '../../src/jobs/ledger.ts';

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
