/** Office files that are damaged, lying or hostile: each ends in its code, or in as much as is read. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import {
  archive,
  docxOf,
  paragraph,
  readFile,
  relationsOf,
  workbookOf,
} from '../../support/office-file.ts';
import { rareTest } from '../../support/deep.ts';

const fixture = (path: string): Buffer =>
  readFileSync(new URL(`../../../fixtures/files/${path}`, import.meta.url));

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  return error instanceof PagewrightError ? error.code : `not refused: ${String(error)}`;
}

describe('a picture that is too large, damaged or of a kind that is not shown', () => {
  const limits = { bodyBytes: 1_000_000 };
  const large = '0'.repeat(5_000_000);
  const drawing = (id: string): string =>
    `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><wp:docPr id="1" descr="Alt ${id}"/><a:blip r:embed="${id}"/></wp:inline></w:drawing></w:r></w:p>`;
  const images = ['one.png', 'two.emf', 'three.png'];
  const relations = relationsOf(
    Object.fromEntries(images.map((name) => [name, ['image', `media/${name}`] as const])),
  );
  const book = (image: string | Uint8Array): Uint8Array =>
    archive({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<container><rootfile full-path="a.opf"/></container>',
      'a.opf':
        '<package><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>',
      'c.xhtml': '<html><body><p>Words</p><img src="i.png" alt="Alt i"/></body></html>',
      'i.png': image,
    });

  /** An archive whose directory says that all is small. */
  const lying = (bytes: Uint8Array): Uint8Array => {
    const copy = Buffer.from(bytes);
    for (let at = copy.indexOf('PK\x01\x02'); at >= 0; at = copy.indexOf('PK\x01\x02', at + 4)) {
      copy.writeUInt32LE(10, at + 24);
    }
    return copy;
  };
  const damaged = (bytes: Uint8Array): Uint8Array => {
    const copy = Buffer.from(bytes);
    const at = copy.indexOf('i.png');
    copy.fill(0xff, at + 5, at + 15);
    return copy;
  };

  test('leaves its words in a document', async () => {
    const file = docxOf(`${paragraph('Words')}${images.map(drawing).join('')}`, {
      'word/_rels/document.xml.rels': relations,
      ...Object.fromEntries(images.map((name) => [`word/media/${name}`, large])),
    });
    for (const bytes of [file, lying(file)]) {
      const { body } = (await readFile(bytes, undefined, limits)).document;
      expect(body.textContent).toContain('Words');
      expect(body.querySelectorAll('img')).toHaveLength(3);
      expect(body.innerHTML).toContain('alt="Alt three.png"');
    }
  });

  test('leaves its words in a book', async () => {
    const all = [book(large), lying(book(large)), damaged(book('some words that are packed'))];
    for (const bytes of all) {
      const { body } = (await readFile(bytes, undefined, limits)).document;
      expect(body.textContent).toContain('Words');
      expect(body.innerHTML).toContain('alt="Alt i"');
    }
  });
});

describe('what is too large is PARSE_LIMIT', () => {
  test('a document that unpacks to more than a body may have', async () => {
    const bomb = docxOf(paragraph('a'.repeat(5_000_000)));
    expect(bomb.length).toBeLessThan(50_000);
    expect(await codeOf(readFile(bomb, undefined, { bodyBytes: 1_000_000 }))).toBe('PARSE_LIMIT');
  });

  test('a workbook whose parts unpack to more', async () => {
    const bomb = archive({
      '[Content_Types].xml': '<Types/>',
      'xl/workbook.xml': '<workbook/>',
      'xl/worksheets/sheet1.xml': ' '.repeat(5_000_000),
    });
    expect(await codeOf(readFile(bomb, undefined, { bodyBytes: 1_000_000 }))).toBe('PARSE_LIMIT');
  });

  test('a binary workbook whose parts unpack to more, whatever it is called', async () => {
    const bomb = archive({
      '[Content_Types].xml': '<Types/>',
      'xl/workbook.bin': '',
      'xl/worksheets/sheet1.bin': ' '.repeat(5_000_000),
    });
    expect(await codeOf(readFile(bomb, undefined, { bodyBytes: 1_000_000 }))).toBe('PARSE_LIMIT');
  });

  test('more elements than a page may have', async () => {
    const many = docxOf('<w:p/>'.repeat(50_000));
    expect(await codeOf(readFile(many, undefined, { nodes: 10_000 }))).toBe('PARSE_LIMIT');
  });

  test('a long text that many links name', async () => {
    const link =
      '<w:hyperlink r:id="long"><w:r><w:t>x</w:t></w:r></w:hyperlink><w:r><w:t>y</w:t></w:r>';
    const file = docxOf(`<w:p>${link.repeat(3000)}</w:p>`, {
      'word/_rels/document.xml.rels': relationsOf({
        long: ['hyperlink', `h${'a'.repeat(100_000)}`],
      }),
    });
    expect(file.length).toBeLessThan(50_000);
    expect(await codeOf(readFile(file))).toBe('PARSE_LIMIT');
  });
});

