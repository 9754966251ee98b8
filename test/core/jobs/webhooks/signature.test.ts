/** Signatures with a time: what a receiver accepts, and what it refuses. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ReceivedWebhook, verifyWebhook } from '../../../../src/index.ts';
import { openOutbox, receiver } from './receiver.ts';

const secret = 'šecret';
const start = Date.UTC(2026, 0, 1);
const minute = 60_000;

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: start }));
afterEach(() => vi.useRealTimers());

function signed(body: string, at = start, key = secret): string {
  const time = Math.floor(at / 1000);
  return `t=${time},v1=${createHmac('sha256', key).update(`${time}.${body}`).digest('hex')}`;
}

describe('a delivery', () => {
  it('signs each attempt anew, with its own time, and the body alone beside it', async () => {
    await using there = await receiver([
      ({ response }) => {
        vi.setSystemTime(start + minute);
        response.writeHead(503).end();
      },
      200,
    ]);
    const outbox = openOutbox({ url: there.url, webhook: { secret } });
    outbox.add({ event: 'page', read: () => [{ markdown: 'žluťoučký "<\ud800' }] });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    const [first, second] = there.server.log.map(({ headers, body }) => ({
      body: Buffer.from(body).toString(),
      alone: headers['x-pagewright-signature'],
      timed: headers['x-pagewright-signature-timed'],
    }));
    expect(second?.body).toBe(first?.body);
    expect(second?.alone).toBe(first?.alone);
    expect(first?.timed).toBe(signed(first?.body ?? '', start));
    expect(second?.timed).toBe(signed(first?.body ?? '', start + minute));
  });

  it('has none without a secret', async () => {
    await using there = await receiver();
    const outbox = openOutbox({ url: there.url });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(there.server.log[0]?.headers).not.toHaveProperty('x-pagewright-signature-timed');
  });
});

describe('verifyWebhook()', () => {
  const body = '{"type":"crawl.page","data":["é"]}';
  const accepts = (over: Partial<ReceivedWebhook> = {}): boolean =>
    verifyWebhook({ body, signature: signed(body), secret, ...over });

  it('accepts a signed message as text and as bytes', () => {
    expect(accepts()).toBe(true);
    expect(accepts({ body: Buffer.from(body) })).toBe(true);
    expect(accepts({ body: new Uint8Array(Buffer.from(body)), signature: [signed(body)] })).toBe(
      true,
    );
  });

  it('refuses a message that is sent again later, and one of the future', () => {
    vi.setSystemTime(start + 5 * minute);
    expect(accepts()).toBe(true);
    vi.setSystemTime(start + 5 * minute + 1000);
    expect(accepts()).toBe(false);
    expect(accepts({ tolerance: 6 * minute })).toBe(true);
    vi.setSystemTime(start - 6 * minute);
    expect(accepts()).toBe(false);
  });

  it.each<[string, Partial<ReceivedWebhook>]>([
    ['another body', { body: `${body} ` }],
    ['another secret', { secret: 'secret' }],
    ['the time of another message', { signature: signed(body).replace(/\d+/, String(start / 1000 + 1)) }],
    ['a signature of the body alone', { signature: `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }],
    ['that one under a time', { signature: `t=${start / 1000},v1=${createHmac('sha256', secret).update(body).digest('hex')}` }],
    ['no signature', { signature: undefined }],
    ['two headers', { signature: [signed(body), signed(body)] }],
    ['a short one', { signature: `t=${start / 1000},v1=ab` }],
    ['a time that is no number', { signature: signed(body).replace(/\d+/, 'NaN') }],
    ['a time without end', { signature: signed(body).replace(/\d+/, '9'.repeat(400)) }],
  ])('refuses %s', (_, over) => {
    expect(accepts(over)).toBe(false);
  }); // prettier-ignore

  it('throws for a parsed body and without a secret', () => {
    expect(() => accepts({ body: JSON.parse(body) as string })).toThrow(/not a parsed value/);
    expect(() => accepts({ secret: '' })).toThrow(/secret has to be/);
  });
});
