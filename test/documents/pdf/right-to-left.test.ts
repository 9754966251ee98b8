/** Ligatures of right-to-left scripts: their letters are in reading order. */
import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../../src/client.ts';
import { onePage, pdfOf, streamOf } from '../../support/pdf-file.ts';

const client = createClient();
afterAll(() => client.close());

/** The text of glyphs from left to right, each given by the letters of its ToUnicode entry. */
async function textOf(glyphs: readonly string[]): Promise<string> {
  const hex = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('hex');
  const codes = glyphs.map((_, at) => (at + 0x41).toString(16));
  const map = glyphs.map((glyph, at) => `<${codes[at] ?? ''}> <${hex(glyph)}>`).join('\n');
  const cmap = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${glyphs.length} beginbfchar\n${map}\nendbfchar endcmap end`;
  const font = '<</Type/Font/Subtype/TrueType/BaseFont/Amiri/ToUnicode 7 0 R>>';
  const content = `BT /R 12 Tf 20 200 Td <${codes.join('')}> Tj ET`;
  const body = pdfOf(onePage(content, [font, streamOf(cmap)], { fonts: '/R 6 0 R' }));
  const { markdown } = await client.parse(body, { url: 'https://harbour.test/a.pdf' });
  return markdown;
}

test.each([
  ['lam-alef of two letters', ['م', 'لا', 'س'], 'سلام'],
  ['lam-alef with hamza', ['ن', 'لآ', 'ا'], 'الآن'],
  ['a presentation form', ['م', '\ufefc', 'س'], 'سلام'],
  ['a ligature of three letters', ['د', 'محم', 'ا'], 'امحمد'],
  ['no ligature', ['م', 'ا', 'ل', 'س'], 'سلام'],
  ['a point with its letter in Hebrew', ['ם', 'וֹ', 'ל', 'שׁ'], 'שׁלוֹם'],
])('%s', async (_, glyphs, text) => {
  expect(await textOf(glyphs)).toBe(text);
});
