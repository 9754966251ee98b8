/** Links of pages in other encodings than UTF-8 have their queries in that encoding, as in browsers. */
import { TextDecoder } from '@exodus/bytes/encoding.js';
import { parse } from 'pagewright';
import { expect, test } from 'vitest';

/** The bytes of a text in an encoding of one or two bytes for a character. */
function encode(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  return Buffer.concat(
    Array.from(text, (character) => {
      if (character < '\x80') return Buffer.from(character);
      for (let code = 0x80; code < 0x1_00_00; code++) {
        const bytes = Buffer.from(code < 0x100 ? [code] : [code >> 8, code & 0xff]);
        if (decoder.decode(bytes) === character) return bytes;
      }
      throw new Error(character);
    }),
  );
}

const read = async (html: string, encoding: string): Promise<string[]> => {
  const page = `<meta charset="${encoding}"><main><p>Some text about nothing at all.</p>${html}</main>`;
  const { links } = await parse(encode(page, encoding), {
    url: 'http://a.test/',
    contentType: 'text/html',
    formats: ['links'],
    onlyMainContent: false,
  });
  return links;
};

test.each([
  ['windows-1251', '/s?q=да', '/s?q=%E4%E0'],
  ['windows-1251', '/да?q=да#да', '/%D0%B4%D0%B0?q=%E4%E0#%D0%B4%D0%B0'],
  ['windows-1251', 'http://b.test/s?a=1&q=да x', 'http://b.test/s?a=1&q=%E4%E0%20x'],
  ['windows-1251', '/s?q=%D0%B4', '/s?q=%D0%B4'],
  ['windows-1251', '/s?q=&#19968;', '/s?q=%26%2319968%3B'],
  ['koi8-r', '/s?q=да', '/s?q=%C4%C1'],
  ['shift_jis', '/s?q=日本', '/s?q=%93%FA%96{'],
  ['euc-jp', '/s?q=日本', '/s?q=%C6%FC%CB%DC'],
  ['gbk', '/s?q=中', '/s?q=%D6%D0'],
  ['big5', '/s?q=中', '/s?q=%A4%A4'],
  ['euc-kr', '/s?q=한', '/s?q=%C7%D1'],
  ['windows-1252', '/s?q=é', '/s?q=%E9'],
])('in %s %s is %s', async (encoding, href, expected) => {
  expect(await read(`<a href="${href}">x</a>`, encoding)).toEqual([
    new URL(expected, 'http://a.test/').href,
  ]);
});

test('UTF-8 stays UTF-8, and other schemes stay as they are', async () => {
  const { links, markdown } = await parse('<p><a href="/s?q=да">x</a></p>', {
    url: 'http://a.test/',
    contentType: 'text/html',
    formats: ['links', 'markdown'],
    onlyMainContent: false,
  });
  expect(links).toEqual(['http://a.test/s?q=%D0%B4%D0%B0']);
  expect(markdown).toContain('q=%D0%B4');
  const mail = encode(
    '<meta charset=windows-1251><p><a href="mailto:a@b.test?subject=да">x</a>',
    'windows-1251',
  );
  const page = await parse(mail, {
    url: 'http://a.test/',
    contentType: 'text/html',
    formats: ['html'],
    onlyMainContent: false,
  });
  expect(page.html).toContain('subject=да');
});
