/** What an office file may put into a page: links that open pages, elements of formulas, text. */
import { expect, test } from 'vitest';
import { docxOf, readFile } from '../../support/office-file.ts';

const html = async (body: Uint8Array | string, type?: string): Promise<string> =>
  (await readFile(body, type)).root.innerHTML;

const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'java\tscript:alert(1)',
])('a link to %s is its words', async (target) => {
  const file = docxOf(`<w:p><w:hyperlink r:id="l">${run('click')}</w:hyperlink></w:p>`, {
    'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="l" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="${target}" TargetMode="External"/></Relationships>`,
  });
  expect(await html(file)).toBe('<p>click</p>');
});

test('code in rich text is text, whatever its link leads to', async () => {
  const rtf = String.raw`{\rtf1{\stylesheet{\s1 code;}}\pard\s1{\field{\*\fldinst HYPERLINK "https://a.test/><<b>img src=x onerror=alert(1)>"}{\fldrslt click}}\par}`;
  expect(await html(rtf, 'application/rtf')).toBe('<pre><code>click</code></pre>');
});

test('all boxes of a group are read, and the picture beside them', async () => {
  const box = (text: string): string => `<w:txbxContent><w:p>${run(text)}</w:p></w:txbxContent>`;
  const drawing = `<w:p><w:r><w:drawing><wpg:wgp xmlns:wpg="urn:g"><wps:wsp xmlns:wps="urn:s">${box('one')}</wps:wsp><wps:wsp xmlns:wps="urn:s">${box('two')}</wps:wsp></wpg:wgp></w:drawing></w:r></w:p>`;
  const text = (await readFile(docxOf(drawing))).root.textContent;
  expect(text).toContain('one');
  expect(text).toContain('two');
});
