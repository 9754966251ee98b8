/** `redact`: values that elements, hidden text or characters that do not show split are in no output. */
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/index.ts';
import type { RedactFunction } from '../../src/content/text/redactor.ts';
import { scriptedModel } from '../../src/entries/testing/index.ts';
import { withoutInvisible } from '../../src/content/text/plain-text.ts';
import { Reading } from '../../src/content/text/reading.ts';

const staffNumbers: RedactFunction = (text) =>
  [...text.matchAll(/\bEMP-\d{5}\b/g)].map(({ index, 0: { length } }) => ({
    type: 'staff',
    start: index,
    end: index + length,
  }));

const redact = ['email', 'phone', 'card', 'iban', 'ip', 'ssn', staffNumbers] as const;

/** A value of each kind, in two halves. */
const halves = {
  email: ['jane', '@example.org'],
  phone: ['+49 30 12', '34567'],
  card: ['4111 1111 1', '111 1111'],
  iban: ['DE89 3704 0044', ' 0532 0130 00'],
  ip: ['192.168', '.17.20'],
  ssn: ['078-05-', '1120'],
  staff: ['EMP-', '12345'],
} as const;

/** Leaves of the results that must not be there, whatever stands between. */
const values = Object.values(halves).map((parts) => parts.join(''));

const client = createClient({ logger: { warn: () => undefined } });

/** What a reader of the output has before the eyes. */
const shown = (output: string): string =>
  output
    .replace(
      /<(script|style|template|noscript|svg|object|iframe|video|audio|canvas|textarea|select)\b[^]*?<\/\1>/g,
      '',
    )
    .replace(
      /<(\w+)[^<>]*\s(?:hidden|style="display:none"|class="sr-only"|aria-hidden="true")[^<>]*>[^<]*<\/\1>/g,
      '',
    )
    .replace(/<[^<>]*>/g, '')
    .replaceAll('&nbsp;', ' ')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\ufff9-\ufffb]/gu, '');

const formats = [
  'markdown',
  'html',
  'rawHtml',
  'links',
  'chunks',
  'modelText',
  'tables',
  'summary',
] as const;

async function outputsOf(html: string, contentType = 'text/html'): Promise<string[]> {
  const document = await client.parse(html, {
    contentType,
    redact,
    formats,
    onlyMainContent: false,
  });
  const { markdown, rawHtml, html: cleaned, ...others } = document;
  return [markdown, rawHtml, cleaned, JSON.stringify(others)].map((one) => shown(one));
}

function leaks(outputs: readonly string[], wanted: readonly string[] = values): string[] {
  return wanted.filter((value) => outputs.some((output) => output.includes(value)));
}

const page = (between: string): string =>
  `<!doctype html><title>Contacts</title><main><h1>Contacts</h1>${Object.values(halves)
    .map(([one, other]) => `<div>Ask ${one}${between}${other} today.</div>`)
    .join(
      '',
    )}<table><tr><th>Name</th><th>To</th></tr><tr><td>A</td><td>jane${between}@example.org</td></tr><tr><td>B</td><td>none</td></tr></table>
    <a href="/a">jane${between}@example.org</a></main>`;

describe('elements', () => {
  const names =
    'a abbr acronym applet audio b bdi bdo big button canvas cite code data datalist del dfn em embed font i iframe img input ins ' +
    'kbd label link map mark math meta meter nobr noembed noframes noscript object output picture progress q rp rt ruby s samp ' +
    'script select slot small source span strike strong style sub sup svg template textarea time title track tt u var video wbr ' +
    'x-split blink spacer bgsound';
  test.each(names.split(' '))('an empty %s', async (name) => {
    expect(leaks(await outputsOf(page(`<${name}></${name}>`)))).toEqual([]);
  });

  const hidden = [
    '<span hidden>. </span>',
    '<span hidden>x</span>',
    '<div hidden><p>x</p></div>',
    '<span style="display:none">. </span>',
    '<span style="visibility:hidden">no</span>',
    '<span style="font-size:0">no</span>',
    '<span class="sr-only">at</span>',
    '<i aria-hidden="true">*</i>',
    '<script>var a = 1;</script>',
    '<style>p { color: red }</style>',
    '<template><p>x</p></template>',
    '<noscript><p>x</p></noscript>',
    '<svg><path d="M0 0"/></svg>',
    '<svg><title>Icon</title></svg>',
    '<!-- no -->',
    '<!-- --><wbr><!-- -->',
    '<script></script><span hidden>no</span>&shy;<b></b>',
    '<b><i><u></u></i></b>',
    '<button>Copy</button>',
    '<select><option>x</option></select>',
    '<textarea>no</textarea>',
  ];
  test.each(hidden)('%s', async (between) => {
    expect(leaks(await outputsOf(page(between)))).toEqual([]);
  });

  test('text that a style sheet hides', async () => {
    const html = `<style>.h { display: none }</style>${page('<span class="h">. </span>')}`;
    const document = await client.parse(html, {
      redact,
      formats: ['modelText'],
    });
    expect(leaks([JSON.stringify(document.modelText)])).toEqual([]);
  });

  test('elements that excludeTags removes', async () => {
    const html = page('<em class="x">-no-</em>');
    const { markdown } = await client.parse(html, { redact, excludeTags: ['.x'] });
    expect(leaks([markdown])).toEqual([]);
  });
});

