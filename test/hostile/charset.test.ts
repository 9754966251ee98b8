/** Text whose charset is wrong, missing, doubtful or contradicted. */
import { wrongCharset } from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** Bytes and a Content-Type, and the text they are. */
function decoded(name: string, type: string, body: Uint8Array, markdown: string): Scenario {
  return {
    name,
    site: { '/': { headers: { 'content-type': type }, body } },
    expect: { document: { markdown } },
  };
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const swapped = (text: string): Buffer => utf16(text).swap16();
const mark = (bytes: number[], body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(bytes), body]);

/** "Привет" in windows-1251. */
const russian = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
/** "日本" in Shift_JIS, EUC-JP and GBK. */
const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
const eucJp = Buffer.from([0xc6, 0xfc, 0xcb, 0xdc]);

runScenarios([
  decoded(
    'the header decides',
    'text/html; charset=windows-1251',
    Buffer.concat([latin1('<p>'), russian]),
    'Привет',
  ),
  decoded(
    'the header decides against the meta tag',
    'text/html; charset=windows-1251',
    Buffer.concat([latin1('<meta charset=utf-8><p>'), russian]),
    'Привет',
  ),
  decoded(
    'a byte order mark decides against the header',
    'text/html; charset=windows-1251',
    mark([0xef, 0xbb, 0xbf], Buffer.from('<p>ü')),
    'ü',
  ),
  decoded(
    'a mark of UTF-16 decides against the header',
    'text/html; charset=utf-8',
    mark([0xff, 0xfe], utf16('<p>ü')),
    'ü',
  ),
  decoded(
    'a mark of UTF-16 in the other order decides too',
    'text/html; charset=utf-8',
    mark([0xfe, 0xff], swapped('<p>ü')),
    'ü',
  ),
  decoded(
    'the meta tag decides where the header is silent',
    'text/html',
    Buffer.concat([latin1('<meta charset=windows-1251><p>'), russian]),
    'Привет',
  ),
  decoded(
    'the old form of the meta tag decides too',
    'text/html',
    Buffer.concat([
      latin1('<meta http-equiv="content-type" content="text/html; charset=windows-1251"><p>'),
      russian,
    ]),
    'Привет',
  ),
  decoded(
    'a meta tag that says UTF-16 means UTF-8',
    'text/html',
    Buffer.from('<meta charset=utf-16><p>ü'),
    'ü',
  ),
  decoded(
    'a meta tag in a comment does not count',
    'text/html',
    Buffer.from('<!-- <meta charset=windows-1251> --><p>Übermut tut selten gut'),
    'Übermut tut selten gut',
  ),
  decoded(
    'a label that nobody knows is no error',
    'text/html; charset=klingon',
    Buffer.from('<p>Übermut tut selten gut'),
    'Übermut tut selten gut',
  ),
  decoded(
    'a label in quotes and capitals counts',
    'text/html; Charset="WINDOWS-1251"',
    Buffer.concat([latin1('<p>'), russian]),
    'Привет',
  ),
  decoded(
    'an alias counts',
    'text/html; charset=cp1251',
    Buffer.concat([latin1('<p>'), russian]),
    'Привет',
  ),
  decoded(
    'latin1 means windows-1252',
    'text/html; charset=iso-8859-1',
    latin1('<p>\x93a\x94 \x80 \x8e'),
    '“a” € Ž',
  ),
  decoded(
    'ascii means windows-1252',
    'text/html; charset=us-ascii',
    latin1('<p>na\xefve'),
    'naïve',
  ),
  decoded(
    'Shift_JIS is read',
    'text/html; charset=shift_jis',
    Buffer.concat([latin1('<p>'), shiftJis]),
    '日本',
  ),
  decoded(
    'EUC-JP is read',
    'text/html; charset=euc-jp',
    Buffer.concat([latin1('<p>'), eucJp]),
    '日本',
  ),
  decoded(
    'GBK is read',
    'text/html; charset=gbk',
    Buffer.concat([latin1('<p>'), Buffer.from([0xc4, 0xe3, 0xba, 0xc3])]),
    '你好',
  ),
  decoded(
    'bytes that are no UTF-8 become replacement characters',
    'text/html; charset=utf-8',
    Buffer.concat([latin1('<p>a'), Buffer.from([0xff, 0xc3]), latin1('b')]),
    'a\ufffd\ufffdb',
  ),
  decoded(
    'overlong UTF-8 does not become a tag',
    'text/html; charset=utf-8',
    Buffer.concat([latin1('<p>a'), Buffer.from([0xc0, 0xbc]), latin1('script>')]),
    'a\ufffd\ufffdscript>',
  ),
  decoded(
    'UTF-7 is not read',
    'text/html; charset=utf-7',
    latin1('<p>+ADw-script+AD4-'),
    '+ADw-script+AD4-',
  ),
  decoded(
    'a charset that no browser reads falls back on the content',
    'text/html; charset=iso-2022-kr',
    latin1('<p>abc'),
    'abc',
  ),
  decoded(
    'ISO-2022-JP without its escapes is text',
    'text/html; charset=iso-2022-jp',
    latin1('<p>plain'),
    'plain',
  ),
  decoded(
    'two labels in one header are no error',
    'text/html; charset=windows-1251; charset=utf-8',
    Buffer.concat([latin1('<p>'), russian]),
    'Привет',
  ),
  decoded(
    'half a character at the end is a replacement character',
    'text/html; charset=utf-8',
    Buffer.concat([latin1('<p>a'), Buffer.from([0xe6, 0x97])]),
    'a\ufffd',
  ),
  decoded(
    'XML says its own encoding',
    'application/xml',
    Buffer.concat([
      latin1('<?xml version="1.0" encoding="windows-1251"?><a>'),
      russian,
      latin1('</a>'),
    ]),
    '```xml\n<?xml version="1.0" encoding="windows-1251"?><a>Привет</a>\n```',
  ),
  {
    name: 'a wrong charset in the header gives wrong letters, and no error',
    site: {
      '/': (exchange) =>
        wrongCharset()({
          ...exchange,
          page: () =>
            Promise.resolve({
              status: 200,
              headers: { 'content-type': 'text/html' },
              body: Buffer.from('<p>ü'),
              delay: 0,
            }),
        }),
    },
    expect: { document: { markdown: 'Гј' } },
  },
]);
