/** Files that lie, do not end, or are far larger than they look: the right code, or a bounded result. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import { parse, type ScrapeOptions } from 'pagewright';
import { describe, expect, test } from 'vitest';
import { docxOf, paragraph } from '../../support/office-file.ts';

type Reading = Pick<ScrapeOptions, 'parsers' | 'limits'>;

const read = async (
  body: string | Uint8Array,
  contentType = '',
  options: Reading = {},
): Promise<string> => {
  const given = { ...options, contentType, url: 'https://files.example/x' };
  return (await parse(body, given)).markdown;
};
const archives: Reading = { parsers: ['archive'] };
const code = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'read',
    (error: unknown) => (error as { code?: unknown }).code,
  );

const rss = (items: string): string =>
  `<rss version="2.0"><channel><title>T</title>${items}</channel></rss>`;

describe('feeds', () => {
  test('entities of a document type are not expanded', async () => {
    const laughs = Array.from({ length: 9 }, (_, index) => {
      const before = index === 0 ? 'ha' : `&l${index - 1};`.repeat(10);
      return `<!ENTITY l${index} "${before}">`;
    }).join('');
    const file = '<!ENTITY f SYSTEM "file:///etc/passwd">';
    const markdown = await read(
      `<?xml version="1.0"?><!DOCTYPE rss [${laughs}${file}]>${rss('<item><title>&l8; &f;</title></item>')}`,
    );
    expect(markdown).toContain('&l8; &f;');
    expect(markdown.length).toBeLessThan(100);
  });

  test('what is nested without end is left, and what came before it is kept', async () => {
    const deep = '<a>'.repeat(200_000);
    const given = rss(`<item><title>One</title></item><item><description>${deep}`);
    const page = await parse(given, { contentType: 'application/rss+xml' });
    expect(page.markdown).toContain('## One');
    expect(page.warning).toContain('nests its elements too deep');
  });

  test('more elements than limits.nodes are PARSE_LIMIT', async () => {
    const many = rss('<item><title>x</title></item>'.repeat(5_000));
    expect(await code(read(many, '', { limits: { nodes: 1_000 } }))).toBe('PARSE_LIMIT');
  });

  test('an entry cannot reach beyond its end, run anything, or lead to a script', async () => {
    const evil =
      '&lt;/div&gt;&lt;/body&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;p onclick="x()"&gt;' +
      '&lt;a href="javascript:alert(1)"&gt;go&lt;/a&gt; &lt;!-- &lt;textarea&gt;';
    const given = rss(
      `<item><title>A</title><link>javascript:alert(1)</link><description>${evil}</description></item><item><title>B</title></item>`,
    );
    const page = await parse(given, { formats: ['markdown', 'html', 'links'] });
    expect(page.markdown).toBe('# T\n\n## A\n\ngo\n\n## B');
    expect(page.html).not.toMatch(/script|onclick/);
    expect(page.links).toEqual([]);
  });

  test.each([
    ['no end of openers', '<![CDATA['.repeat(100_000)],
    ['no end of bare ampersands', '& &a '.repeat(200_000)],
    ['attributes without end', `<item ${'a="b" '.repeat(100_000)}/>`],
    ['end tags without start', '</x>'.repeat(200_000)],
  ])('%s ends', async (_, part) => {
    expect(await read(rss(`<item><title>One</title></item>${part}`))).toContain('## One');
  });

  test('XML and JSON that are no feeds stay as they are', async () => {
    for (const xml of ['<rss/>', '<feed/>', '<rdf:RDF/>', '<rss><channel/></rss>']) {
      expect(await read(xml, 'application/xml')).toBe(`\`\`\`xml\n${xml}\n\`\`\``);
    }
    const json = '{"version":"https://jsonfeed.org/version/1.1"';
    expect(await read(json, 'application/feed+json')).toBe(`\`\`\`json\n${json}\n\`\`\``);
    const strange =
      '{"version":"https://jsonfeed.org/version/1","title":7,"items":[null,3,{"title":[]},{"__proto__":1,"tags":[{}]}]}';
    expect(await read(strange, 'application/json')).toBe('## Untitled');
  });
});

describe('mails', () => {
  const multipart = (depth: number): string => {
    const heads = Array.from(
      { length: depth },
      (_, at) =>
        `${at === 0 ? 'From: a@b.example\r\n' : `--b${at - 1}\r\n`}Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n`,
    );
    return heads.join('');
  };

  test('parts nested without end are PARSE_LIMIT', async () => {
    expect(await code(read(multipart(5_000), 'message/rfc822'))).toBe('PARSE_LIMIT');
  });

  test('mails in mails are read to a depth, and listed below it', async () => {
    const mail = (depth: number): string =>
      `From: a@b.example\r\nSubject: Level ${depth}\r\n` +
      (depth === 9
        ? '\r\nend'
        : `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\nContent-Type: message/rfc822\r\n\r\n${mail(depth + 1)}\r\n--b${depth}--\r\n`);
    const markdown = await read(mail(0), 'message/rfc822');
    expect(markdown).toContain('Level 3');
    expect(markdown).not.toContain('Level 4');
    expect(markdown).toContain('(message/rfc822, ');
  });

  test('a head without end is PARSE_LIMIT, a damaged part is read as far as it goes', async () => {
    const head = `From: a@b.example\r\n${'X-Long: y\r\n'.repeat(200_000)}\r\n`;
    expect(await code(read(head, 'message/rfc822'))).toBe('PARSE_LIMIT');
    const part =
      'Subject: =?utf-8?q?a=ZZ?=\r\nContent-Type: text/html; charset=nonsense\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!PGI+aGk8L2I+!!';
    expect(await read(part, 'message/rfc822')).toContain('**hi**');
  });

  test('10,000 addresses and 10,000 levels of quotes are cut', async () => {
    const to = Array.from({ length: 10_000 }, (_, at) => `a${at}@b.example`).join(', ');
    const given = `From: a@b.example\r\nTo: ${to}\r\n\r\n${'>'.repeat(10_000)} hi`;
    const markdown = await read(given, 'message/rfc822');
    expect(markdown).toContain('and 9950 more');
    expect(markdown).toContain('hi');
  });
});

describe('images', () => {
  const png = (width: number, height: number, rest = Buffer.alloc(0)): Buffer => {
    const head = Buffer.alloc(33);
    head.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 0, 'latin1');
    head.writeUInt32BE(width, 16);
    head.writeUInt32BE(height, 20);
    return Buffer.concat([head, rest]);
  };

  test('a size that no image has is refused, a large one costs nothing', async () => {
    expect(await code(read(png(0xffffffff, 1)))).toBe('UNSUPPORTED_CONTENT');
    expect(await code(read(png(0, 0)))).toBe('UNSUPPORTED_CONTENT');
    expect(await read(png(0x7fffffff, 0x7fffffff))).toContain('2147483647 × 2147483647 pixels');
  });

  test.each([
    ['image/png', '\x89PNG\r\n\x1a\n\0'],
    ['image/jpeg', '\xff\xd8\xff\xe0\xff\xff\0'],
    ['image/gif', 'GIF89a\x01\0'],
    ['image/webp', 'RIFF\x24\0\0\0WEBPVP8X\0'],
    ['image/avif', '\0\0\0\x20ftypavif\0\0\0\0ispe'],
    ['image/tiff', 'II*\0\xff\xff\xff\xff\0'],
    ['image/bmp', 'BM\0\0'],
  ])('%s that ends in its head is UNSUPPORTED_CONTENT', async (type, body) => {
    expect(await code(read(Buffer.from(body, 'latin1'), type))).toBe('UNSUPPORTED_CONTENT');
  });

  test('a text that inflates to 50 MB is cut', async () => {
    const text = Buffer.concat([
      Buffer.from('Comment\0\x01\0\0\0', 'latin1'),
      // zlib's two bytes, then raw deflate.
      Buffer.from([0x78, 0x9c]),
      deflateRawSync(Buffer.alloc(50_000_000, 'a')),
    ]);
    const chunk = Buffer.alloc(8);
    chunk.writeUInt32BE(text.length, 0);
    chunk.write('iTXt', 4, 'latin1');
    const markdown = await read(png(2, 2, Buffer.concat([chunk, text, Buffer.alloc(4)])));
    expect(markdown).toContain('2 × 2 pixels');
    expect(markdown.length).toBeLessThan(200_000);
  });

  test('an EXIF directory that names itself ends', async () => {
    const exif = Buffer.alloc(40);
    exif.write('II*\0', 0, 'latin1');
    exif.writeUInt32LE(8, 4);
    exif.writeUInt16LE(65_535, 8);
    exif.writeUInt16LE(0x8769, 10);
    exif.writeUInt16LE(4, 12);
    exif.writeUInt32LE(1, 14);
    exif.writeUInt32LE(8, 18);
    expect(await code(read(exif, 'image/tiff'))).toBe('UNSUPPORTED_CONTENT');
  });
});

describe('archives', () => {
  const tar = (name: string, content: Buffer, size = content.length.toString(8)): Buffer => {
    const head = Buffer.alloc(512);
    head.write(name, 0);
    head.write(size.padStart(11, '0'), 124, 'latin1');
    head.write('0', 156);
    head.write('ustar\x0000', 257, 'latin1');
    head.fill(' ', 148, 156);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
    return Buffer.concat([head, content, padding]);
  };
  const zip = (entries: readonly (readonly [name: string, content: Buffer])[]): Buffer => {
    const files: Buffer[] = [];
    const directory: Buffer[] = [];
    let offset = 0;
    for (const [name, content] of entries) {
      const packed = deflateRawSync(content);
      const local = Buffer.alloc(30);
      local.writeUInt32LE(0x04034b50, 0);
      local.writeUInt16LE(8, 8);
      local.writeUInt32LE(packed.length, 18);
      local.writeUInt16LE(name.length, 26);
      const entry = Buffer.alloc(46);
      entry.writeUInt32LE(0x02014b50, 0);
      entry.writeUInt16LE(8, 10);
      entry.writeUInt32LE(packed.length, 20);
      // The size that it says is a lie.
      entry.writeUInt32LE(1, 24);
      entry.writeUInt16LE(name.length, 28);
      entry.writeUInt32LE(offset, 42);
      files.push(local, Buffer.from(name), packed);
      directory.push(entry, Buffer.from(name));
      offset += 30 + name.length + packed.length;
    }
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(entries.length, 10);
    end.writeUInt32LE(Buffer.concat(directory).length, 12);
    end.writeUInt32LE(offset, 16);
    return Buffer.concat([...files, ...directory, end]);
  };
  const zeros = Buffer.alloc(3_000_000);
  const small: Reading = { ...archives, limits: { bodyBytes: 1_000_000 } };

  test.each([
    ['ZIP', zip([['a.txt', zeros]])],
    ['gzip', gzipSync(zeros)],
    ['ZIP in a ZIP', zip([['b.zip', zip([['a.txt', zeros]])]])],
    ['gzip in a ZIP', zip([['a.txt.gz', gzipSync(zeros)]])],
    [
      'ZIP of many',
      zip(Array.from({ length: 5 }, (_, at) => [`${at}.txt`, Buffer.alloc(400_000)])),
    ],
  ])('a %s that unpacks to more than limits.bodyBytes is PARSE_LIMIT', async (_, bytes) => {
    expect(bytes.length).toBeLessThan(10_000);
    expect(await code(read(bytes, '', small))).toBe('PARSE_LIMIT');
  });

  test('what the readers of files in it unpack counts as well, and so does what they write', async () => {
    const letter = Buffer.from(docxOf(paragraph(' '.repeat(300_000))));
    const two = zip([
      ['a.docx', letter],
      ['b.docx', letter],
    ]);
    const four = zip(['a', 'b', 'c', 'd'].map((name) => [`${name}.docx`, letter]));
    expect(await read(two, '', small)).toContain('b.docx');
    expect(await code(read(four, '', small))).toBe('PARSE_LIMIT');
    const inner = zip([['in.zip', four]]);
    expect(await code(read(inner, '', small))).toBe('PARSE_LIMIT');
    const text = Buffer.from('word '.repeat(200));
    const texts = zip(['a', 'b', 'c', 'd'].map((name) => [`${name}.txt`, text]));
    const page = await parse(texts, { ...archives, limits: { text: 2_000 } });
    expect(page.warning).toContain('d.txt (the files before it have limits.text characters)');
  });

  test('warnings of the files in it are told with their paths, no more than twenty', async () => {
    const bent = Buffer.from(`<a>${'<b>'.repeat(3000)}`);
    const page = await parse(zip([['dir/a.html', bent]]), archives);
    expect(page.warning).toContain('dir/a.html: ');
    const many = zip(Array.from({ length: 25 }, (_, at) => [`${at}.html`, bent]));
    const { warning = '' } = await parse(many, archives);
    expect(warning).toContain('19.html: ');
    expect(warning).not.toContain('20.html: ');
    expect(warning).toContain('Its files have 5 more warnings.');
  });

  test('names that lead out of the archive do not', async () => {
    for (const bytes of [
      zip([['../../etc/passwd', Buffer.from('x')]]),
      Buffer.concat([tar('../../etc/passwd', Buffer.from('x')), Buffer.alloc(1024)]),
      Buffer.concat([tar('/etc/passwd', Buffer.from('x')), Buffer.alloc(1024)]),
    ]) {
      expect(await read(bytes, '', archives)).toContain('## etc/passwd\n');
    }
  });

  test('a size in a TAR that is larger than all ends it, and what came before is read', async () => {
    const bytes = Buffer.concat([
      tar('a.txt', Buffer.from('first')),
      tar('b.txt', Buffer.from('x'), '77777777777'),
    ]);
    const page = await parse(bytes, archives);
    expect(page.markdown).toContain('first');
    expect(page.markdown).not.toContain('b.txt');
    expect(page.warning).toContain('or was cut off');
  });

  test('archives in archives are opened to one level', async () => {
    const third = zip([['deep.txt', Buffer.from('too deep')]]);
    const second = zip([
      ['c.zip', third],
      ['b.txt', Buffer.from('in b')],
    ]);
    const markdown = await read(zip([['b.zip', second]]), '', archives);
    expect(markdown).toContain('## b.zip/b.txt');
    expect(markdown).not.toContain('too deep');
    expect(markdown).toContain('b.zip/c.zip (application/zip, ');
  });

  test('one that is damaged or cut is UNSUPPORTED_CONTENT', async () => {
    const whole = zip([['a.txt', Buffer.from('a')]]);
    expect(await code(read(whole.subarray(0, 40), '', archives))).toBe('UNSUPPORTED_CONTENT');
    const cut = gzipSync(Buffer.from('hello '.repeat(100))).subarray(0, 20);
    expect(await code(read(cut, '', archives))).toBe('UNSUPPORTED_CONTENT');
    expect(await code(read(Buffer.alloc(1024, 1), 'application/x-tar', archives))).toBe(
      'UNSUPPORTED_CONTENT',
    );
  });

  test('a file in it that cannot be read does not end it', async () => {
    const bytes = zip([
      ['a.png', Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1')],
      ['b.txt', Buffer.from('still here')],
    ]);
    const page = await parse(bytes, archives);
    expect(page.markdown).toContain('still here');
    expect(page.warning).toContain('a.png (');
  });
});

describe('subtitles', () => {
  test.each([
    ['without a cue', 'WEBVTT\n\nNOTE nothing'],
    ['with times that are none', 'WEBVTT\n\n99:99 --> x\nwords'],
  ])('%s stay as they are', async (_, text) => {
    expect(await read(text, 'text/vtt')).toBe(text);
  });

  test('lines of a megabyte and markup in them are text', async () => {
    const line = `${'<'.repeat(500_000)}<b onclick=x>bold</b> **stars**`;
    const markdown = await read(`WEBVTT\n\n00:01.000 --> 00:02.000\n${line}\n`, 'text/vtt');
    expect(markdown).toContain('bold');
    expect(markdown).not.toContain('onclick');
  });
});
