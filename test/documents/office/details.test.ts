import { describe, expect, test } from 'vitest';
import { parse } from 'pagewright';
import { archive, docxOf, paragraph, readFile, relationsOf } from '../../support/office-file.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001', 'hex');
const list = (id: number, level = 0): string =>
  `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${id}"/></w:numPr>`;
const html = async (body: Uint8Array | string, type?: string): Promise<string> =>
  (await readFile(body, type)).root.innerHTML;

describe('a document', () => {
  test('keeps a picture as a data URL, which is removed unless the caller wants it', async () => {
    const file = docxOf(
      '<w:p><w:r><w:drawing><x:docPr xmlns:x="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" descr="A &quot;boat&quot;"/><b:blip xmlns:b="http://schemas.openxmlformats.org/drawingml/2006/main" r:embed="i"/></w:drawing></w:r></w:p>',
      {
        'word/_rels/document.xml.rels': relationsOf({ i: ['image', 'media/a.png'] }),
        'word/media/a.png': png,
      },
    );
    const url = 'https://files.test/a.docx';
    const plain = await parse(file, { url });
    expect(plain.markdown).toBe('![A "boat"](<Base64-Image-Removed>)');
    const kept = await parse(file, { url, removeBase64Images: false });
    expect(kept.markdown).toBe(`![A "boat"](data:image/png;base64,${png.toString('base64')})`);
  });

  test('joins runs of equal marks, and leaves blanks outside of them', async () => {
    const run = (text: string, mark = ''): string =>
      `<w:r><w:rPr>${mark}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const bold = '<w:b/>';
    const body = `<w:p>${run('a ', bold)}${run('b', bold)}${run(' ')}${run('c ', bold)}${run('d', '<w:b w:val="0"/>')}</w:p>`;
    expect(await html(docxOf(body))).toBe('<p><strong>a b c</strong> d</p>');
  });

  test('escapes what looks like markup', async () => {
    const file = docxOf(paragraph('&lt;img src=x onerror=alert(1)&gt; &amp;amp;'));
    expect(await html(file)).toBe('<p>&lt;img src=x onerror=alert(1)&gt; &amp;amp;</p>');
  });

  test('goes on counting after a paragraph, and begins anew where it says so', async () => {
    const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
    const numbering = `<w:numbering ${word}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`;
    const body = [
      paragraph('c', list(1)),
      paragraph('between'),
      paragraph('d', list(1)),
      paragraph('a', list(2)),
    ];
    expect(await html(docxOf(body.join(''), { 'word/numbering.xml': numbering }))).toBe(
      '<ol start="3"><li>c</li></ol><p>between</p><ol start="4"><li>d</li></ol><ol><li>a</li></ol>',
    );
  });

  test('is read whatever its namespaces are called', async () => {
    const main = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
    const document = `<n:document xmlns:n="${main}"><n:body><n:p><n:r><n:t>strict</n:t></n:r></n:p></n:body></n:document>`;
    expect(await html(docxOf('', { 'word/document.xml': document }))).toBe('<p>strict</p>');
  });

  test('is known by its bytes where the header lies', async () => {
    for (const type of [
      'text/html',
      'application/zip',
      'application/pdf',
      'application/epub+zip',
    ]) {
      expect(await html(docxOf(paragraph('text')), type)).toBe('<p>text</p>');
    }
  });
});

describe('values', () => {
  test.each([
    ['a,b\n1,2\n', 'a b|1 2'],
    ['a;b\n1,5;2\n', 'a b|1,5 2'],
    ['a|b\n1|2', 'a b|1 2'],
    ['sep=;\na;b,c\n1;2', 'a b,c|1 2'],
    ['"a""x",b\r\n"1\r2",\r\n', 'a"x b|12 '],
    ['a,b\n"open,2\nc,d', 'a b|"open 2|c d'],
    ['a,b\n"x"y,2', 'a b|xy 2'],
    ['a,b\n\n , \n1,2', 'a b|1 2'],
    ['\ufeffa\tb\n1\t2', 'a b|1 2'],
  ])('%j', async (text, rows) => {
    const { root } = await readFile(text, 'text/csv');
    const read = [...root.querySelectorAll('tr')].map((row) =>
      [...row.children].map((cell) => cell.textContent).join(' '),
    );
    expect(read.join('|')).toBe(rows);
  });

  test('are decoded by their bytes', async () => {
    const { root } = await readFile(Buffer.from('Gr\xf6\xdfe;M\xf6we\n1;2', 'latin1'), 'text/csv');
    expect(root.textContent).toBe('GrößeMöwe12');
  });
});

describe('a book', () => {
  test('has links between its documents and entities of HTML, and no scripts', async () => {
    const book = archive({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml':
        '<container><rootfiles><rootfile full-path="O/b.opf"/></rootfiles></container>',
      'O/b.opf':
        '<package><metadata><dc:title>T</dc:title></metadata><manifest><item id="b" href="b%20b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
      'O/a.xhtml':
        '<html><head><title>x</title></head><body><script>alert(1)</script><p onclick="x()">caf&eacute;&nbsp;&amp;eacute; <a href="b%20b.xhtml#n">b</a> <a href="lost.xhtml">l</a> <a id="m"/>end</p></body></html>',
      'O/b b.xhtml': '<html><body><p id="n">B</p></body></html>',
    });
    expect(await html(book)).toBe(
      '<section id="document-1"><p>café&nbsp;&amp;eacute; <a href="#document-2-n">b</a> <a>l</a> <a id="document-1-m"></a>end</p></section>' +
        '<section id="document-2"><p id="document-2-n">B</p></section>',
    );
  });
});
