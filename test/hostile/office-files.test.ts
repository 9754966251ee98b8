/** Office files and books that are damaged, encrypted, lying or built to hurt whoever reads them. */
import { readFileSync } from 'node:fs';
import { hostileFile } from '../support/hostile-file.ts';
import { archive, docxOf, paragraph, workbookOf } from '../support/office-file.ts';
import { runScenarios } from './run-scenarios.ts';
import { rare, type Outcome } from './scenario.ts';

const megabyte = 1024 * 1024;
const fixture = (path: string): Buffer =>
  readFileSync(new URL(`../../fixtures/files/${path}`, import.meta.url));
const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const openXml = 'application/vnd.openxmlformats-officedocument';
const openDocument = 'application/vnd.oasis.opendocument';
const spreadsheet = { type: `${openDocument}.spreadsheet` };

const words: Outcome = { document: { markdown: 'words' } };
const tooLarge: Outcome = { code: 'PARSE_LIMIT', message: /Raise limits\.bodyBytes/ };
const tooLong: Outcome = { code: 'PARSE_LIMIT', message: /Raise limits\.text/ };
const cut = /was read to row \d+: at most 50000 rows of 1000 columns/;
const unreadable = (message: RegExp): Outcome => ({ code: 'UNSUPPORTED_CONTENT', message });

const cell = (place: string, text: string): string => `<c r="${place}" t="str"><v>${text}</v></c>`;
const oneCell = `<sheetData><row r="1">${cell('A1', 'words')}</row></sheetData>`;

