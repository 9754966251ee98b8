/** `redact`: values with the escapes of JSON, scripts, XML, HTML and URLs, also several times, and what stays as it is. */
import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/index.ts';

const redact = ['email', 'phone', 'card', 'iban', 'ip', 'ssn'] as const;

const client = createClient({ logger: { warn: () => undefined } });
afterAll(() => client.close());

const unit = (text: string): string =>
  [...text].map((one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`).join('');

/** A value as a string of JSON has it, and its kind. */
const inJson: readonly (readonly [string, string])[] = [
  ['jane\\u0040example.org', '[email]'],
  ['jane@example\\u002eorg', '[email]'],
  [unit('jane@example.org'), '[email]'],
  ['\\njane@example.org', '\n[email]'],
  ['\\tjane@example.org\\r\\n', '\t[email]\r\n'],
  ['Jane <jane@example.org>\\n', 'Jane <[email]>\n'],
  ['ja\\u200bne@exam\\u00adple.org', '[email]'],
  ['ja\\ud83d\\ude00ne@example.org', 'ja\u{1f600}[email]'],
  ['ja\\udb40\\udc41ne@example.org', '[email]'],
  ['ja<b>ne<\\/b>@example.org', '[email]<b></b>'],
  ['ja\\u003cb\\u003ene\\u003c/b\\u003e@example.org', '[email]<b></b>'],
  ['<a href=\\"mailto:jane@example.org\\">Jane<\\/a>', '<a href="mailto:[email]">Jane</a>'],
  ['<p>jane<!-- x -->@example.org<\\/p>', '<p>[email]<!-- x --></p>'],
  ['030\\/1234567', '[phone]'],
  ['+49\\u00a030\\u00a01234567', '[phone]'],
  ['+49\\u202f30\\u2011123\\u20114567', '[phone]'],
  ['\\u002b49 30 1234567', '[phone]'],
  ['4111\\u00a01111\\u00a01111\\u00a01111', '[card]'],
  ['4111\\u20111111\\u20111111\\u20111111', '[card]'],
  ['\\u0034111 1111 1111 1111', '[card]'],
  ['DE89\\u00a03704\\u00a00044\\u00a00532\\u00a00130\\u00a000', '[iban]'],
  ['192\\u002e168.17.20', '[ip]'],
  ['078\\u201105\\u20111120', '[ssn]'],
  ['jane&#64;example.org', '[email]'],
  ['jane&commat;example&period;org', '[email]'],
  ['&#106;&#97;ne&#x40;example.org', '[email]'],
  ['+49&nbsp;30&nbsp;1234567', '[phone]'],
  ['jane%40example.org', '[email]'],
  ['https:\\/\\/x.test\\/?to=jane%2540example.org', 'https://x.test/?to=[email]'],
  ['C:\\\\new\\\\jane@example.org', 'C:\\new\\[email]'],
  ['{\\"to\\":\\"jane\\\\u0040example.org\\"}', '{"to":"[email]"}'],
  ['{\\"to\\":\\"\\\\njane@example.org\\"}', '{"to":"\\n[email]"}'],
  [
    '{\\"a\\":\\"{\\\\\\"to\\\\\\":\\\\\\"jane@example.org\\\\\\"}\\"}',
    '{"a":"{\\"to\\":\\"[email]\\"}"}',
  ],
];

describe.each(inJson)('the string "%s"', (written, expected) => {
  const json = `{"b":1.50,"2":1e3,"1":12345678901234567890,"text":"${written}","a":null,"a":[]}`;
  /** Numbers, order and names that repeat are those of the text. */
  const kept = /^\{"b":1\.50,"2":1e3,"1":12345678901234567890,"text":".*","a":null,"a":\[\]\}$/s;

  test('in a body of JSON', async () => {
    const formats = ['rawHtml', 'markdown', 'html'] as const;
    const page = await client.parse(json, { contentType: 'application/json', redact, formats });
    expect(page.rawHtml).toMatch(kept);
    expect((JSON.parse(page.rawHtml) as { text: unknown }).text).toBe(expected);
    const fenced = page.markdown.replace(/^```json\n|\n```\n?$/g, '');
    expect((JSON.parse(fenced) as { text: unknown }).text).toBe(expected);
  });

  test('in scripts and attributes', async () => {
    const attribute = json.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const html = `<script type="application/json" id="__NEXT_DATA__">${json}</script>
      <script>window.state = ${json};</script><p data-state="${attribute}">Text</p>`;
    const { rawHtml, attributes } = await client.parse(html, {
      redact,
      formats: [
        'rawHtml',
        { type: 'attributes', selectors: [{ selector: 'p', attribute: 'data-state' }] },
      ],
    });
    const texts = [
      /__NEXT_DATA__">([^]*?)<\/script>/.exec(rawHtml)?.[1],
      /state = ([^]*?);<\/script>/.exec(rawHtml)?.[1],
      attributes[0]?.values[0],
    ];
    for (const text of texts) {
      expect(text).toMatch(kept);
      expect((JSON.parse(text ?? '') as { text: unknown }).text).toBe(expected);
    }
  });
});

test('JSON-LD, a script that is no JSON, and JSON that is cut off', async () => {
  const html = `<script type="application/ld+json">{"@type":"Person","@context":"https://schema.org","email":"jane\\u0040example.org","telephone":"030\\/1234567"}</script>
    <script>self.__next_f.push([1,"5:{\\"mail\\":\\"jane\\\\u0040example.org\\",\\"t\\":\\"\\\\u002b49 30 1234567\\"}"])</script>
    <script type="application/json">{"mail":"jane\\u0040example.org","n":[4111111111111111,</script><p>Text</p>`;
  const { structuredData, rawHtml } = await client.parse(html, {
    redact,
    formats: ['structuredData', 'rawHtml'],
  });
  expect(structuredData.jsonLd).toMatchObject([{ email: '[email]', telephone: '[phone]' }]);
  expect(rawHtml).toContain('{\\"mail\\":\\"[email]\\",\\"t\\":\\"[phone]\\"}');
  expect(rawHtml).toContain('{"mail":"[email]","n":["[card]",');
});

/** XML, and its text without the data. */
const inXml: readonly (readonly [string, string])[] = [
  ['jane&#64;example.org', '[email]'],
  ['&#106;ane@example.org', '[email]'],
  ['jane@example&#x2E;org', '[email]'],
  ['<![CDATA[jane@example.org]]>', '<![CDATA[[email]]]>'],
  ['jane<![CDATA[@]]>example.org', '[email]<![CDATA[]]>'],
  ['<![CDATA[jane]]>@example.org', '<![CDATA[[email]]]>'],
  ['<![CDATA[jane]]><![CDATA[@example.org]]>', '<![CDATA[[email]]]><![CDATA[]]>'],
  ['jane<!-- x -->@example.org', '[email]<!-- x -->'],
  ['jane<?x y?>@example.org', '[email]<?x y?>'],
  ['<![CDATA[<b>ja</b>ne@example.org]]>', '<![CDATA[<b>[email]</b>]]>'],
  ['&lt;b&gt;ja&lt;/b&gt;ne@example.org', '&lt;b&gt;[email]&lt;/b&gt;'],
  ['&amp;#106;ane@example.org', '[email]'],
  ['+49&#160;30&#xA0;1234567', '[phone]'],
  ['4111&#8201;1111&#8201;1111&#8201;1111', '[card]'],
  ['078&#8209;05&#8209;1120', '[ssn]'],
  ['<to mail="jane&#64;example.org"/>', '<to mail="[email]"/>'],
  ['<!-- jane@example.org -->', '<!-- [email] -->'],
  ['<phone>5551234</phone>', '<phone>[phone]</phone>'],
];

test.each(inXml)('XML: %s', async (written, expected) => {
  const formats = ['rawHtml', 'markdown', 'html'] as const;
  const xml = (text: string): string =>
    `<?xml version="1.0"?><all><one>${text}</one><n>1.50</n></all>`;
  const page = await client.parse(xml(written), {
    contentType: 'application/xml',
    redact,
    formats,
  });
  expect(page.rawHtml).toBe(xml(expected));
  expect(page.markdown).toContain(expected);
  const feed = `<rss version="2.0"><channel><title>News</title><item><title>T</title><description>${written}</description></item></channel></rss>`;
  const read = await client.parse(feed, { contentType: 'application/rss+xml', redact, formats });
  expect(JSON.stringify(read).replace(/<[^<>]*>/g, '')).not.toMatch(
    /example\W{1,9}org|1234567|1111|1120/,
  );
});

test.each([
  '{"a":"\\u00e4\\/\\n","b":[1,2.0,-0],"c":"\\ud83d"}',
  '{"price":"1,299.00","ids":[1,22,333],"path":"C:\\\\new\\\\table"}',
  '[030,1234567]',
  '{"a":"x","a":"y"',
])('JSON without data is as it came: %s', async (json) => {
  const { rawHtml, metadata } = await client.parse(json, {
    contentType: 'application/json',
    redact,
    formats: ['rawHtml'],
  });
  expect(rawHtml).toBe(json);
  expect(metadata.redactions).toEqual({});
});