describe('characters', () => {
  const invisible = [
    ...'\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d',
    ...'\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206f\u3164\ufe00\ufe0f\ufeff\uffa0\ufff9\ufffa\ufffb',
    '\u0001',
    '\u0008',
    '\u001b',
    '\u007f',
    '\u{e0001}',
    '\u{e0041}',
    '\u{e007f}',
    '\u{e0100}',
    '\u{1d173}',
    '\u200b\u200b\u200b',
    '\u2060\u00ad\u{e0041}\u{e0042}',
  ];
  test.each(invisible.map((one) => [name(one), one]))('%s', async (_, between) => {
    expect(leaks(await outputsOf(page(between)))).toEqual([]);
  });

  test.each([
    '&shy;',
    '&#173;',
    '&#xAD;',
    '&zwj;',
    '&zwnj;',
    '&ZeroWidthSpace;',
    '&NoBreak;',
    '&#8203;',
    '&lrm;',
  ])('%s', async (between) => {
    expect(leaks(await outputsOf(page(between)))).toEqual([]);
    expect(leaks(await outputsOf(page(`<wbr>${between}<b></b>`)))).toEqual([]);
  });

  test('every character that cleaning removes is one', () => {
    const seen: string[] = [];
    for (let code = 1; code <= 0x10ffff; code += code === 0xd7ff ? 0x801 : 1) {
      const text = `a${String.fromCodePoint(code)}1`;
      if (withoutInvisible(text) === 'a1' && new Reading(text).text !== 'a1')
        seen.push(name(text.slice(1, -1)));
    }
    expect(seen).toEqual([]);
  });
});

test('a value of several lines of source', async () => {
  const html =
    '<main><p>Call +49\n          30\n          1234567 or 4111\n          1111 1111\n          1111.</p></main>';
  const { markdown } = await client.parse(html, { redact });
  expect(markdown).toBe('Call [phone] or [card].');
});

