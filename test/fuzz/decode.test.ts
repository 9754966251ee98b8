/** Fuzzes bytes to text under any charset label. src/content/text. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { decodeText } from '../../src/content/text/decode.ts';
import { fuzzTest } from './fuzz-test.ts';
import { mutate, mutations, soup } from './mutations.ts';

const labels = [
  'utf-8',
  'UTF8',
  'utf-16',
  'utf-16be',
  'utf-32',
  'utf-7',
  'latin1',
  'windows-1252',
  'iso-8859-8-i',
  'shift_jis',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
  'euc-jp',
  'iso-2022-jp',
  'iso-2022-kr',
  'hz-gb-2312',
  'koi8-u',
  'ibm866',
  'macintosh',
  'x-user-defined',
  'replacement',
  'windows-874',
  'none',
  '',
];
const label = fc.option(fc.oneof(fc.constantFrom(...labels), fc.string()), { nil: undefined });
const kind = fc.constantFrom('html', 'xml', 'json', 'text');
const tokens = [
  '<meta charset=',
  '<meta charset="utf-7">',
  '<meta http-equiv=content-type content="text/html; charset',
  '<?xml version="1.0" encoding="',
  '"?>',
  '\ufeff',
  'ü',
  '\u{1f600}',
  '\0',
  '<\0?\0x\0',
  '\x1b$B',
  '&#128;',
  ...labels,
];
const bytes = fc
  .tuple(fc.oneof(soup(tokens, 20), fc.string({ unit: 'binary' })), mutations(tokens))
  .map(([text, changes]) => mutate(Buffer.from(text), changes));

fuzzTest(
  'any bytes under any label are text without lone surrogates, the same each time',
  { runs: 1_000, share: 2 },
  fc.asyncProperty(fc.oneof(bytes, fc.uint8Array()), label, kind, async (bytes, charset, kind) => {
    const text = await decodeText(bytes, charset, kind);
    expect(text).not.toMatch(/\p{Surrogate}/u);
    expect(await decodeText(bytes, charset, kind)).toBe(text);
  }),
);

fuzzTest(
  'UTF-8 is read as it was written, with a label, with a byte order mark, and without both',
  { runs: 500, share: 1 },
  fc.asyncProperty(
    fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\ufeff')),
    fc.constantFrom('utf-8', 'UTF8', undefined),
    fc.boolean(),
    kind,
    async (text, charset, hasMark, kind) => {
      const bytes = Buffer.from((hasMark ? '\ufeff' : '') + text);
      expect(await decodeText(bytes, charset, kind)).toBe(text);
    },
  ),
);