function ods(rows: string): Uint8Array {
  const names = ['office', 'table', 'text'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  return archive({
    mimetype: spreadsheet.type,
    'content.xml': `<office:document-content ${names.join(' ')}><office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
  });
}

function book(spine: string, items: string): Uint8Array {
  return archive({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfile full-path="a/b.opf"/></container>',
    'a/b.opf': `<package><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>${items}</manifest><spine>${spine}</spine></package>`,
    'a/c.xhtml': '<html><body><p>words</p></body></html>',
  });
}

/** What programs write for a file with a password: another container around it. */
function encrypted(): Uint8Array {
  const bytes = Buffer.alloc(4096);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes);
  bytes.write('EncryptedPackage\0', 1024, 'utf16le');
  return bytes;
}

const entities = Array.from(
  { length: 9 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
).join('');

runScenarios(
  [
    rare(
      hostileFile(
        'a document that unpacks to 300 MB is refused',
        () => docxOf(`<w:p><w:r><w:t>${' '.repeat(300 * megabyte)}</w:t></w:r></w:p>`),
        tooLarge,
      ),
    ),
    rare(
      hostileFile(
        'parts of a document that nobody needs are not unpacked',
        () =>
          docxOf(
            paragraph('words'),
            Object.fromEntries(
              Array.from({ length: 20 }, (_, at) => [
                `word/media/${at}.xml`,
                ' '.repeat(10 * megabyte),
              ]),
            ),
          ),
        words,
      ),
    ),
    hostileFile(
      'entities that name each other, or a file of the machine, are not expanded',
      () =>
        docxOf('', {
          'word/document.xml': `<?xml version="1.0"?><!DOCTYPE w:document [<!ENTITY l0 "lol">${entities}<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document xmlns:w="${word}"><w:body>${paragraph('a &l9; &x; b')}</w:body></w:document>`,
        }),
      { document: { markdown: 'a \\&l9; &x; b' } },
    ),
    ...['', `${openXml}.wordprocessingml.document`, `${openXml}.spreadsheetml.sheet`].map((type) =>
      hostileFile(
        `a file with a password is refused, whether it is called "${type.split('.').at(-1) ?? ''}"`,
        encrypted,
        unreadable(/password/),
        type === '' ? {} : { type },
      ),
    ),
    hostileFile(
      'a workbook that is cut is refused',
      () => fixture('xlsx/ledger.xlsx').subarray(0, 3000),
      unreadable(/it is damaged or was cut off/),
      { type: `${openXml}.spreadsheetml.sheet` },
    ),
    hostileFile(
      'a sheet that claims to fill the last row and column is read as far as it says something',
      () => workbookOf(`<dimension ref="A1:XFD1048576"/>${oneCell}`),
      { document: { markdown: '## Big\n\nwords', warning: cut } },
    ),
    hostileFile(
      'cells beyond the last column that is read are missed with a warning',
      () => {
        const rows = Array.from({ length: 2000 }, (_, at) => {
          const row = (at + 1) * 20;
          return `<row r="${row}">${cell(`XFD${row}`, 'far')}</row>`;
        });
        return workbookOf(`<sheetData>${rows.join('')}</sheetData>`);
      },
      { document: { markdown: '## Big', warning: cut } },
    ),
    hostileFile(
      'a hundred thousand merges of the whole sheet are none',
      () =>
        workbookOf(
          `${oneCell}<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(100_000)}</mergeCells>`,
        ),
      { document: { markdown: '## Big\n\nwords' } },
    ),
    hostileFile(
      'a long text that ten thousand cells show is refused',
      () =>
        workbookOf(
          `<sheetData>${`<row>${'<c t="s"><v>0</v></c>'.repeat(100)}</row>`.repeat(100)}</sheetData>`,
          {
            'xl/sharedStrings.xml': `<sst><si><t>${'long '.repeat(20_000)}</t></si></sst>`,
          },
        ),
      tooLong,
    ),
    hostileFile(
      'five million open groups of rich text are one',
      () => `{\\rtf1 ${'{'.repeat(5_000_000)}words`,
      words,
    ),
    hostileFile(
      'two billion bytes that rich text announces are not waited for',
      () => '{\\rtf1 words \\bin2000000000 x}',
      words,
    ),
    hostileFile(
      'an old document that is cut is refused',
      () => fixture('doc/letter.doc').subarray(0, 9000),
      unreadable(/it has no text that can be found/),
      { type: 'application/msword' },
    ),
    hostileFile(
      'an old document whose sectors follow themselves is refused',
      () => {
        const bytes = Buffer.from(fixture('doc/letter.doc'));
        for (let at = 512; at < 1024; at += 4) bytes.writeUInt32LE(1, at);
        return bytes;
      },
      unreadable(/it has no text that can be found/),
      { type: 'application/msword' },
    ),
    hostileFile(
      'chapters of a book that lead out of it lead nowhere',
      () =>
        book(
          '<itemref idref="x"/><itemref idref="c"/>',
          '<item id="x" href="../../../../etc/passwd" media-type="application/xhtml+xml"/>',
        ),
      { document: { markdown: 'words', warning: 'The book has no etc/passwd, which it names.' } },
    ),
    rare(
      hostileFile(
        'a chapter that a book names 200,000 times is read once',
        () => book('<itemref idref="c"/>'.repeat(200_000), ''),
        words,
      ),
    ),
    hostileFile(
      'a cell that is repeated a billion times is repeated as often as a sheet is read',
      () =>
        ods(
          '<table:table-row><table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell></table:table-row>',
        ),
      { document: { markdown: /^## S\n\nx\n\nx\n/, warning: cut } },
      spreadsheet,
    ),
    hostileFile(
      'a billion empty rows of a billion empty cells are none',
      () =>
        ods(
          '<table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000"/></table:table-row><table:table-row><table:table-cell table:number-columns-spanned="1000000000" table:number-rows-spanned="1000000000"><text:p>words</text:p></table:table-cell></table:table-row>',
        ),
      { document: { markdown: '## S\n\nwords' } },
      spreadsheet,
    ),
    hostileFile(
      'a cell over two billion columns is a cell',
      () =>
        docxOf(
          `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr>${paragraph('words')}</w:tc></w:tr></w:tbl>`,
        ),
      words,
    ),
    rare(
      hostileFile(
        'five million quotes are one value',
        () => '"'.repeat(5_000_000),
        { document: { markdown: /^"+$/ } },
        { type: 'text/csv' },
      ),
    ),
    hostileFile(
      'five million values of one row are not read',
      () => ','.repeat(5_000_000),
      { document: { markdown: '', warning: cut } },
      { type: 'text/csv' },
    ),
    hostileFile(
      'an archive that is none is refused',
      () => Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(5 * megabyte, 0x41)]),
      unreadable(/it is damaged or was cut off/),
      { type: `${openXml}.wordprocessingml.document` },
    ),
  ],
  { memory: 1200 },
);