describe('signs', () => {
  const written: Record<string, readonly string[]> = {
    email: [
      'ｊａｎｅ＠ｅｘａｍｐｌｅ．ｏｒｇ',
      'jane\ufe6bexample\uff0eorg',
      'jane@example\u3002org',
      'jane@my\u2011example.org',
      '𝗃𝖺𝗇𝖾@𝖾𝗑𝖺𝗆𝗉𝗅𝖾.𝗈𝗋𝗀',
      'jane＠example．org',
    ],
    phone: [
      '+49\u00a030\u00a01234567',
      '+49\u200930\u20091234567',
      '+49\u202f30\u202f1234567',
      '030\u20101234567',
      '030\u20111234567',
      '030\u20121234567',
      '030\u20131234567',
      '030 \u2014 1234567',
      '030\u20151234567',
      '０３０－１２３４５６７',
      '＋４９　３０　１２３４５６７',
      '+𝟺𝟿 𝟹𝟶 𝟷𝟸𝟹𝟺𝟻𝟼𝟽',
      '+49 30 1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣',
    ],
    card: [
      '4111\u20091111\u20091111\u20091111',
      '4111\u202f1111\u202f1111\u202f1111',
      '4111\u20111111\u20111111\u20111111',
      '４１１１　１１１１　１１１１　１１１１',
      '4111\u22121111\u22121111\u22121111',
      '4111  1111  1111  1111',
    ],
    iban: [
      'DE89\u20093704\u20090044\u20090532\u20090130\u200900',
      'ＤＥ８９３７０４００４４０５３２０１３０００',
      'DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000',
    ],
    ip: ['１９２．１６８．１７．２０', '192\u2024168\u202417\u202420'],
    ssn: [
      '078\u201005\u20101120',
      '078\u201105\u20111120',
      '078\u201205\u20121120',
      '078\u201305\u20131120',
      '０７８－０５－１１２０',
      '078\uff0d05\uff0d1120',
    ],
    staff: ['EMP\u201112345', 'ＥＭＰ－１２３４５'],
  };
  const cases = Object.entries(written).flatMap(([kind, texts]) =>
    texts.map((text) => [kind, text] as const),
  );
  test.each(cases)('%s %s', async (kind, text) => {
    const { markdown } = await client.parse(`<main><p>Ask ${text} now.</p></main>`, { redact });
    expect(markdown.trim()).toBe(`Ask [${kind}] now.`);
  });

  const labels = [
    '<p><b>Tel</b>: 5551234</p>',
    '<p>Tel<b>:</b> 5551234</p>',
    '<dl><dt>Phone</dt><dd>5551234</dd></dl>',
    '<table><tr><th>Telefon:</th><td>5551234</td></tr><tr><th>Name</th><td>Jane</td></tr></table>',
    '<p>Fax:</p><p>555 12 34</p>',
    '<p><span itemprop="telephone">5551234</span></p>',
    '<p>Call <a href="/c" data-phone="5551234">us</a></p>',
    '<p>Call <input name="phone" value="5551234"> us</p>',
    '<p>Tel.:<br>5551234</p>',
    '<p>☎ 555\u20091234</p>',
    '<script type="application/ld+json">{"telephone":"5551234"}</script><p>Text</p>',
    '<script>window.state = {"contact":{"phone":5551234}}</script><p>Text</p>',
    '<ul><li>Mobil<ul><li>5551234</li></ul></li></ul>',
  ];
  test.each(labels)('a labelled number: %s', async (html) => {
    const { rawHtml } = await client.parse(`<main>${html}</main>`, {
      redact,
      formats: ['rawHtml'],
    });
    expect(rawHtml).not.toMatch(/555|12.?34/);
  });
});

describe('what is no value stays', () => {
  test.each([
    '<p>A <b>1</b> to <b>2</b> of 1,299.00 EUR since 01.02.2024.</p>',
    '<ul><li>030</li><li>1234567</li></ul>',
    '<table><tbody><tr><td>4111</td><td>1111</td><td>1111</td><td>1111</td></tr></tbody></table>',
    '<svg><text>4111</text><text>1111</text><text>1111</text><text>1111</text></svg><p>x</p>',
    '<p>jane<br>@example.org</p>',
    '<p>Phone</p><p>01.02.2024</p>',
    '<p>Hotel</p><p>5551234</p>',
    '<p>C:\\new\\temp 100%20 &amp;copy; a\\b</p>',
  ])('%s', async (html) => {
    const all = await client.parse(`<main>${html}</main>`, {
      redact,
      formats: ['rawHtml', 'markdown'],
    });
    const plain = await client.parse(`<main>${html}</main>`, { formats: ['rawHtml', 'markdown'] });
    expect(all.markdown).toBe(plain.markdown);
    expect(all.rawHtml).toContain(html);
    expect(all.metadata.redactions).toEqual({});
  });
});

test('models, hooks and typed data get none of it', async () => {
  const got: string[] = [];
  const model = scriptedModel(({ system, prompt }) => {
    got.push(system, prompt);
    return { summary: 'x', email: 'x' };
  });
  await using asking = createClient({
    model,
    logger: { warn: () => undefined },
    hooks: {
      beforeFormats: ({ page: seen }) => {
        got.push(seen.kind === 'html' ? (seen.root.textContent ?? '') : seen.source);
      },
    },
  });
  for (const between of ['<script></script>', '<span hidden>. </span>', '\u200b\u{e0041}']) {
    const document = await asking.parse(page(between), {
      redact,
      formats: [
        'summary',
        {
          type: 'json',
          prompt: 'The address',
          schema: { type: 'object', properties: { email: { type: 'string' } } },
        },
      ],
    });
    got.push(JSON.stringify(document));
  }
  expect(got.length).toBeGreaterThan(3);
  expect(leaks(got.map((one) => shown(one)))).toEqual([]);
}, 20_000);

function name(text: string): string {
  return [...text]
    .map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0').toUpperCase()}`)
    .join(' ');
}
