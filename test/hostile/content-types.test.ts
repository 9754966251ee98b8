/** Content that is not what its header, its name or its first bytes say. */
import { gzipSync } from 'node:zlib';
import { runScenarios } from './run-scenarios.ts';
import type { Outcome, Scenario } from './scenario.ts';

/** A body under a type, and what comes of it. */
function typed(
  name: string,
  type: string | undefined,
  body: string | Uint8Array,
  expect: Outcome,
): Scenario {
  return {
    name,
    site: {
      '/': ({ response }) => {
        if (type !== undefined) response.setHeader('content-type', type);
        response.end(body);
      },
    },
    expect,
  };
}

const reads = (markdown: string | RegExp, contentType: string): Outcome => ({
  document: { markdown, metadata: { contentType } },
});
const refuses = (type: string): Outcome => ({
  code: 'UNSUPPORTED_CONTENT',
  message: new RegExp(
    `is ${type}, which cannot be turned into text\\. .*(?:Bring a parser|parsers: \\[\\])`,
  ),
});

const html = '<!DOCTYPE html><p>Page</p>';
const png = Buffer.from('89504e470d0a1a0a0000000d494844520000000300000002', 'hex');
const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(30)]);
const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj');
const program = Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(60)]);

/** Expressions that go back over blanks take minutes of these: 60,000 of them fit into a header. */
const many = 60_000;

runScenarios([
  ...[
    ['blanks after the semicolon', `text/html;${' '.repeat(many)}`],
    ['blanks after the type', `text/html${' '.repeat(many)}x`],
    ['blanks before a parameter', `text/html; charset=utf-8${' '.repeat(many)}; a=b`],
    [
      'blanks around an equals sign',
      `text/html; charset${' '.repeat(many / 2)}=${' '.repeat(many / 2)}x`,
    ],
    ['tabs', `text/html;${'\t'.repeat(many)}x`],
    ['semicolons', `text/html${';'.repeat(many)}`],
    ['commas', `text/html${','.repeat(many)}`],
    ['quotes', `text/html; a=${'"'.repeat(many)}`],
    ['backslashes in quotes', `text/html; a="${'\\'.repeat(many)}`],
  ].map(([what = '', type]) =>
    typed(`${what} without an end in the type cost nothing`, type, html, {
      document: { markdown: 'Page' },
    }),
  ),
  typed('HTML without a type is HTML', undefined, html, reads('Page', 'text/html')),
  typed('HTML under an empty type is HTML', '', html, reads('Page', 'text/html')),
  typed('HTML under a type that is none is HTML', 'nonsense', html, reads('Page', 'text/html')),
  typed(
    'HTML under octet-stream is HTML',
    'application/octet-stream',
    html,
    reads('Page', 'text/html'),
  ),
  typed('HTML under text/plain is HTML', 'text/plain', html, reads('Page', 'text/html')),
  typed('HTML under JSON is HTML', 'application/json', html, reads('Page', 'text/html')),
  typed(
    'HTML under two types is what the last one says',
    'text/plain, text/html',
    html,
    reads('Page', 'text/html'),
  ),
  typed(
    'XHTML under XML is a page',
    'application/xml',
    '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Page</p></body></html>',
    reads('Page', 'application/xhtml+xml'),
  ),
  typed(
    'JSON under HTML is JSON',
    'text/html',
    '{"a":1}',
    reads('```json\n{\n  "a": 1\n}\n```', 'application/json'),
  ),
  typed(
    'JSON that is none stays as it is',
    'application/json',
    '{"a":',
    reads('```json\n{"a":\n```', 'application/json'),
  ),
  typed('text stays text', 'text/plain', 'a < b', reads('a < b', 'text/plain')),
  typed(
    'a program in text is a block of its language',
    'application/javascript',
    'alert(1)',
    reads('```javascript\nalert(1)\n```', 'application/javascript'),
  ),
  typed(
    'a style sheet is a block of its language',
    'text/css',
    'a{}',
    reads('```css\na{}\n```', 'text/css'),
  ),
  typed(
    'CSV is a table',
    'text/csv',
    'a,b\nx,y',
    reads('| a | b |\n| --- | --- |\n| x | y |', 'text/csv'),
  ),
  typed(
    'a feed is a document',
    'application/rss+xml',
    '<rss><channel><title>t</title></channel></rss>',
    reads('# t', 'application/rss+xml'),
  ),
  typed(
    'a feed under HTML is a feed, and one that says nothing is a block',
    'text/html',
    '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"/>',
    reads(/^```xml\n/, 'application/atom+xml'),
  ),
  typed(
    'a drawing is a picture and its words, and its script is nothing',
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><text>w</text></svg>',
    reads(/^!\[\]\(http[^)]*\)\n\nSVG image, 85 bytes\n\nw$/, 'image/svg+xml'),
  ),
  typed(
    'a fence in a text file does not end its block',
    'application/javascript',
    '```\n<script>',
    reads('````javascript\n```\n<script>\n````', 'application/javascript'),
  ),
  typed('a picture is a document', 'image/png', png, reads(/PNG image, 3 × 2 p/, 'image/png')),
  typed('a picture under HTML is one', 'text/html', png, reads(/PNG image, 3 × 2 p/, 'image/png')),
  typed('a picture without its head is refused', 'text/plain', png.subarray(0, 16), {
    code: 'UNSUPPORTED_CONTENT',
    message: /is image\/png, which cannot be read: its head is damaged or missing/,
  }),
  typed('an archive under HTML is refused', 'text/html', zip, refuses('application/zip')),
  typed(
    'a program under HTML is refused',
    'text/html',
    program,
    refuses('application/vnd.microsoft.portable-executable'),
  ),
  typed('a PDF under HTML is read as a PDF', 'text/html', pdf, {
    code: 'PDF_DAMAGED',
    message: /is a damaged PDF: .* parsers: \[\] returns the file/,
  }),
  typed(
    'a compressed file that is no encoding is refused',
    'application/gzip',
    gzipSync(Buffer.from([0, 1, 2, 3, 255])),
    { code: 'UNSUPPORTED_CONTENT', message: /which cannot be turned into text/ },
  ),
  typed(
    'bytes of no kind are refused',
    'application/octet-stream',
    Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 8]),
    refuses('application/octet-stream'),
  ),
  typed(
    'bytes of no kind under text are refused',
    'text/plain',
    Buffer.alloc(64, 1),
    refuses('application/octet-stream'),
  ),
  typed(
    'a video is refused',
    'video/mp4',
    Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom'), Buffer.alloc(20)]),
    refuses('video/mp4'),
  ),
  typed(
    'a type with a line of parameters is read',
    `text/html;${' a=b;'.repeat(1000)}`,
    html,
    reads('Page', 'text/html'),
  ),
  typed(
    'a page that begins like a picture in letters is a page',
    'text/html',
    'GIF89a is a format<p>x',
    reads('GIF89a is a format\n\nx', 'text/html'),
  ),
  typed(
    'a name that ends in .pdf does not make a PDF',
    'text/html',
    html,
    reads('Page', 'text/html'),
  ),
  {
    name: 'what a download is called does not matter',
    site: {
      '/a.exe': {
        headers: { 'content-disposition': 'attachment; filename="../../x.exe"' },
        body: '<p>Page</p>',
      },
    },
    visit: '/a.exe',
    expect: { document: { markdown: 'Page' } },
  },
]);