describe('what cannot be read is UNSUPPORTED_CONTENT', () => {
  test.each([
    'docx/survey.docx',
    'pptx/talk.pptx',
    'odt/letter.odt',
    'epub/notebook.epub',
    'xlsx/ledger.xlsx',
  ])('%s that was cut off', async (path) => {
    const whole = fixture(path);
    const type = `application/vnd.openxmlformats-officedocument.wordprocessingml.document`;
    const cut = whole.subarray(0, Math.floor(whole.length / 2));
    expect(await codeOf(readFile(cut, type))).toBe('UNSUPPORTED_CONTENT');
  });

  test('a document with a password', async () => {
    const ole = Buffer.alloc(2048);
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(ole);
    ole.write('EncryptedPackage', 1024, 'utf16le');
    const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    const work = readFile(ole, type);
    await expect(work).rejects.toThrow(/encrypted with a password/);
    expect(await codeOf(work)).toBe('UNSUPPORTED_CONTENT');
  });

  test('an old document that is damaged', async () => {
    const whole = fixture('doc/letter.doc');
    expect(await codeOf(readFile(whole.subarray(0, 3000), 'application/msword'))).toBe(
      'UNSUPPORTED_CONTENT',
    );
  });

  test('an archive that is no document', async () => {
    const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    const zip = archive({ 'word/readme.bin': new Uint8Array([0, 1, 2]) });
    expect(await codeOf(readFile(zip, type))).toBe('UNSUPPORTED_CONTENT');
  });

  test('a book that is encrypted', async () => {
    const book = archive({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml':
        '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
      'META-INF/encryption.xml':
        '<encryption><EncryptedData><CipherData><CipherReference URI="a.xhtml"/></CipherData></EncryptedData></encryption>',
      'b.opf':
        '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
      'a.xhtml': 'garbage',
    });
    expect(await codeOf(readFile(book, 'application/epub+zip'))).toBe('UNSUPPORTED_CONTENT');
  });
});

