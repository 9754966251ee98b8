import { describe, expect, test } from 'vitest';
import { decodeText } from '../../../src/content/text/decode.ts';
import type { TextKind } from '../../../src/content/text/decode-by-encoding.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('an encoding named by the header', () => {
  const cases: [charset: string, hex: string, text: string][] = [
    ['utf-8', 'c3a9 e4b896', 'é世'],
    ['UTF8', 'c3a9', 'é'],
    ['utf-8', 'e9', '\ufffd'],
    ['windows-1251', 'cff0e8e2e5f2', 'Привет'],
    ['cp1251', 'cff0e8e2e5f2', 'Привет'],
    ['koi8-r', 'f0d2c9d7c5d4', 'Привет'],
    ['koi8-u', 'f0d2c9d7a6d4 a4', 'Привітє'],
    ['ibm866', '8fe0a8a2a5e2', 'Привет'],
    ['iso-8859-5', 'bfe0d8d2d5e2', 'Привет'],
    ['x-mac-cyrillic', '8ff0e8e2e5f2', 'Привет'],
    ['windows-1252', '80 85 93 94 96 99 9c 81', '€…“”–™œ\u0081'],
    ['iso-8859-1', '80 93 e9 94', '€“é”'],
    ['latin1', '80', '€'],
    ['us-ascii', '80', '€'],
    ['iso-8859-15', 'a4 bd', '€œ'],
    ['iso-8859-2', 'b1 e6 ea b3', 'ąćęł'],
    ['windows-1250', 'b9 e6 ea b3', 'ąćęł'],
    ['iso-8859-7', 'c5 eb eb dc e4 e1', 'Ελλάδα'],
    ['windows-1253', 'c5 eb eb dc e4 e1', 'Ελλάδα'],
    ['windows-1254', 'd0 dd fe', 'Ğİş'],
    ['iso-8859-9', 'd0 dd fe', 'Ğİş'],
    ['windows-1255', 'f9 ec e5 ed', 'שלום'],
    ['iso-8859-8-i', 'f9 ec e5 ed', 'שלום'],
    ['windows-1256', 'd3 e1 c7 e3', 'سلام'],
    ['windows-1257', 'e0 e8 f0', 'ąčš'],
    ['windows-1258', 'd0 f5', 'Đơ'],
    ['windows-874', 'ca c7 d1 ca', 'สวัส'],
    ['tis-620', 'ca c7', 'สว'],
    ['macintosh', '8e', 'é'],
    ['Shift_JIS', '93fa967b8cea 82a0', '日本語あ'],
    ['sjis', '93fa', '日'],
    ['windows-31j', '8740', '①'],
    ['euc-jp', 'c6fccbdcb8ec', '日本語'],
    ['iso-2022-jp', '1b2442467c1b2842', '日'],
    ['GB18030', 'd6d0cec4 8139ee39', '中文㐀'],
    ['gb2312', 'd6d0cec4', '中文'],
    ['GBK', 'd6d0cec4 80', '中文€'],
    ['big5', 'a4a4a4e5', '中文'],
    ['euc-kr', 'c7d1b1db', '한글'],
    ['ks_c_5601-1987', 'c7d1b1db', '한글'],
    ['utf-16le', '1f04 4004', 'Пр'],
    ['utf-16be', '041f 0440', 'Пр'],
    ['utf-16', '1f04 4004', 'Пр'],
    ['unicode', '1f04', 'П'],
  ];
  test.each(cases)('%s: %s is %s', async (charset, hex, text) => {
    expect(await decodeText(bytes(hex), charset, 'html')).toBe(text);
    expect(await decodeText(bytes(hex), charset, 'text')).toBe(text);
  });

  test.each([
    '',
    'none',
    'x-unknown',
    'utf-8; x',
    '"',
    '\0',
    'hz-gb-2312',
    'replacement',
    'ＵＴＦ-8',
  ])('as %j does not count', async (charset) => {
    expect(await decodeText(bytes('c3a9'), charset, 'html')).toBe('é');
    expect(await decodeText(ascii('<meta charset=koi8-r>\xd2'), charset, 'html')).toBe(
      '<meta charset=koi8-r>р',
    );
  });
});

describe('a byte order mark', () => {
  const marked: [name: string, data: Buffer][] = [
    ['UTF-8', Buffer.from('\ufeffПривет <p>')],
    ['UTF-16 LE', Buffer.from('\ufeffПривет <p>', 'utf16le')],
    ['UTF-16 BE', swapped('\ufeffПривет <p>')],
  ];
  const charsets = [
    undefined,
    'utf-8',
    'windows-1251',
    'utf-16le',
    'utf-16be',
    'shift_jis',
    'bogus',
  ];
  const kinds: TextKind[] = ['html', 'xml', 'text', 'json'];
  test.each(marked)('of %s wins over everything and is not part of the text', async (_, data) => {
    for (const charset of charsets) {
      for (const kind of kinds) {
        expect(await decodeText(data, charset, kind)).toBe('Привет <p>');
      }
    }
  });

  test('alone is no text', async () => {
    for (const mark of ['efbbbf', 'fffe', 'feff']) {
      expect(await decodeText(bytes(mark), undefined, 'html')).toBe('');
    }
  });

  test('of UTF-16 may be followed by half a character', async () => {
    expect(await decodeText(bytes('fffe 1f04 40'), undefined, 'text')).toBe('П\ufffd');
  });
});

