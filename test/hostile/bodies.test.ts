/** Bodies that are encoded, framed or ended in ways they should not be. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import {
  type Behaviour,
  emptyBody,
  garbage,
  raw,
  reset,
  truncated,
} from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { serveSocket } from './tls-lab.ts';

const page = '<!DOCTYPE html><p>The whole page.</p>';
const whole = { document: { markdown: 'The whole page.' } } as const;
const html = 'content-type: text/html; charset=utf-8\r\n';

/** Sends a body as it is, under the name of an encoding. */
const encoded = (body: Uint8Array, encoding?: string): Behaviour => {
  return ({ response }) => {
    if (encoding !== undefined) response.setHeader('content-encoding', encoding);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(body);
  };
};

const answer = (head: string, body = ''): Behaviour =>
  raw({ bytes: `HTTP/1.1 200 OK\r\n${html}${head}\r\n${body}` });

const chunked = 'transfer-encoding: chunked\r\n';
const gzipped = gzipSync(page);
const early = /body ended early/;
const damaged = { code: 'DECOMPRESSION', message: /damaged.*accept-encoding/ } as const;
const noHttp = {
  code: 'PROTOCOL_ERROR',
  message: /not answered in valid HTTP.*Check that a web server/,
} as const;
const cut = { code: 'CONNECTION_RESET', message: /closed before.*Try again later/ } as const;

/** Answers with a status that has no body, or none that is a page. */
function status(code: number, expected: Scenario['expect'], body = ''): Scenario {
  return {
    name: `status ${code} ${body === '' ? 'without' : 'with'} a body`,
    site: {
      '/': raw({
        bytes: `HTTP/1.1 ${code} X\r\n${html}content-length: ${body.length}\r\n\r\n${body}`,
      }),
    },
    expect: expected,
  };
}

const empty = (code: number): Scenario['expect'] => ({
  document: {
    markdown: '',
    statusCode: code,
    warning: `The response has no content (status ${code}).`,
  },
});

