import { readFileSync } from 'node:fs';
import { TextDecoder } from '@exodus/bytes/encoding.js';
import { describe, expect, test } from 'vitest';
import { decodeText } from '../../../src/content/text/decode.ts';
import { cpuTime } from '../../support/cpu-time.ts';

/** The encoder that belongs to a decoder of one- and two-byte encodings. */
function encoderOf(encoding: string): (text: string) => Buffer {
  const decoder = new TextDecoder(encoding);
  const codes = new Map<string, number[]>();
  const add = (...bytes: number[]): void => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if (!codes.has(text) && !text.includes('\ufffd') && [...text].length === 1)
      codes.set(text, bytes);
  };
  for (let lead = 0; lead < 256; lead++) add(lead);
  if (/^(?:shift_jis|euc|gb|big5)/.test(encoding)) {
    for (let lead = 0x81; lead < 0xff; lead++)
      for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail);
  }
  return (text) =>
    Buffer.from(
      [...text].flatMap((character) => {
        const bytes = codes.get(character);
        if (bytes === undefined) throw new Error(`${encoding} has no ${character}`);
        return bytes;
      }),
    );
}

const sentences: [language: string, encodings: string, text: string][] = [
  ['fr', 'windows-1252', 'Le café du théâtre où l’été naît déjà, « ça va très bien ».'],
  ['de', 'windows-1252', 'Größere Äpfel hängen höher, und müde Füße brauchen Übung.'],
  ['es', 'windows-1252', '¿Qué mañana será la próxima estación del año?'],
  ['sv', 'windows-1252', 'På ön växer äpplen, och båten går på måndag över sjön.'],
  [
    'pl',
    'windows-1250 iso-8859-2',
    'Źrebię śpi spokojnie, a żółw płynie wzdłuż brzegu, bo będzie cień.',
  ],
  ['cs', 'windows-1250 iso-8859-2', 'Příliš žluťoučký kůň úpěl ďábelské ódy.'],
  [
    'hu',
    'windows-1250 iso-8859-2',
    'Az őszi szőlő édes, és a kertből hűvös szél jön, mint a műben.',
  ],
  ['tr', 'windows-1254', 'Şişli’deki kış güneşi, ağaçların üstünde ışıldıyor.'],
  [
    'lt',
    'windows-1257 iso-8859-13',
    'Žąsys šį rudenį išskrido anksčiau, nei tikėjomės, į pietų šalis.',
  ],
  ['lv', 'windows-1257 iso-8859-13', 'Glāžšķūņa rūķīši dzērumā čiepj Baha koncertflīģeļu vākus.'],
  [
    'ru',
    'windows-1251 koi8-r ibm866 iso-8859-5 x-mac-cyrillic',
    'Ночной поезд уходит в полночь, и никто его не провожает.',
  ],
  ['uk', 'windows-1251 koi8-u', 'Її брат їде до Києва, щоб побачити осінній ліс.'],
  ['bg', 'windows-1251 iso-8859-5', 'Ръжният хляб не обича бързането и иска търпение.'],
  ['el', 'iso-8859-7 windows-1253', 'Το ψωμί της σίκαλης θέλει υπομονή και ζεστό νερό.'],
  ['he', 'windows-1255', 'השעון הישן על הקיר מראה תמיד את השעה הלא נכונה.'],
  ['ar', 'windows-1256 iso-8859-6', 'الخريطة القديمة لا تظهر الطريق الجديد إلى البحر.'],
  ['th', 'windows-874', 'รถไฟกลางคืนออกจากสถานีตอนเที่ยงคืน'],
  ['ja', 'shift_jis euc-jp', '夜行列車は真夜中に出発し、海の見える町へ向かいます。'],
  ['zh-CN', 'gb18030', '这张旧地图上没有通往大海的新路，但是我们还是带着它。'],
  ['zh-TW', 'big5', '這張舊地圖上沒有通往大海的新路，但是我們還是帶著它。'],
  ['ko', 'euc-kr', '밤 기차는 자정에 출발하고 아무도 배웅하지 않는다.'],
];
const cases = sentences.flatMap(([language, encodings, text]) =>
  encodings.split(' ').map((encoding) => [language, encoding, text] as const),
);

