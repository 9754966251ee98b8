import { describe, expect, it } from 'vitest';
import { DeliveryQueue, type QueuedDocument } from '../../../src/core/jobs/delivery-queue.ts';
import { RepeatedBlocks } from '../../../src/core/jobs/repeated-blocks.ts';

/** A line that writes down what it delivers: the page's name and how much it removes. */
function testLine(signal: AbortSignal = new AbortController().signal): {
  line: DeliveryQueue;
  delivered: string[];
  page: (name: string, more?: Partial<QueuedDocument>) => QueuedDocument;
} {
  const delivered: string[] = [];
  return {
    line: new DeliveryQueue(new RepeatedBlocks(), signal),
    delivered,
    page: (name, more = {}) => ({
      host: 'a.test',
      bytes: 1000,
      fingerprints: [1],
      isReady: false,
      deliver: (repeated) => {
        delivered.push(`${name}:${repeated.size}`);
        return Promise.resolve();
      },
      ...more,
    }),
  };
}

const ready = { isReady: true, fingerprints: undefined };

describe('the line of documents', () => {
  it('lets pages that wait for nothing through at once', async () => {
    const { line, delivered, page } = testLine();
    await line.add(page('one', ready));
    await line.add(page('two', ready));
    expect(delivered).toEqual(['one:0', 'two:0']);
    expect(line.length).toBe(0);
  });

  it('holds the pages of a sample, and then treats all of them alike', async () => {
    const { line, delivered, page } = testLine();
    for (let n = 0; n < 31; n += 1) await line.add(page(`p${n}`));
    expect(delivered).toEqual([]);
    expect(line.length).toBe(31);
    await line.add(page('p31'));
    await line.add(page('p32'));
    expect(delivered).toEqual(Array.from({ length: 33 }, (_, n) => `p${n}:1`));
  });

  it('keeps the order when only the first one waits', async () => {
    const { line, delivered, page } = testLine();
    await line.add(page('waits'));
    await line.add(page('ready', ready));
    await line.add(page('of another host', { ...ready, host: 'b.test' }));
    expect(delivered).toEqual([]);
    await line.drain();
    expect(delivered).toEqual(['waits:0', 'ready:0', 'of another host:0']);
  });

  it('learns from what there is when nothing more comes', async () => {
    const { line, delivered, page } = testLine();
    for (let n = 0; n < 4; n += 1) await line.add(page(`p${n}`));
    await line.drain();
    expect(delivered).toEqual(['p0:1', 'p1:1', 'p2:1', 'p3:1']);
  });

  it('holds 100 pages at most: the host of the first one is learnt early', async () => {
    const { line, delivered, page } = testLine();
    await line.add(page('first'));
    for (let n = 0; n < 99; n += 1) await line.add(page(`b${n}`, { host: `b${n % 10}.test` }));
    expect(delivered).toEqual([]);
    await line.add(page('b99', { host: 'b0.test' }));
    expect(delivered).toEqual(['first:0']);
    expect(line.length).toBe(100);
  });

  it('holds 32 MB at most', async () => {
    const { line, delivered, page } = testLine();
    for (let n = 0; n < 4; n += 1) await line.add(page(`p${n}`, { bytes: 10 * 1024 * 1024 }));
    expect(delivered).toEqual(['p0:1', 'p1:1', 'p2:1', 'p3:1']);
  });

  it('does not learn from pages that are no part of a sample', async () => {
    const { line, delivered, page } = testLine();
    for (let n = 0; n < 40; n += 1) await line.add(page(`p${n}`, { fingerprints: undefined }));
    expect(delivered).toEqual([]);
    await line.drain();
    expect(delivered[0]).toBe('p0:0');
    expect(delivered).toHaveLength(40);
  });

  it('delivers nothing any more when the job is over', async () => {
    const over = new AbortController();
    const { line, delivered, page } = testLine(over.signal);
    await line.add(page('one'));
    await line.add(
      page('two', {
        deliver: () => {
          over.abort();
          return Promise.resolve();
        },
      }),
    );
    await line.add(page('three'));
    await line.drain();
    expect(delivered).toEqual(['one:1']);
  });

  it('rejects with what delivering rejects with', async () => {
    const { line, page } = testLine();
    await expect(
      line.add(page('one', { ...ready, deliver: () => Promise.reject(new Error('full')) })),
    ).rejects.toThrow('full');
  });
});