runScenarios([
  { name: 'gzip is undone', site: { '/': encoded(gzipped, 'gzip') }, expect: whole },
  { name: 'x-gzip is gzip', site: { '/': encoded(gzipped, 'x-gzip') }, expect: whole },
  {
    name: 'an encoding in capitals is undone',
    site: { '/': encoded(gzipped, 'GZIP') },
    expect: whole,
  },
  {
    name: 'deflate with its wrapper is undone',
    site: { '/': encoded(deflateSync(page), 'deflate') },
    expect: whole,
  },
  {
    name: 'deflate without its wrapper is undone',
    site: { '/': encoded(deflateRawSync(page), 'deflate') },
    expect: whole,
  },
  {
    name: 'brotli is undone',
    site: { '/': encoded(brotliCompressSync(page), 'br') },
    expect: whole,
  },
  {
    name: 'two encodings are undone in turn',
    site: { '/': encoded(brotliCompressSync(gzipped), 'gzip, br') },
    expect: whole,
  },
  {
    name: 'double gzip is undone where the header says so',
    site: { '/': encoded(gzipSync(gzipped), 'gzip, gzip') },
    expect: whole,
  },
  {
    name: 'identity is no encoding',
    site: { '/': encoded(Buffer.from(page), 'identity') },
    expect: whole,
  },
  {
    name: 'gzip in pieces of several members is undone',
    site: {
      '/': encoded(Buffer.concat([gzipSync('<p>The whole '), gzipSync('page.</p>')]), 'gzip'),
    },
    expect: whole,
  },
  {
    name: 'a body that is not gzip though the header says so is read as it is, with a warning',
    site: { '/': encoded(Buffer.from(page), 'gzip') },
    expect: { document: { markdown: 'The whole page.', warning: /gzip/ } },
  },
  {
    name: 'gzip that the header does not mention is undone',
    site: { '/': encoded(gzipped) },
    expect: { document: { markdown: 'The whole page.', warning: /gzip/ } },
  },
  {
    name: 'an unknown encoding is told, and the bytes are refused for what they are',
    site: { '/': encoded(Buffer.from([1, 2, 3, 4, 0, 255, 254, 8, 9]), 'sdch') },
    expect: { code: 'UNSUPPORTED_CONTENT', message: /cannot be turned into text/ },
  },
  {
    name: 'gzip data that is damaged in the middle is an error',
    site: {
      '/': encoded(
        Buffer.concat([gzipped.subarray(0, 14), Buffer.alloc(20, 0xff), gzipped.subarray(34)]),
        'gzip',
      ),
    },
    expect: damaged,
  },
  {
    name: 'brotli data that is none is read as it is, with a warning',
    site: { '/': encoded(Buffer.alloc(200, 0xff), 'br') },
    expect: {
      document: { markdown: /^\ufffd{200}$/, warning: /calls it br-encoded, which it is not/ },
    },
  },
  {
    name: 'gzip data that stops early is a document with a warning',
    site: {
      '/': encoded(
        gzipSync(`<p>${Array.from({ length: 9000 }, (_, at) => `word${at}`).join(' ')}`).subarray(
          0,
          9000,
        ),
        'gzip',
      ),
    },
    expect: { document: { markdown: /^word0 word1/, warning: early } },
  },
  {
    name: 'an empty body that is called gzip is empty',
    site: { '/': encoded(Buffer.alloc(0), 'gzip') },
    expect: empty(200),
  },
  {
    name: 'a body shorter than declared is a document with a warning',
    site: {
      '/': (exchange) =>
        truncated()({
          ...exchange,
          page: () =>
            Promise.resolve({
              status: 200,
              headers: { 'content-type': 'text/html' },
              body: Buffer.from(page),
              delay: 0,
            }),
        }),
    },
    expect: { document: { markdown: 'The whole page.', warning: early } },
  },
  {
    name: 'a body of which nothing comes is an error',
    site: { '/': answer('content-length: 100\r\n') },
    expect: { code: 'TRUNCATED_BODY', message: /ended before the body.*Try again later/ },
  },
  {
    name: 'a reset in the middle of a body is a document with a warning',
    site: { '/': reset({ when: 'afterHeaders' }) },
    expect: { document: { markdown: 'And then', warning: early } },
  },
  { name: 'a reset before the headers is an error', site: { '/': reset() }, expect: cut },
  {
    name: 'a connection that closes before the headers is an error',
    site: { '/': ({ request }) => void request.socket.end() },
    expect: cut,
  },
  {
    name: 'a connection that closes within the headers is an error',
    site: { '/': raw({ bytes: 'HTTP/1.1 200 OK\r\ncontent-ty' }) },
    expect: { code: 'CONNECTION_RESET', message: /Try again later/ },
  },
  {
    name: 'chunks are put together',
    site: { '/': answer(chunked, '9\r\n<p>The wh\r\n7\r\nole pag\r\n6\r\ne.</p>\r\n0\r\n\r\n') },
    expect: whole,
  },
  {
    name: 'chunks with extensions and trailers are put together',
    site: { '/': answer(chunked, '16;a=b\r\n<p>The whole page.</p>\r\n0\r\nx-trailer: 1\r\n\r\n') },
    expect: whole,
  },
  {
    name: 'chunks without the last one are a document with a warning',
    site: { '/': answer(chunked, '16\r\n<p>The whole page.</p>\r\n') },
    expect: { document: { markdown: 'The whole page.', warning: early } },
  },
  {
    name: 'a chunk whose length is no number ends the document with a warning',
    site: { '/': answer(chunked, '16\r\n<p>The whole page.</p>\r\nzz\r\nmore') },
    expect: { document: { markdown: 'The whole page.', warning: early } },
  },
  {
    name: 'chunks that begin with garbage are an error',
    site: { '/': answer(chunked, 'no chunk at all') },
    expect: noHttp,
  },
  {
    name: 'a chunk of negative length is an error',
    site: { '/': answer(chunked, '-5\r\n<p>a</p>') },
    expect: noHttp,
  },
  {
    name: 'a chunk longer than any memory is not waited for when the connection ends',
    site: { '/': answer(chunked, 'fffffffffffffff0\r\n<p>a</p>') },
    expect: { document: { markdown: 'a', warning: early } },
  },
  {
    name: 'a body with a length and chunks at once is refused',
    site: { '/': answer(`content-length: 5\r\n${chunked}`, '5\r\n<p>a\n\r\n0\r\n\r\n') },
    expect: noHttp,
  },
  {
    name: 'two lengths that differ are refused',
    site: { '/': answer('content-length: 5\r\ncontent-length: 6\r\n', '<p>abc') },
    expect: noHttp,
  },
  {
    name: 'a length that is no number is refused',
    site: { '/': answer('content-length: many\r\n', '<p>abc') },
    expect: noHttp,
  },
  {
    name: 'a response of HTTP/1.0 without a length ends with the connection',
    site: { '/': raw({ bytes: `HTTP/1.0 200 OK\r\n${html}\r\n${page}` }) },
    expect: whole,
  },
  {
    name: 'a response without a length ends with the connection',
    site: { '/': answer('', page) },
    expect: whole,
  },
  {
    name: 'early hints come before the response',
    site: {
      '/': raw({
        bytes: [
          'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n',
          'HTTP/1.1 102 Processing\r\n\r\n',
          `HTTP/1.1 200 OK\r\n${html}content-length: ${page.length}\r\n\r\n${page}`,
        ],
      }),
    },
    expect: whole,
  },
  {
    name: 'a switch of protocols that nobody asked for is refused',
    site: {
      '/': raw({
        bytes: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      }),
    },
    expect: noHttp,
  },
  {
    name: 'a 101 without an upgrade is refused',
    site: {
      '/': raw({
        bytes: 'HTTP/1.1 101 Switching Protocols\r\ncontent-length: 0\r\n\r\n',
      }),
    },
    expect: noHttp,
  },
  { name: 'what is no HTTP is refused', site: { '/': garbage() }, expect: noHttp },
  {
    name: 'the greeting of another protocol is refused',
    act: async (scene) => {
      const port = await serveSocket(scene, (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'));
      return await scene.scrape(`http://127.0.0.1:${port}/`);
    },
    expect: noHttp,
  },
  {
    name: 'a response of HTTP/0.9 is refused',
    site: { '/': raw({ bytes: page }) },
    expect: noHttp,
  },
  {
    name: 'a header without a colon is refused',
    site: { '/': raw({ bytes: 'HTTP/1.1 200 OK\r\nno colon here\r\n\r\nabc' }) },
    expect: noHttp,
  },
  {
    name: 'a header with a NUL is refused',
    site: { '/': raw({ bytes: 'HTTP/1.1 200 OK\r\nx-a: a\0b\r\n\r\nabc' }) },
    expect: noHttp,
  },
  {
    name: 'a status of four digits is refused',
    site: { '/': raw({ bytes: 'HTTP/1.1 2000 OK\r\n\r\nabc' }) },
    expect: noHttp,
  },
  {
    name: 'a response that comes byte by byte is read',
    site: {
      '/': raw({
        bytes: [...'HTTP/1.1 20', `0 OK\r\n${html}content-length: 11\r\n\r\n`, ...'<p>slow</p>'],
      }),
    },
    expect: { document: { markdown: 'slow' } },
  },
  {
    name: 'more bytes than declared are not part of the page',
    site: {
      '/': answer('content-length: 22\r\n', '<p>The whole page.</p><script>evil()</script>'),
    },
    expect: whole,
  },
  {
    name: 'a second response that nobody asked for is not given to the next request',
    act: async (scene) => {
      const one = (text: string): string =>
        `HTTP/1.1 200 OK\r\n${html}content-length: ${text.length}\r\n\r\n${text}`;
      const port = await serveSocket(scene, (socket) => {
        socket.on('data', (request) => {
          const path = /^GET (\S+)/.exec(request.toString())?.[1];
          socket.write(one(`<p>${path}</p>`) + (path === '/1' ? one('<p>smuggled</p>') : ''));
        });
      });
      const pages: unknown[] = [];
      for (const path of ['/1', '/2', '/3']) {
        const page = (await scene.scrape(`http://127.0.0.1:${port}${path}`)) as {
          markdown: string;
        };
        pages.push(page.markdown);
      }
      return pages;
    },
    expect: { value: ['/1', '/2', '/3'] },
  },
  {
    name: 'a kept connection that died meanwhile is replaced once, unseen',
    act: async (scene) => {
      let connections = 0;
      const port = await serveSocket(scene, (socket, number) => {
        connections = number;
        let requests = 0;
        socket.on('data', () => {
          // The second request on a connection meets a reset, as at the end of a keep-alive time.
          if (++requests > 1) return void socket.resetAndDestroy();
          socket.write(`HTTP/1.1 200 OK\r\n${html}content-length: 8\r\n\r\n<p>${number}</p>`);
        });
      });
      const first = (await scene.scrape(`http://127.0.0.1:${port}/`)) as { markdown: string };
      const second = (await scene.scrape(`http://127.0.0.1:${port}/`)) as { markdown: string };
      return [first.markdown, second.markdown, connections];
    },
    expect: { value: ['1', '2', 2] },
  },
  {
    name: 'a fresh connection that is reset is not tried again when no retries are wanted',
    act: async (scene) => {
      let connections = 0;
      const port = await serveSocket(scene, (socket, number) => {
        connections = number;
        socket.on('data', () => socket.resetAndDestroy());
      });
      const code: unknown = await scene
        .scrape(`http://127.0.0.1:${port}/`)
        .catch((error: unknown) => (error as { code?: string }).code);
      return [code, connections];
    },
    expect: { value: ['CONNECTION_RESET', 1] },
  },
  {
    name: 'a port on which nobody listens is refused',
    act: async (scene) => {
      const port = Number(new URL(scene.other.origin).port);
      await scene.other.close();
      return await scene.scrape(`http://127.0.0.2:${port}/`);
    },
    expect: { code: 'CONNECTION_REFUSED', message: /Check the host and port/ },
  },
  { name: 'an empty body is told', site: { '/': emptyBody() }, expect: empty(200) },
  status(204, empty(204)),
  status(205, empty(205)),
  status(304, empty(304)),
  status(
    206,
    { document: { markdown: 'Part', statusCode: 206, warning: /sent only a part of the page/ } },
    '<p>Part</p>',
  ),
  status(404, { document: { markdown: 'Gone', statusCode: 404 } }, '<p>Gone</p>'),
  status(500, { document: { markdown: 'Broken', statusCode: 500 } }, '<p>Broken</p>'),
  status(599, { document: { markdown: 'Odd', statusCode: 599 } }, '<p>Odd</p>'),
]);
