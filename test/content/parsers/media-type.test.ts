import zlib from 'node:zlib';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { detectMediaType } from '../../../src/content/parsers/media-type.ts';
import { archive } from '../../support/office-file.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

function typeOf(
  declared: string | undefined,
  body: string | Buffer,
  url = 'http://a.test/x',
): string {
  return detectMediaType(declared, Buffer.from(body), url).mediaType;
}

/** An entry that is stored, with its header. */
const zipEntry = (name: string, content = ''): string => {
  const header = Buffer.alloc(30);
  header.write('PK\x03\x04', 'latin1');
  header.writeUInt32LE(content.length, 18);
  header.writeUInt32LE(content.length, 22);
  header.writeUInt16LE(name.length, 26);
  return header.toString('latin1') + name + content;
};

const files: [mediaType: string, body: Buffer][] = [
  ['application/pdf', latin1('%PDF-1.7\n%\xe2\xe3')],
  ['application/pdf', latin1('%PDF-1.4\n1 0 obj')],
  ['image/png', latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
  ['image/jpeg', latin1('\xff\xd8\xff\xe0\0\x10JFIF\0')],
  ['image/gif', latin1('GIF89a\x01\0\x01\0')],
  ['image/webp', latin1('RIFF\x24\0\0\0WEBPVP8 ')],
  ['image/avif', latin1('\0\0\0\x20ftypavif\0\0\0\0')],
  ['image/heic', latin1('\0\0\0\x20ftypheic\0\0\0\0')],
  ['image/tiff', latin1('II*\0\x08\0\0\0')],
  ['image/x-icon', latin1('\0\0\x01\0\x01\0')],
  ['video/mp4', latin1('\0\0\0\x18ftypmp42\0\0\0\0')],
  ['video/quicktime', latin1('\0\0\0\x14ftypqt  \0\0\0\0')],
  ['audio/mp4', latin1('\0\0\0\x14ftypM4A \0\0\0\0')],
  ['video/webm', latin1('\x1a\x45\xdf\xa3\x01')],
  ['audio/mpeg', latin1('ID3\x03\0')],
  ['audio/wav', latin1('RIFF\x24\0\0\0WAVEfmt \x10\0')],
  ['application/ogg', latin1('OggS\0\x02')],
  ['application/gzip', zlib.gzipSync('<html>')],
  ['application/zip', latin1(zipEntry('readme.txt'))],
  ['application/epub+zip', latin1(zipEntry('mimetype', 'application/epub+zip'))],
  [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    latin1(zipEntry('[Content_Types].xml') + zipEntry('word/document.xml')),
  ],
  [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    latin1(zipEntry('[Content_Types].xml') + zipEntry('xl/workbook.xml')),
  ],
  ['application/x-ole-storage', latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0')],
  ['font/woff2', latin1('wOF2\0\x01\0\0')],
  ['application/wasm', latin1('\0asm\x01\0\0\0')],
  ['application/vnd.rar', latin1('Rar!\x1a\x07\x01\0')],
  ['application/x-7z-compressed', latin1('7z\xbc\xaf\x27\x1c\0')],
  ['application/zstd', latin1('\x28\xb5\x2f\xfd\x04')],
  ['application/x-elf', latin1('\x7fELF\x02\x01\x01\0')],
];

describe('a file', () => {
  test.each(files)('%s is known by its bytes, whatever the header says', (mediaType, body) => {
    const lies = [undefined, 'text/html', 'text/plain; charset=utf-8', 'application/json'];
    for (const declared of [
      ...lies,
      'application/octet-stream',
      'image/bmp',
      'text/xml',
      'nonsense',
    ]) {
      expect(typeOf(declared, body, 'http://a.test/page.html')).toBe(mediaType);
    }
  });

  test('is that of an archive, not of the office files and books that are stored in it', () => {
    const docx = archive({
      '[Content_Types].xml': 'x',
      '_rels/.rels': 'x',
      'word/document.xml': 'x',
    });
    const epub = zipEntry('mimetype', 'application/epub+zip') + zipEntry('META-INF/container.xml');
    const names = [
      'letter.docx',
      'word/document.xml.bak',
      'old/_rels/.rels',
      'x[Content_Types].xml',
    ];
    const stored = Object.fromEntries(
      [...names, 'book.epub'].map((name) => [name, name === 'book.epub' ? latin1(epub) : docx]),
    );
    const whole = Buffer.from(zipSync(stored, { level: 0 }));
    expect(typeOf(undefined, whole)).toBe('application/zip');
    // Cut off before the directory.
    expect(typeOf(undefined, whole.subarray(0, whole.length - 300))).toBe('application/zip');
    expect(typeOf(undefined, zipEntry('a', 'x') + epub.replace('META-INF', 'METAS'))).toBe(
      'application/zip',
    );
    expect(typeOf(undefined, Buffer.from(docx))).toContain('wordprocessingml');
  });

  test('in a container keeps the type of its header', () => {
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    expect(typeOf(docx, zipEntry('a.bin'))).toBe(docx);
    expect(typeOf('application/msword', latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0'))).toBe(
      'application/msword',
    );
    expect(typeOf('application/java-archive', zipEntry('META-INF/'))).toBe(
      'application/java-archive',
    );
  });

  test('without a known signature is what its header says, or nothing', () => {
    const bytes = Buffer.from([1, 2, 3, 4, 5, 0, 0, 9]);
    expect(typeOf('application/x-thing', bytes)).toBe('application/x-thing');
    expect(typeOf('image/x-thing', bytes)).toBe('image/x-thing');
    expect(typeOf('text/plain', bytes)).toBe('application/octet-stream');
    expect(typeOf('application/json', bytes)).toBe('application/octet-stream');
    expect(typeOf(undefined, bytes)).toBe('application/octet-stream');
    expect(typeOf('application/octet-stream', latin1('\n\n\0%PDF-1.4'))).toBe('application/pdf');
  });

  test('of random bytes is no text, whatever the header says', () => {
    let state = 1;
    const random = Buffer.from(
      Array.from({ length: 2000 }, () => (state = (state * 48_271) % 0x7fffffff) & 0xff),
    );
    for (const declared of [
      'text/html',
      'text/plain',
      'text/markdown',
      'application/json',
      'text/xml',
    ]) {
      expect(typeOf(declared, random)).toBe('application/octet-stream');
    }
    expect(typeOf('application/x-thing', random)).toBe('application/x-thing');
  });

  test('is not a page with a few control characters in it', () => {
    const page = `<html><p>${'words '.repeat(50)}\0\x01\x02`;
    expect(typeOf('text/html', page)).toBe('text/html');
    expect(typeOf('text/markdown', page)).toBe('text/markdown');
  });

  test.each([
    'GIF89a is a format of images',
    'PK\x03 of nothing',
    'the ftyp box',
    'ID3 tags',
    '8BPS',
  ])('is not %j, a text that starts like one', (body) => {
    expect(typeOf('text/plain', body.replace('\x03', ''))).toBe('text/plain');
  });
});

describe('text', () => {
  const cases: [declared: string | undefined, body: string, expected: string][] = [
    // The header, when it is sane
    ['text/html', '<p>hi', 'text/html'],
    ['TEXT/HTML; charset=utf-8', 'hi', 'text/html'],
    ['text/html', 'plain words', 'text/html'],
    ['text/html', '{ not json', 'text/html'],
    ['text/html', '[link](url)', 'text/html'],
    ['application/xhtml+xml', '<html>', 'application/xhtml+xml'],
    ['text/plain', 'words', 'text/plain'],
    ['text/plain', '<p>hi', 'text/plain'],
    ['text/plain', '{"a":1}', 'text/plain'],
    ['text/plain', '<?xml version="1.0"?><a/>', 'text/plain'],
    ['text/markdown', '# hi', 'text/markdown'],
    ['text/markdown', '<html>', 'text/markdown'],
    ['text/csv', 'a,b', 'text/csv'],
    ['text/css', 'p {}', 'text/css'],
    ['application/javascript', 'let a', 'application/javascript'],
    ['application/yaml', 'a: 1', 'application/yaml'],
    ['application/json', '{"a":1}', 'application/json'],
    ['application/json', 'broken', 'application/json'],
    ['text/json', '[]', 'text/json'],
    ['application/ld+json', '{}', 'application/ld+json'],
    ['application/xml', '<a/>', 'application/xml'],
    ['text/xml; charset=utf-8', '<a/>', 'text/xml'],
    ['application/rss+xml', '<rss/>', 'application/rss+xml'],
    ['image/svg+xml', '<svg/>', 'image/svg+xml'],
    ['text/html', '<svg><path/></svg><p>The page.', 'text/html'],
    ['text/html', '<?xml version="1.0"?><svg/>', 'image/svg+xml'],
    // A header that lies
    ['text/plain', '<!DOCTYPE html><title>x', 'text/html'],
    ['text/plain', '  \n<!-- c --> <!-- d --><HTML lang=en>', 'text/html'],
    ['text/plain', '<!doctype htmlx><p>', 'text/plain'],
    ['application/json', '<!doctype html><p>error', 'text/html'],
    ['application/json', '<html><body>502', 'text/html'],
    ['application/pdf', '<html>not found', 'text/html'],
    ['image/png', '<!doctype html>', 'text/html'],
    ['text/html', '{"a": [1, 2]}', 'application/json'],
    ['text/html', '\ufeff  [1]\n', 'application/json'],
    ['text/html', '<?xml version="1.0"?><rss version="2.0">', 'application/rss+xml'],
    ['text/html', '<rss version="2.0">', 'application/rss+xml'],
    ['text/html', '<?xml version="1.0"?><!-- x --><feed xmlns="a">', 'application/atom+xml'],
    ['text/html', '<?xml version="1.0"?><urlset>', 'application/xml'],
    ['text/html', '<?xml version="1.0"?><catalog>', 'application/xml'],
    ['text/html', '<?xml version="1.0"?><!DOCTYPE html><html>', 'text/html'],
    ['text/html', '<?xml version="1.0"?><html>', 'text/html'],
    [
      'application/xml',
      '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">',
      'application/xhtml+xml',
    ],
    ['text/xml', '<!DOCTYPE html [<!ENTITY a "b">]><html>', 'application/xhtml+xml'],
    ['application/x-subrip', '1\n00:00:01,000', 'text/plain'],
    ['application/x-thing', '{"a":1}', 'application/json'],
    ['image/x-thing', 'words', 'image/x-thing'],
    // A header that says nothing
    [undefined, '<!doctype html>', 'text/html'],
    [undefined, '<div class=a>', 'text/html'],
    [undefined, '<h1>x</h1>', 'text/html'],
    [undefined, '<p>', 'text/html'],
    [undefined, '<!-- only a comment', 'text/html'],
    [undefined, '<people>', 'text/plain'],
    [undefined, '<-- arrow', 'text/plain'],
    [undefined, 'a < b', 'text/plain'],
    [undefined, '{"a":1}', 'application/json'],
    [undefined, '{a:1}', 'text/plain'],
    [undefined, '[1, 2', 'text/plain'],
    [undefined, '<?xml version="1.0"?><a/>', 'application/xml'],
    [undefined, '<svg xmlns="x">', 'image/svg+xml'],
    [undefined, 'words', 'text/plain'],
    ['application/octet-stream', '<html>', 'text/html'],
    ['application/octet-stream', 'words', 'text/plain'],
    ['binary/octet-stream; charset=x', '{"a":1}', 'application/json'],
    ['nonsense', '<html>', 'text/html'],
    ['', '<html>', 'text/html'],
    ['text/', 'words', 'text/plain'],
    ['text', 'words', 'text/plain'],
    ['charset=utf-8', '<html>', 'text/html'],
    // Nothing at all
    [undefined, '', 'text/plain'],
    ['text/html', '', 'text/html'],
    ['image/png', '', 'image/png'],
    // Several headers
    ['text/html, text/plain', 'words', 'text/plain'],
    ['text/html, nonsense', 'words', 'text/html'],
    ['text/html charset=utf-8', 'words', 'text/html'],
    ['text/html, */*', 'words', 'text/html'],
    ['*/*', '<html>', 'text/html'],
    ['*/*', 'words', 'text/plain'],
    ['text/*', 'words', 'text/*'],
    ['text/html;', 'words', 'text/html'],
    ['text/html; x="a, b/c"', 'words', 'text/html'],
    ['text/html; x="text/plain, application/json"', 'words', 'text/html'],
    ['application/json; profile="http://a.test/?x=1,2"', '{}', 'application/json'],
    ['text/html; charset="utf-8', 'words', 'text/html'],
    ['  Text/HTML  ', 'words', 'text/html'],
    ['text /html', '<html>', 'text/html'],
    ['text/ht ml', 'words', 'text/ht'],
    ['\0', 'words', 'text/plain'],
    [',,,;;;===', 'words', 'text/plain'],
    // Text under the name of a file
    ['image/png', 'words', 'image/png'],
    ['image/png', '<html>', 'text/html'],
    ['application/zip', 'words', 'text/plain'],
    ['application/pdf', 'words', 'application/pdf'],
    ['video/mp4', '{"a":1}', 'video/mp4'],
  ];
  test.each(cases)('%s with %j is %s', (declared, body, expected) => {
    expect(typeOf(declared, body)).toBe(expected);
  });

  test('is not judged by the file name, but for Markdown and CSV without a header', () => {
    for (const name of ['a.html', 'a.pdf', 'a.json', 'a.xml', 'a.png']) {
      expect(typeOf(undefined, 'words', `http://a.test/${name}`)).toBe('text/plain');
      expect(typeOf('text/html', 'words', `http://a.test/${name}`)).toBe('text/html');
    }
    expect(typeOf(undefined, '# words', 'http://a.test/README.md')).toBe('text/markdown');
    expect(typeOf(undefined, 'a,b', 'http://a.test/x.CSV?v=1')).toBe('text/csv');
    expect(typeOf('text/plain', 'a,b', 'http://a.test/x.csv')).toBe('text/plain');
    expect(typeOf(undefined, '<html>', 'http://a.test/README.md')).toBe('text/html');
  });

  test('in UTF-16 is text', () => {
    const page = Buffer.from('\ufeff<!doctype html><p>hi', 'utf16le');
    expect(typeOf(undefined, page)).toBe('text/html');
    expect(typeOf('text/plain', page)).toBe('text/html');
    expect(typeOf('text/plain', Buffer.from(page).swap16())).toBe('text/html');
    expect(typeOf('text/plain; charset=utf-16le', Buffer.from('hi', 'utf16le'))).toBe('text/plain');
    const unmarked = Buffer.from('<!doctype html><p>hi', 'utf16le');
    expect(typeOf(undefined, unmarked)).toBe('text/html');
    expect(typeOf('text/html', unmarked)).toBe('text/html');
    expect(typeOf('text/plain', Buffer.from(unmarked).swap16())).toBe('text/html');
  });

  test('of hostile comments is judged in no time', () => {
    for (const body of [
      '<!---->'.repeat(100_000),
      '<!--'.repeat(100_000),
      '<?x>'.repeat(100_000),
    ]) {
      const start = cpuTime();
      typeOf('text/plain', body);
      typeOf(undefined, body);
      expect(cpuTime() - start).toBeLessThan(100);
    }
  });
});

describe('JSON without a type of its own', () => {
  const rows = (count: number): string =>
    JSON.stringify(
      Array.from({ length: count }, (_, id) => ({ id, name: `"Item" \\\\ ${id}`, ok: true })),
    );
  const fill = 'x'.repeat(200_000);

  test.each([
    ['an array', '[]', true],
    ['an object', ' {"a": [1, -2.5e3, true, false, null, {}]} ', true],
    ['of many rows', rows(10_000), true],
    ['with one long string', `{"a": "${fill}"}`, true],
    ['with one long string and escapes', `{"a\\"b": "${'\\\\n'.repeat(50_000)}"}`, true],
    ['indented', JSON.stringify(JSON.parse(rows(5_000)), null, 2), true],
    ['that is cut', rows(10_000).slice(0, -5), false],
    ['that is cut to a few', '{"a": 1', false],
    ['of numbers only', `[${'1,'.repeat(100_000)}1]`, true],
    ['a long text in brackets', `[1] ${fill} [2]`, false],
    ['a long text in braces', `{"a"} ${fill} }`, false],
    ['a long link', `[link](http://a.test/) ${fill} ]`, false],
    ['a long script', `{"use strict"; ${fill} }`, false],
    ['a template', `{{ title }} ${fill} }}`, false],
    ['two values', `["a" "b", ${fill}]`, false],
  ])('%s is told', (_, body, isJson) => {
    expect(typeOf('text/html', body)).toBe(isJson ? 'application/json' : 'text/html');
    expect(typeOf(undefined, body)).toBe(isJson ? 'application/json' : 'text/plain');
  });

  test('is told by its beginning and its end where it is long: parsing takes too long', () => {
    const long = rows(10_000);
    const broken = `${long.slice(0, 200_000)}<<<${long.slice(200_000)}`;
    expect(typeOf('text/html', broken)).toBe('application/json');
  });
});

describe('the charset', () => {
  test.each([
    ['text/html; charset=utf-8', 'utf-8'],
    ['text/html;charset=UTF-8', 'UTF-8'],
    ['text/html; charset="windows-1251"', 'windows-1251'],
    ["text/html; charset='koi8-r'", 'koi8-r'],
    ['text/html; CharSet = Shift_JIS ; x=y', 'Shift_JIS'],
    ['text/html; x=y; charset=a; charset=b', 'a'],
    ['text/html charset=utf-8', 'utf-8'],
    ['text/html; mycharset=utf-8', undefined],
    ['text/html; charset=', undefined],
    ['text/html; charset=utf-8, text/plain', undefined],
    ['text/html; charset=utf-8, text/html', 'utf-8'],
    ['application/octet-stream; charset=utf-8', 'utf-8'],
    ['text/html; charset=utf-8, text/html; charset=koi8-r', 'koi8-r'],
    ['text/html; charset=utf-8, */*', 'utf-8'],
    ['text/html; charset="utf-8', 'utf-8'],
    ['text/html; charset="a\\"b"', 'a"b'],
    ['text/html; x="charset=koi8-r"; charset=utf-8', 'utf-8'],
    ['text/html; x=", text/plain; charset=koi8-r"', undefined],
    ['text/html;;; charset=utf-8;', 'utf-8'],
    ['charset=utf-8', 'utf-8'],
    ['text/html', undefined],
    [undefined, undefined],
  ])('of %s is %s', (declared, charset) => {
    expect(detectMediaType(declared, Buffer.from('x'), 'http://a.test/').charset).toBe(charset);
  });
});