describe('what is hostile is read as far as it says something', () => {
  test('entities of a DTD are not expanded', async () => {
    const lol = Array.from(
      { length: 9 },
      (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
    );
    const document = `<?xml version="1.0"?><!DOCTYPE w:document [<!ENTITY l0 "lol">${lol.join('')}<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document xmlns:w="${word}"><w:body>${paragraph('a &l9; &x; b &amp; &#99;')}</w:body></w:document>`;
    const { root } = await readFile(docxOf('', { 'word/document.xml': document }));
    expect(root.textContent).toBe('a &l9; &x; b & c');
  });

  test('names that lead out of the archive lead nowhere', async () => {
    const file = docxOf(
      `<w:p><w:r><w:t>text</w:t><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:embed="i"/></w:drawing></w:r></w:p>`,
      {
        'word/_rels/document.xml.rels': relationsOf({ i: ['image', '../../../../etc/passwd'] }),
        '../../outside': 'x',
      },
    );
    const { root } = await readFile(file);
    expect(root.innerHTML).toBe('<p>text<img src="data:,"></p>'.replace('">', '" alt="">'));
  });

  test('styles and lists that are based on themselves end', async () => {
    const styles = ['A', 'B'].map(
      (id) =>
        `<w:style w:styleId="${id}"><w:name w:val="${id}"/><w:basedOn w:val="${id === 'A' ? 'B' : 'A'}"/></w:style>`,
    );
    const numbering =
      '<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="L"/></w:abstractNum><w:abstractNum w:abstractNumId="2"><w:styleLink w:val="L"/><w:numStyleLink w:val="L"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>';
    const file = docxOf(
      paragraph('one', '<w:pStyle w:val="A"/>') +
        paragraph('two', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>') +
        paragraph('three', '<w:numPr><w:ilvl w:val="99"/><w:numId w:val="constructor"/></w:numPr>'),
      {
        'word/styles.xml': `<w:styles xmlns:w="${word}">${styles.join('')}</w:styles>`,
        'word/numbering.xml': `<w:numbering xmlns:w="${word}">${numbering}</w:numbering>`,
      },
    );
    const { root } = await readFile(file);
    expect(root.textContent).toContain('one');
    expect(root.textContent).toContain('two');
    expect(root.textContent).toContain('three');
  });

  test('elements ten thousand levels deep stand side by side', async () => {
    const levels = 10_000;
    const deep = docxOf(
      `${'<w:tbl><w:tr><w:tc>'.repeat(levels)}${'</w:tc></w:tr></w:tbl>'.repeat(levels)}${paragraph('after')}`,
    );
    const { root } = await readFile(deep);
    expect(root.textContent).toBe('after');
    const rtf = await readFile(`{\\rtf1 ${'{'.repeat(100_000)}deep`);
    expect(rtf.root.textContent).toBe('deep');
  });

  test('ends that fit no start are ignored', async () => {
    const file = docxOf(`${'<w:ins>'.repeat(100)}${'</w:y>'.repeat(20_000)}${paragraph('text')}`);
    expect((await readFile(file)).root.textContent).toBe('text');
  });

  rareTest(
    'a million cells of a sheet are read to the limit, with a warning',
    async () => {
      const row = '<row>' + '<c t="str"><v>x</v></c>'.repeat(1000) + '</row>';
      const file = workbookOf(`<sheetData>${row.repeat(1000)}</sheetData>`);
      const page = await readFile(file, undefined, { nodes: 40_000 });
      expect(page.warnings.join()).toMatch(/The sheet "Big" was read to row/);
      expect(page.root.querySelectorAll('tr').length).toBe(10);
    },
    60_000,
  );

  test.each([
    ['no size', '<sheetData>'],
    ['a size that is too small', '<dimension ref="A1:B2"/><sheetData>'],
    ['names of its own', '<x:sheetData>'],
  ])('a row far down a sheet with %s is missed with a warning', async (_, start) => {
    const row = (at: number, cell: string): string =>
      `<row r="${at}"><c r="A${at}" t="str">${cell}</c></row>`;
    const end = start.replace(/^.*</, '</');
    const sheet = (far: string): Uint8Array =>
      workbookOf(`${start}${row(1, '<v>near</v>')}${row(900_000, far)}${end}`);
    const page = await readFile(sheet('<v>far</v>'));
    expect(page.root.textContent).toBe('Bignear');
    expect(page.warnings.join()).toMatch(/^The sheet "Big" was read to row 1:/);
    // One that only has a format says nothing.
    expect((await readFile(sheet(''))).warnings).toEqual([]);
  });

  test('a sheet that repeats a row a million times is read to the limit', async () => {
    const file = archive({
      mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
      'content.xml':
        '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>',
    });
    const page = await readFile(file, 'application/vnd.oasis.opendocument.spreadsheet', {
      nodes: 40_000,
    });
    expect(page.warnings.join()).toMatch(/was read to row 10/);
  });

  test('a table of values with more rows than are read is cut, with a warning', async () => {
    const page = await readFile('a,b\n'.repeat(60_000), 'text/csv', { nodes: 500_000 });
    expect(page.root.querySelectorAll('tr').length).toBe(50_000);
    expect(page.warnings.join()).toMatch(/was read to row 50000/);
  });

  test('each byte of a rich text file may be missing', async () => {
    const whole = fixture('rtf/code-pages.rtf');
    for (let length = 6; length < whole.length; length += 7) {
      await readFile(whole.subarray(0, length), 'application/rtf');
    }
    expect((await readFile(whole)).root.textContent).toContain('Привет');
  });

  test.each(['doc/letter.doc', 'xls/ledger.xls'])('%s with changed bytes ends', async (path) => {
    const whole = fixture(path);
    for (let at = 512; at < whole.length; at += 997) {
      const bytes = Buffer.from(whole);
      bytes.fill(0xff, at, at + 16);
      const found = await readFile(bytes).then(
        () => 'read',
        (error: unknown) => (error as { code?: string }).code,
      );
      expect(found).toMatch(/^(?:read|UNSUPPORTED_CONTENT|PARSE_LIMIT)$/);
    }
  });
});

test('an archive without a workbook is refused, and nothing is logged', async () => {
  const own = globalThis.console;
  const logged: unknown[] = [];
  const record = (...words: unknown[]): void => void logged.push(words);
  globalThis.console = { ...own, log: record, error: record, warn: record };
  try {
    const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    const numbers = archive({ 'Index/Document.iwa': new Uint8Array(300).fill(7) });
    const other = archive({ 'notes.txt': 'No workbook.' });
    for (const file of [numbers, other]) {
      expect(await codeOf(readFile(file, type))).toBe('UNSUPPORTED_CONTENT');
    }
    // A spreadsheet of Lotus with a formula that ends too early.
    const lotus = Buffer.from('0000020006041000120000000000000000000000000000000500050001', 'hex');
    await codeOf(readFile(lotus, type));
  } finally {
    globalThis.console = own;
  }
  expect(logged).toEqual([]);
});