describe('the encoding of a text that declares none', () => {
  test.each(cases)('in %s may be %s', async (language, encoding, text) => {
    const bytes = encoderOf(encoding)(text);
    expect(await decodeText(bytes, undefined, 'text')).toBe(text);
    const page = Buffer.concat([Buffer.from(`<html lang="${language}"><p>`), bytes]);
    expect((await decodeText(page, undefined, 'html')).endsWith(text)).toBe(true);
    const lie = Buffer.concat([Buffer.from('<html lang="en"><p>'), bytes]);
    expect((await decodeText(lie, 'x-unknown', 'html')).endsWith(text)).toBe(true);
  });

  test.each([
    ['gb18030', '网站地图 小说阅读'],
    ['gb18030', '联系我们'],
    ['gb18030', '上海旅游攻略'],
    ['gb18030', '毛里求斯卢比 墨西哥比索'],
    ['big5', '聯絡我們 網站地圖'],
    ['euc-kr', '회원가입 로그인'],
    ['euc-kr', '회사소개'],
    ['euc-jp', 'フランス'],
    ['euc-jp', 'お問い合わせ'],
    ['shift_jis', 'サイトマップ'],
    ['windows-874', 'ติดต่อเรา'],
    ['windows-1251', 'Австрия'],
  ])('of a title in %s: %s', async (encoding, text) => {
    const title = encoderOf(encoding)(text);
    const [before, between] = ['<html><head><title>', '</title></head><body><p>'].map(Buffer.from);
    const page = Buffer.concat([before, title, between, title] as Buffer[]);
    expect((await decodeText(page, undefined, 'html')).endsWith(`<p>${text}`)).toBe(true);
  });

  test.each([
    '<meta http-equiv="Content-Type" content="text/html; charset=gb-2312">',
    '<meta http-equiv="Content-Type" content="text/html; charset=gbk2312">',
    '<meta http-equiv="Content-Type" content="text/html; chartset=gb2312">',
    '<meta http-equiv="Content-Type" contect="text/html; charset=gb2312">',
    '<meta http-equiv="Content-Type" content="text/html; gb2312">',
    '<meta http-equv=Content-Type content="text/html;charset:gb_2312">',
    '<meta charest="gbk">',
    '<meta charset="GB 2312;">',
    '<meta charset=euc-cn>',
    '<meta charset=cp936>',
    '<?xml version="1.0" encoding="gb-2312"?>',
  ])('is told by a declaration with a slip: %s', async (meta) => {
    const page = Buffer.from(`${meta}<p>\xc4\xe3`, 'latin1');
    expect(await decodeText(page, undefined, 'html')).toContain('<p>你');
    const header = Buffer.from('<p>\xc4\xe3', 'latin1');
    expect(await decodeText(header, 'gb-2312', 'html')).toBe('<p>你');
  });

  test.each([
    ['win1251', '\xcf', 'П'],
    ['windows1251', '\xcf', 'П'],
    ['iso88592', '\xb1', 'ą'],
    ['ISO_8859-15;', '\xa4', '€'],
    ['euckr', '\xc7\xd1', '한'],
    ['shiftjis', '\x93\xfa', '日'],
    ['koi-8-r', '\xf0', 'П'],
    ['big5hk', '\xa4\xa4', '中'],
    ['window', '\xe9', 'é'],
    ['125', '\xe9', 'é'],
  ])('charset=%s', async (label, letter, text) => {
    const page = Buffer.from(`<meta charset="${label}"><p>${letter}`, 'latin1');
    expect((await decodeText(page, undefined, 'html')).endsWith(`<p>${text}`)).toBe(true);
  });

  test('is not told by a text about encodings', async () => {
    const page = Buffer.from(
      '<meta name="description" content="charset gb2312 to big5"><p>\xe9',
      'latin1',
    );
    expect((await decodeText(page, undefined, 'html')).endsWith('é')).toBe(true);
  });

  test.each([
    ['It’s one line.', 0xa0],
    ['Nice 👍 day', 0x92],
    ['Le café du théâtre est déjà fermé.', 0xa0],
    ['mañana en España', 0xe9],
    ['Größere Äpfel für müde Füße', 0x92],
    ['zażółć gęślą jaźń', 0xb3],
    ['Ночной поезд', 0x85],
    ['网站地图 小说阅读', 0xa0],
    ['夜行列車は真夜中に', 0xe5],
  ])('is UTF-8 with a stray byte: %s', async (text, byte) => {
    const page = Buffer.concat([Buffer.from(`<p>${text}`), Buffer.from([0x3c, byte, 0x3c])]);
    expect(await decodeText(page, undefined, 'html')).toContain(text);
  });

  test('is not UTF-8 for a few characters pasted from it', async () => {
    const page = Buffer.concat([
      Buffer.from('<p>caf\xe9 d\xe9j\xe0 vu ', 'latin1'),
      Buffer.from('It’s'),
    ]);
    expect(await decodeText(page, undefined, 'html')).toContain('café déjà vu');
  });

  test('of a word or two is that of its language, or of its country', async () => {
    const bytes = encoderOf('windows-1250')('noć, kuća');
    const say = (before: string, url?: string): Promise<string> =>
      decodeText(Buffer.concat([Buffer.from(before), bytes]), undefined, 'html', url);
    expect(await say('<p>')).toBe('<p>noæ, kuæa');
    expect(await say('<html lang=hr><p>')).toContain('noć, kuća');
    expect(await say('<html class=a lang="hr-HR"><p>')).toContain('noć, kuća');
    expect(await say('<html xml:lang="sl"><p>')).toContain('noć, kuća');
    expect(await say('<meta http-equiv="Content-Language" content="hr"><p>')).toContain(
      'noć, kuća',
    );
    expect(await say('<p>', 'http://www.site.hr/')).toContain('noć, kuća');
    expect(await say('<p>', 'not a url')).toBe('<p>noæ, kuæa');
  });

  test('tells the two ways to write Chinese apart', async () => {
    const big5 = encoderOf('big5')('地圖');
    const gb = encoderOf('gb18030')('地图');
    const say = (lang: string, bytes: Buffer): Promise<string> =>
      decodeText(Buffer.concat([Buffer.from(`<html lang="${lang}">`), bytes]), undefined, 'html');
    expect(await say('zh-TW', big5)).toContain('地圖');
    expect(await say('zh-Hant', big5)).toContain('地圖');
    expect(await say('zh_CN', gb)).toContain('地图');
    expect(await say('zh', gb)).toContain('地图');
  });

  test('may be ISO-2022-JP, but is never UTF-7', async () => {
    const japanese = Buffer.from('<p>\x1b$BLk9TNs<V\x1b(B end', 'latin1');
    expect(await decodeText(japanese, undefined, 'html')).toBe('<p>夜行列車 end');
    expect(await decodeText(Buffer.from('\x1b[31mred\x1b[0m'), undefined, 'text')).toBe(
      '\x1b[31mred\x1b[0m',
    );
    for (const charset of [undefined, 'utf-7', 'unicode-1-1-utf-7']) {
      const seven = '<meta charset=utf-7>+ADw-script+AD4-';
      expect(await decodeText(Buffer.from(seven), charset, 'html')).toBe(seven);
    }
  });

  test('may be UTF-16 without a mark, by its zeros', async () => {
    for (const text of ['<p>Ночной поезд', '{"a": [1, 2, 3]}', 'plain words', '夜 行 列 車 a b']) {
      const little = Buffer.from(text.repeat(3), 'utf16le');
      for (const kind of ['html', 'xml', 'text', 'json'] as const) {
        expect(await decodeText(little, undefined, kind)).toBe(text.repeat(3));
        expect(await decodeText(Buffer.from(little).swap16(), undefined, kind)).toBe(
          text.repeat(3),
        );
      }
    }
    expect(await decodeText(Buffer.from('a\0b'), undefined, 'text')).toBe('a\0b');
  });

  test('is told by a meta beyond the first 1,024 bytes, but only where it is not UTF-8', async () => {
    const late = `${' '.repeat(1024)}<meta charset=windows-1251><p>`;
    expect(await decodeText(Buffer.from(`${late}\xcf`, 'latin1'), undefined, 'html')).toBe(
      `${late}П`,
    );
    expect(await decodeText(Buffer.from(`${late}П`), undefined, 'html')).toBe(`${late}П`);
    const commented = `${' '.repeat(1024)}<!-- <meta charset=windows-1251> --><p>`;
    expect(await decodeText(Buffer.from(`${commented}\xe9`, 'latin1'), undefined, 'html')).toBe(
      `${commented}é`,
    );
  });

  test('is looked for in the first 1,024 bytes exactly', async () => {
    const meta = '<meta charset=koi8-r>';
    // Valid as UTF-8: only the prescan can tell.
    for (const [before, letter] of [
      [1024 - meta.length, 'я┤'],
      [1024 - meta.length + 1, 'ч'],
    ] as const) {
      const html = `${' '.repeat(before)}${meta}`;
      expect(
        (await decodeText(Buffer.from(`${html}ч`), undefined, 'html')).slice(html.length),
      ).toBe(letter);
    }
  });

  test('is found in a large page in no time', async () => {
    const large = Buffer.alloc(5_000_000, encoderOf('windows-1251')('Ночной поезд уходит. '));
    const start = cpuTime();
    expect((await decodeText(large, undefined, 'html')).slice(0, 6)).toBe('Ночной');
    expect(cpuTime() - start).toBeLessThan(2000);
  });
});

describe('the pages of a blog in sixteen encodings', () => {
  const root = new URL('../../../fixtures/sites/blog/', import.meta.url);
  const site = JSON.parse(readFileSync(new URL('site.json', root), 'utf8')) as {
    facts: { encodings: Record<string, { encoding: string; sentence: string }> };
  };
  test.each(Object.entries(site.facts.encodings))(
    '%s is read though all that tells its encoding is taken away',
    async (path, { sentence }) => {
      const page = readFileSync(new URL(`.${path}`, root))
        .toString('latin1')
        .replace(/^(?:\xff\xfe|\xfe\xff|\xef\xbb\xbf)/, '')
        .replace(/charset|encoding=|lang=|content-language/gi, (found) => 'x'.repeat(found.length));
      expect(await decodeText(Buffer.from(page, 'latin1'), undefined, 'html')).toContain(sentence);
    },
  );
});
