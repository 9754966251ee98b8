/** Messages of a browser are held to limits while they are bytes. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerTooLong, MessageFilter } from '../../../src/browser/chromium/message-filter.ts';

const megabyte = 1024 * 1024;

interface Filtered {
  readonly filter: MessageFilter;
  /** The messages that were handed on. */
  readonly messages: unknown[];
}

function filtered(): Filtered {
  const messages: unknown[] = [];
  const filter = new MessageFilter((bytes) => {
    expect(bytes.at(-1)).toBe(0);
    messages.push(JSON.parse(bytes.toString('utf8', 0, bytes.length - 1)));
  });
  return { filter, messages };
}

function bytesOf(...messages: readonly object[]): Buffer {
  return Buffer.from(messages.map((one) => `${JSON.stringify(one)}\0`).join(''));
}

/** A message with a string that is never whole in memory. */
function writeLong(filter: MessageFilter, [head, tail]: readonly string[], length: number): void {
  filter.write(Buffer.from(head ?? ''));
  const piece = Buffer.from('\\u0001'.repeat(175_000));
  for (let left = length; left > 0; left -= piece.length) filter.write(piece);
  filter.write(Buffer.from(`${tail}\0`));
}

/** What Chromium sends when it opens a session of a page. */
function opened(sessionId: string, browserContextId: string): object {
  return {
    method: 'Target.attachedToTarget',
    params: {
      sessionId,
      targetInfo: { targetId: 'T', browserContextId },
      waitingForDebugger: true,
    },
  };
}

function logged(sessionId: string, value: string): object {
  const params = { type: 'log', args: [{ type: 'string', value }] };
  return { method: 'Runtime.consoleAPICalled', params, sessionId };
}

function requested(sessionId: string, url: string): object {
  return { method: 'Network.requestWillBeSent', params: { request: { url } }, sessionId };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the filter of messages', () => {
  test('hands on messages unchanged, wherever their bytes are split', () => {
    const sent = [{ id: 1, result: { a: 'é"\\' } }, opened('A', 'C'), logged('A', 'text')];
    const bytes = bytesOf(...sent);
    for (let at = 0; at <= bytes.length; at += 1) {
      const { filter, messages } = filtered();
      filter.write(bytes.subarray(0, at));
      filter.write(bytes.subarray(at));
      expect(messages).toEqual(sent);
    }
  });

  test('makes an answer that is too long an error of its call', () => {
    const { filter, messages } = filtered();
    writeLong(filter, ['{"id":7,"result":{"value":"', '"},"sessionId":"A"}'], 130 * megabyte);
    filter.write(bytesOf({ id: 8, result: {} }));
    const error = { code: -32_000, message: answerTooLong };
    expect(messages).toEqual([
      { id: 7, error, sessionId: 'A' },
      { id: 8, result: {} },
    ]);
  });

  test('hands on an answer of 100 MB', () => {
    const lengths: number[] = [];
    const filter = new MessageFilter(({ length }) => lengths.push(length));
    writeLong(filter, ['{"id":7,"result":{"value":"', '"}}'], 100 * megabyte);
    expect(lengths).toHaveLength(1);
    expect(lengths[0]).toBeGreaterThan(100 * megabyte);
  });

  test.each(['\\u00e9', '\\"', '\\\\', 'é', 'x'])(
    'empties the long strings of an event that is too long: %s',
    (unit) => {
      const text = unit.repeat(20_000);
      const event = `{"method":"Runtime.consoleAPICalled","params":{"args":["${text}","b\\"c"],"n":[1,{"d":"${text}"}]},"sessionId":"A"}\0`;
      const bytes = Buffer.from(event);
      for (const size of [1, 7, 65_536]) {
        const { filter, messages } = filtered();
        for (let at = 0; at < bytes.length; at += size) filter.write(bytes.subarray(at, at + size));
        expect(messages).toEqual([
          {
            method: 'Runtime.consoleAPICalled',
            params: { args: ['', 'b"c'], n: [1, { d: '' }] },
            sessionId: 'A',
          },
        ]);
      }
    },
  );

  test('drops what is too long in short strings; its context is over where something waits', () => {
    const { filter, messages } = filtered();
    let over = 0;
    filter.write(bytesOf(opened('A', 'C')));
    filter.watch('C', () => (over += 1));
    messages.length = 0;
    const many = Array.from({ length: 100_000 }, () => 'short');
    filter.write(bytesOf({ method: 'Log.entryAdded', params: many, sessionId: 'A' }));
    filter.write(bytesOf(logged('A', 'next')));
    expect(over).toBe(0);
    expect(messages).toEqual([logged('A', 'next')]);
    const more = Array.from({ length: 2_000_000 }, () => 'short');
    filter.write(bytesOf({ method: 'Page.frameNavigated', params: more, sessionId: 'A' }));
    expect(over).toBe(1);
  });

  test('ends a context that reports too much, and no other one', () => {
    const { filter, messages } = filtered();
    const over: string[] = [];
    filter.write(bytesOf(opened('A', 'C'), opened('B', 'D')));
    const watch = filter.watch('C', () => over.push('C'));
    filter.watch('D', () => over.push('D'));
    // A worker of the page: its session is opened in the page's.
    filter.write(bytesOf({ ...opened('W', 'C'), sessionId: 'A' }));
    messages.length = 0;
    const text = 'x'.repeat(1_000);
    const logs = bytesOf(...Array.from({ length: 1_000 }, () => logged('W', text)));
    let rounds = 0;
    while (over.length === 0 && rounds < 200) {
      filter.write(logs);
      rounds += 1;
    }
    expect(over).toEqual(['C']);
    expect(rounds).toBeGreaterThan(20);
    // The second half of the allowance is for other events.
    expect(messages.length).toBeLessThan(30_000);
    expect(messages.length).toBeGreaterThan(20_000);
    messages.length = 0;
    filter.write(bytesOf(requested('A', '/late'), { id: 3, result: {}, sessionId: 'A' }));
    filter.write(bytesOf(requested('B', '/other')));
    expect(messages).toEqual([{ id: 3, result: {}, sessionId: 'A' }, requested('B', '/other')]);
    watch[Symbol.dispose]();
    expect(over).toEqual(['C']);
  });

  test('lets a context go on that reports little at a time', () => {
    const { filter } = filtered();
    let over = 0;
    filter.write(bytesOf(opened('A', 'C')));
    filter.watch('C', () => (over += 1));
    const second = bytesOf(
      ...Array.from({ length: 3 }, () => requested('A', 'x'.repeat(megabyte))),
    );
    for (let at = 0; at < 100; at += 1) {
      filter.write(second);
      vi.advanceTimersByTime(1_000);
    }
    expect(over).toBe(0);
  });

  test('counts one long message by its length', () => {
    const { filter, messages } = filtered();
    let over = 0;
    filter.write(bytesOf(opened('A', 'C')));
    filter.watch('C', () => (over += 1));
    const ends = ['{"method":"Runtime.exceptionThrown","params":{"text":"', '"},"sessionId":"A"}'];
    writeLong(filter, ends, 40 * megabyte);
    expect(over).toBe(0);
    writeLong(filter, ends, 40 * megabyte);
    expect(over).toBe(1);
    expect(messages).toContainEqual({
      method: 'Runtime.exceptionThrown',
      params: { text: '' },
      sessionId: 'A',
    });
  });
});