describe('a declaration in HTML', () => {
  const cases: [html: string, text: string][] = [
    ['<meta charset="windows-1251">\xcf', '<meta charset="windows-1251">П'],
    ["<META CHARSET='KOI8-R'/>\xf0", "<META CHARSET='KOI8-R'/>П"],
    [
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">\xcf',
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">П',
    ],
    [
      '<meta content="text/html; charset=koi8-r">\xe9',
      '<meta content="text/html; charset=koi8-r">é',
    ],
    ['<!-- <meta charset=koi8-r> --><p>\xe9', '<!-- <meta charset=koi8-r> --><p>é'],
    ['<meta charset=bogus>\xe9', '<meta charset=bogus>é'],
    ['<meta charset=utf-16le>\xe9', '<meta charset=utf-16le>\ufffd'],
    [
      '<meta charset=utf-8><meta charset=koi8-r>\xc3\xa9',
      '<meta charset=utf-8><meta charset=koi8-r>é',
    ],
    ['<meta charset=windows-1251><p>\xd0\x9f', '<meta charset=windows-1251><p>Рџ'],
    [`${' '.repeat(1100)}<meta charset=koi8-r>\xe9`, `${' '.repeat(1100)}<meta charset=koi8-r>И`],
    [
      '<meta http-equiv=content-type content="text/html; charset">\xe9',
      '<meta http-equiv=content-type content="text/html; charset">é',
    ],
    [
      '<?xml version="1.0" encoding="windows-1251"?><html>\xcf',
      '<?xml version="1.0" encoding="windows-1251"?><html>П',
    ],
    [
      '<?xml version="1.0" encoding="koi8-r"?><meta charset=windows-1251>\xcf',
      '<?xml version="1.0" encoding="koi8-r"?><meta charset=windows-1251>П',
    ],
    ['<script>var charset = 1</script>\xe9', '<script>var charset = 1</script>é'],
  ];
  test.each(cases)('%s', async (html, text) => {
    expect(await decodeText(ascii(html), undefined, 'html')).toBe(text);
  });

  test('loses against the header', async () => {
    const html = ascii('<meta charset="koi8-r">\xcf');
    expect(await decodeText(html, 'windows-1251', 'html')).toBe('<meta charset="koi8-r">П');
    expect(await decodeText(html, 'utf-8', 'html')).toBe('<meta charset="koi8-r">\ufffd');
  });

  test('means nothing in other kinds of text', async () => {
    const data = ascii('<meta charset="koi8-r">\xe9');
    for (const kind of ['xml', 'text', 'json'] as const) {
      expect(await decodeText(data, undefined, kind)).toBe('<meta charset="koi8-r">é');
    }
  });
});

describe('a declaration in XML', () => {
  test.each([
    ['<?xml version="1.0" encoding="windows-1251"?><a>\xcf', 'П'],
    ["<?xml version='1.0' encoding='Shift_JIS' standalone='yes'?><a>\x93\xfa", '日'],
    ['<?xml version="1.0"?><a>\xc3\xa9', 'é'],
    ['<?xml version="1.0" encoding="utf-16"?><a>\xc3\xa9', 'é'],
    ['<?xml version="1.0" encoding="bogus"?><a>\xc3\xa9', 'é'],
    ['<a>\xe9', 'é'],
  ])('%s ends in %s', async (xml, last) => {
    expect((await decodeText(ascii(xml), undefined, 'xml')).split('<a>')[1]).toBe(last);
  });

  test('may be in UTF-16 without a byte order mark', async () => {
    const xml = '<?xml version="1.0" encoding="utf-16"?><a>Привет';
    expect(await decodeText(Buffer.from(xml, 'utf16le'), undefined, 'xml')).toBe(xml);
    expect(await decodeText(swapped(xml), undefined, 'xml')).toBe(xml);
  });
});

describe('text that declares nothing', () => {
  test('is UTF-8 when its bytes are', async () => {
    for (const kind of ['html', 'xml', 'text', 'json'] as const) {
      expect(await decodeText(Buffer.from('naïve 世界 🙂'), undefined, kind)).toBe('naïve 世界 🙂');
      expect(await decodeText(new Uint8Array(0), undefined, kind)).toBe('');
    }
  });

  test('is windows-1252 when they are not', async () => {
    expect(await decodeText(bytes('6e61ef7665 80 93'), undefined, 'html')).toBe('naïve€“');
  });

  test('stays UTF-8 when one character of many is cut or damaged', async () => {
    const text = 'Привет, мир. '.repeat(20);
    const cut = Buffer.from(`${text}П`).subarray(0, -1);
    expect(await decodeText(cut, undefined, 'html')).toBe(`${text}\ufffd`);
  });

  test('may be a view into a larger buffer', async () => {
    const large = Buffer.from('<meta charset=koi8-r>é');
    expect(await decodeText(large.subarray(21), undefined, 'html')).toBe('é');
  });
});
