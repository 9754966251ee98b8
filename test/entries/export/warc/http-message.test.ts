import { describe, expect, test } from 'vitest';
import { readHttpMessage } from '../../../../src/entries/export/warc/read-record.ts';

const read = (text: string): ReturnType<typeof readHttpMessage> =>
  readHttpMessage(Buffer.from(text, 'latin1'));

describe('the head', () => {
  test.each([
    ['HTTP/1.1 200 OK\r\nA: 1\r\n\r\nbody', 200, { a: '1' }],
    ['HTTP/1.0 404\r\n\r\nbody', 404, {}],
    ['HTTP/2 204 \nA:1\n\nbody', 204, { a: '1' }],
    ['HTTP/1.1 200 OK\r\nA: 1\r\n  and\r\n\tmore\r\na: 2\r\n\r\nbody', 200, { a: '1 and more, 2' }],
    ['HTTP/1.1 200 OK\r\n folded\r\nnone\r\n: empty\r\nA : 1\r\n\r\nbody', 200, { a: '1' }],
    ['HTTP/1.1 200 OK\r\n__proto__: 1\r\n\r\nbody', 200, JSON.parse('{"__proto__":"1"}')],
  ])('of %j', (text, statusCode, headers) => {
    expect(read(text)).toEqual({ statusCode, headers, body: Buffer.from('body') });
  });

  test('may be all there is', () => {
    expect(read('HTTP/1.1 301 Moved\r\nLocation: /a')).toEqual({
      statusCode: 301,
      headers: { location: '/a' },
      body: Buffer.alloc(0),
    });
  });

  test.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['a request', 'GET / HTTP/1.1\r\n\r\n'],
    ['a status of words', 'HTTP/1.1 no status\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a head without an end', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(100_000)}`],
    ['an endless line', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(300_000)}\r\n\r\n`],
  ])('is none: %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });
});

describe('chunks', () => {
  test.each([
    ['are undone', '5\r\nHello\r\n7;x=y\r\n, world\r\n0\r\nTrailer: 1\r\n\r\n', 'Hello, world'],
    ['end in line feeds alone', '5\nHello\n7 \n, world\n0\n\n', 'Hello, world'],
    ['that were undone already', '<p>Hello', '<p>Hello'],
    ['begin with a length that lies', 'ffff\r\nHello\r\n0\r\n\r\n', 'ffff\r\nHello\r\n0\r\n\r\n'],
    ['of no length', '0\r\n\r\n', ''],
    ['that break off in a chunk', '5\r\nHello\r\n7\r\n, wo', 'Hello, wo'],
    ['that break off between two', '5\r\nHello\r\n', 'Hello'],
    ['that go on as something else', '5\r\nHello\r\nxyz\r\n, world', 'Hello'],
  ])('%s', (_, body, expected) => {
    const message = read(`HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n${body}`);
    expect(message?.body.toString()).toBe(expected);
  });
});
