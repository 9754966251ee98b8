/** PDFs that are damaged, encrypted, lying or built to hurt whoever reads them. */
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { hostileFile } from '../support/hostile-file.ts';
import { onePage, packed, pdfOf, shown, streamOf, zeros } from '../support/pdf-file.ts';
import { runScenarios } from './run-scenarios.ts';
import { rare, type Outcome } from './scenario.ts';

const megabyte = 1024 * 1024;
const fixture = (path: string): Buffer =>
  readFileSync(new URL(`../../fixtures/files/${path}`, import.meta.url));
const pages = '<</Type/Pages/Kids[3 0 R]/Count 1>>';
const [, , page = '', content = '', font = ''] = onePage(shown('words'));

const words: Outcome = { document: { markdown: 'words', metadata: { numPages: 1 } } };
const recovered: Outcome = {
  document: { markdown: 'words', warning: /The PDF is damaged: what could be recovered/ },
};
const damaged: Outcome = {
  code: 'PDF_DAMAGED',
  message: /parsers: \[\] returns the file as base64/,
};
const tooLarge: Outcome = { code: 'PDF_LIMIT', message: /too large to be read\. parsers: \[\]/ };
const late: Outcome = { code: 'TIMEOUT', message: /took longer than \d+ ms\. Raise timeout/ };
const soon = { timeout: 3000 };
/** Ten of each in one that is before it: what the innermost draws is drawn `10 ** depth` times. */
const forms = (depth: number, innermost: string): Uint8Array[] =>
  Array.from({ length: depth }, (_, at) =>
    streamOf(
      at === depth - 1 ? innermost : `/X${at + 7} Do `.repeat(10),
      `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F 5 0 R>>/XObject<</X${at + 7} ${at + 7} 0 R>>>>`,
    ),
  );
const fontWith = (entries: string, file: Uint8Array, subtype = 'Type1'): Uint8Array =>
  pdfOf(
    onePage(
      shown('words'),
      [
        `<</Type/Font/Subtype/${subtype}/BaseFont/Helvetica/FirstChar 0/LastChar 255${entries}>>`,
        '<</Type/FontDescriptor/FontName/Helvetica/Flags 32/FontFile2 8 0 R>>',
        file,
      ],
      { fonts: '/F 6 0 R' },
    ),
  );
const withMap = (map: Uint8Array): Uint8Array => fontWith('/ToUnicode 8 0 R', map);

runScenarios(
  [
    rare(
      hostileFile(
        'a PDF that only its owner may change is read',
        () => fixture('pdf/encrypted-without-password.pdf'),
        { document: { markdown: /third door/ } },
      ),
    ),
    hostileFile('a PDF with a password is refused', () => fixture('pdf/encrypted.pdf'), {
      code: 'PDF_ENCRYPTED',
      message: /Remove the password/,
    }),
    ...[10, 900, 30_000, 60_000, 99_000].map((length) =>
      hostileFile(
        `a PDF that is cut after ${length} bytes is damaged`,
        () => fixture('pdf/two-columns.pdf').subarray(0, length),
        damaged,
      ),
    ),
    rare(
      hostileFile(
        'a PDF that lost its table of objects is recovered',
        () => pdfOf(onePage(shown('words')), { end: () => 'trailer<</Root 1 0 R>>' }),
        recovered,
      ),
    ),
    rare(
      hostileFile(
        'a table of objects that is garbage is made anew',
        () =>
          pdfOf(onePage(shown('words')), {
            end: (at) =>
              `xref\n0 6\n${'x'.repeat(5000)}\ntrailer<</Root 1 0 R>>\nstartxref\n${at}\n%%EOF`,
          }),
        words,
      ),
    ),
    rare(
      hostileFile(
        'a table of objects that is before itself ends',
        () =>
          pdfOf(onePage(shown('words')), {
            end: (at) =>
              `xref\n0 1\n0000000000 65535 f \ntrailer<</Root 1 0 R/Prev ${at}>>\nstartxref\n${at}\n%%EOF`,
          }),
        words,
      ),
    ),
    hostileFile(
      'a table of two billion objects is not made',
      () =>
        pdfOf(onePage(shown('words')), {
          end: (at) =>
            `7 0 obj<</Type/XRef/Size 2000000000/W[1 4 2]/Index[0 2000000000]/Root 1 0 R/Length 0>>stream\n\nendstream endobj\nstartxref\n${at}\n%%EOF`,
        }),
      words,
    ),
    rare(
      hostileFile(
        'a tree of pages in circles has none',
        () =>
          pdfOf([
            '<</Type/Catalog/Pages 2 0 R>>',
            '<</Type/Pages/Kids[3 0 R 2 0 R]/Count 100>>',
            '<</Type/Pages/Kids[2 0 R 3 0 R]/Count 50>>',
          ]),
        damaged,
      ),
    ),
    hostileFile(
      'ten million pages of which there is one are one',
      () =>
        pdfOf([
          '<</Type/Catalog/Pages 2 0 R>>',
          pages.replace('/Count 1', '/Count 10000000'),
          page,
          content,
          font,
        ]),
      words,
    ),
    hostileFile(
      'a hundred thousand pages that are one are read as far as the caller likes',
      () =>
        pdfOf([
          '<</Type/Catalog/Pages 2 0 R>>',
          `<</Type/Pages/Kids[${'3 0 R '.repeat(100_000)}]/Count 100000>>`,
          page,
          content,
          font,
        ]),
      { document: { markdown: 'words', warning: 'Pages 1 to 1 of 100000 were read.' } },
      { options: { parsers: [{ type: 'pdf', maxPages: 1 }] } },
    ),
    hostileFile(
      'a page that unpacks to a gigabyte is left out',
      () => pdfOf(onePage(streamOf(zeros(1024 * megabyte), '/Filter/FlateDecode'))),
      tooLarge,
    ),
    rare(
      hostileFile(
        'a page that unpacks twice to a gigabyte is left out',
        () =>
          pdfOf(
            onePage(
              streamOf(deflateSync(zeros(1024 * megabyte)), '/Filter[/FlateDecode/FlateDecode]'),
            ),
          ),
        tooLarge,
      ),
    ),
    hostileFile(
      'objects in a stream that unpacks to a gigabyte are not needed',
      () =>
        pdfOf([
          ...onePage(shown('words'), [], { catalog: '/Lang 9 0 R' }),
          streamOf(zeros(1024 * megabyte), '/Type/ObjStm/N 2/First 10/Filter/FlateDecode'),
        ]),
      words,
    ),
    rare(
      hostileFile(
        'a page whose content is packed ten thousand times has no text',
        () =>
          pdfOf(onePage(streamOf(zeros(megabyte), `/Filter[${'/FlateDecode'.repeat(10_000)}]`))),
        { document: { markdown: '', warning: /Page 1 has no text/ } },
      ),
    ),
    rare(
      hostileFile(
        'millions of operators end at the deadline',
        () => pdfOf(onePage(packed(Buffer.from('q Q\n'.repeat(15_000_000))))),
        late,
        soon,
      ),
    ),
    hostileFile(
      'arrays and dictionaries a million levels deep are not entered',
      () =>
        pdfOf([
          ...onePage(shown('words'), [], { catalog: '/MarkInfo 6 0 R/Metadata 7 0 R' }),
          '['.repeat(1_000_000) + ']'.repeat(1_000_000),
          '<</A'.repeat(500_000) + '>>'.repeat(500_000),
        ]),
      words,
    ),
    hostileFile(
      'a damaged font has letters all the same',
      () => fontWith('/FontDescriptor 7 0 R', streamOf(Buffer.alloc(5000, 0xff)), 'TrueType'),
      words,
    ),
    rare(
      hostileFile(
        'a font that unpacks to half a gigabyte is not read',
        () =>
          fontWith(
            '/FontDescriptor 7 0 R',
            streamOf(zeros(512 * megabyte), '/Filter/FlateDecode'),
            'TrueType',
          ),
        words,
      ),
    ),
    rare(
      hostileFile(
        'a table of characters with four billion places is not filled',
        () =>
          withMap(
            packed(
              Buffer.from(
                `begincmap\n${'1 beginbfrange\n<00000000> <ffffffff> <0041>\nendbfrange\n'.repeat(20_000)}endcmap`,
              ),
            ),
          ),
        words,
      ),
    ),
    rare(
      hostileFile(
        'a letter that stands for a hundred thousand stands for itself',
        () =>
          pdfOf(
            onePage(
              `BT /F 1 Tf 0 0 Td (${'a'.repeat(100_000)}) Tj ET`,
              [
                '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 7 0 R>>',
                streamOf(
                  `begincmap\n1 beginbfchar\n<61> <${'0041'.repeat(100_000)}>\nendbfchar\nendcmap`,
                ),
              ],
              { fonts: '/F 6 0 R' },
            ),
          ),
        { document: { markdown: /^a+$/ } },
      ),
    ),
    hostileFile(
      'a font that is drawn with itself is read',
      () =>
        pdfOf(
          onePage(
            shown('aaaa'),
            [
              '<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]/Encoding<</Differences[97/a]>>/CharProcs<</a 7 0 R>>/Resources<</Font<</F 6 0 R>>>>>>',
              streamOf('1 0 d0 BT /F 1 Tf (aaaa) Tj ET'),
            ],
            { fonts: '/F 6 0 R' },
          ),
        ),
      { document: { markdown: /aaaa/ } },
    ),
    hostileFile(
      'a drawing in itself is drawn once',
      () =>
        pdfOf(
          onePage(
            `${shown('words')} /X6 Do`,
            [
              streamOf(
                '/X6 Do BT /F 12 Tf 20 100 Td (once) Tj ET',
                '/Type/XObject/Subtype/Form/BBox[0 0 300 300]/Resources<</Font<</F 5 0 R>>/XObject<</X6 6 0 R>>>>',
              ),
            ],
            { resources: '/XObject<</X6 6 0 R>>' },
          ),
        ),
      { document: { markdown: /^words\s+once$/ } },
    ),
    rare(
      hostileFile(
        'ten drawings in each of ten, twelve levels deep, end at the deadline',
        () =>
          pdfOf(
            onePage('/X6 Do', forms(12, shown('boom')), { resources: '/XObject<</X6 6 0 R>>' }),
          ),
        late,
        soon,
      ),
    ),
    rare(
      hostileFile(
        'a page that is larger than the world is read',
        () =>
          pdfOf(
            onePage(shown('words'), [], { page: '/MediaBox[-1e30 -1e30 1e38 1e38]/UserUnit 1e30' }),
          ),
        { document: { markdown: 'words' } },
      ),
    ),
    hostileFile(
      'thirty million letters on one page end at the deadline',
      () => pdfOf(onePage(packed(Buffer.from(`BT /F 1 Tf (${'a'.repeat(30_000_000)}) Tj ET`)))),
      late,
      soon,
    ),
    rare(
      hostileFile(
        'a page of a hundred thousand pieces of text is left out',
        () =>
          pdfOf(
            onePage(
              packed(
                Buffer.from(`BT /F 1 Tf ${'(a) Tj 0 9 Td (a) Tj 0 -9 Td '.repeat(50_000)} ET`),
              ),
            ),
          ),
        tooLarge,
      ),
    ),
    rare(
      hostileFile(
        'three hundred thousand notes on a page end at the deadline',
        () =>
          pdfOf(
            onePage(shown('words'), [], {
              page: `/Annots[${'<</Type/Annot/Subtype/FreeText/Contents(words)/Rect[0 0 300 300]>>'.repeat(300_000)}]`,
            }),
          ),
        late,
        soon,
      ),
    ),
    rare(
      hostileFile(
        'a tree of a document that contains itself is left',
        () =>
          pdfOf(
            onePage(
              `/P <</MCID 0>> BDC ${shown('words')} EMC`,
              [
                '<</Type/StructTreeRoot/K 7 0 R/ParentTree<</Nums[0[7 0 R]]>>>>',
                '<</S/P/P 7 0 R/K[7 0 R 7 0 R 0]/Pg 3 0 R>>',
              ],
              {
                catalog: '/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R',
                page: '/StructParents 0',
              },
            ),
          ),
        words,
      ),
    ),
    {
      ...hostileFile('a placeholder', () => '', words),
      name: 'scripts and programs of a PDF are not run, nothing is fetched, files in it stay there',
      site: ({ other }) => ({
        '/*': {
          headers: { 'content-type': 'application/pdf' },
          body: Buffer.from(
            pdfOf(
              onePage(
                shown('words'),
                [
                  `<</S/JavaScript/JS(app.launchURL\\("${other.url('/script')}"\\))>>`,
                  '<</S/Launch/F(/bin/sh)/Next 8 0 R>>',
                  `<</S/SubmitForm/F(${other.url('/form')})>>`,
                  `<</Names[(x)<</Type/Filespec/F(x)/EF<</F 10 0 R>>>>]>>`,
                  streamOf('embedded'),
                  streamOf('', `/F(${other.url('/external')})`),
                ],
                {
                  catalog:
                    '/OpenAction 6 0 R/AA<</WC 7 0 R>>/Names<</EmbeddedFiles 9 0 R/JavaScript<</Names[(a) 6 0 R]>>>>/Metadata 11 0 R',
                },
              ),
            ),
          ),
        },
      }),
      act: async ({ scrape, site, other }) => {
        const document = await scrape(site.url('/file'));
        if (other.log.length > 0) throw new Error(`It was fetched: ${other.log.length}`);
        return document;
      },
    },
    rare(
      hostileFile(
        'a picture of ten billion points is not decoded',
        () =>
          pdfOf(
            onePage(
              `${shown('words')} /I Do`,
              [
                streamOf(
                  zeros(1024 * megabyte),
                  '/Type/XObject/Subtype/Image/Width 100000/Height 100000/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode',
                ),
              ],
              { resources: '/XObject<</I 6 0 R>>' },
            ),
          ),
        words,
      ),
    ),
    rare(
      hostileFile(
        '4,000 lines of text, each after a shape like all others, are read',
        () => {
          const line = (at: number): string =>
            `${at % 40} ${at / 14} .1 .1 re f BT /F .1 Tf ${(at % 40) + 0.15} ${at / 14} Td (words ${at}) Tj ET`;
          return pdfOf(onePage(Array.from({ length: 4000 }, (_, at) => line(at)).join('\n')));
        },
        { document: { markdown: /words 3999/ } },
      ),
    ),
    rare(
      hostileFile(
        'a hundred thousand shapes are a picture',
        () =>
          pdfOf(
            onePage(packed(Buffer.from(`${shown('words')}${'5 5 4 4 re f '.repeat(100_000)}`))),
          ),
        words,
      ),
    ),
    rare(
      hostileFile(
        '20,000 words in narrow rows are read',
        () => {
          const row = (at: number): string =>
            Array.from(
              { length: 100 },
              (_, x) => `1 0 0 1 ${x * 3} ${at * 0.7} Tm (${x % 7}1) Tj`,
            ).join(' ');
          const rows = Array.from({ length: 200 }, (_, at) => row(at)).join('\n');
          return pdfOf(onePage(`BT /F .8 Tf ${rows} ET`));
        },
        { document: { markdown: /11.*21.*31/ } },
      ),
    ),
    rare(
      hostileFile(
        'a thousand states that are saved, and moved beyond all numbers, are read',
        () =>
          pdfOf(
            onePage(
              packed(
                Buffer.from(
                  `${shown('words')}${'q 9e37 0 0 9e37 9e37 9e37 cm 0 0 1 1 re f '.repeat(1000)}`,
                ),
              ),
            ),
          ),
        words,
      ),
    ),
    hostileFile('HTML that is called a PDF is a damaged one', () => '<h1>words</h1>', damaged, {
      type: 'application/pdf',
    }),
    hostileFile(
      'an archive with the signature of a PDF is a damaged one',
      () => Buffer.concat([Buffer.from('%PDF-1.4\n'), fixture('docx/order.docx')]),
      damaged,
    ),
    hostileFile(
      'a PDF behind 900 bytes of something else is read',
      () => pdfOf(onePage(shown('words')), { before: `${'x'.repeat(900)}\n` }),
      words,
      { type: 'application/pdf' },
    ),
    rare(
      hostileFile(
        'a PDF without its signature in sight is read, on a thread too',
        () =>
          pdfOf(
            onePage('/X6 Do', forms(12, shown('boom')), { resources: '/XObject<</X6 6 0 R>>' }),
            {
              before: `${'x'.repeat(9000)}\n`,
            },
          ),
        late,
        { type: 'application/pdf', ...soon },
      ),
    ),
    rare(
      hostileFile(
        'a file of nothing but beginnings of objects ends at the deadline',
        () => `%PDF-1.4\n${'1 0 obj '.repeat(6_000_000)}`,
        late,
        soon,
      ),
    ),
    hostileFile(
      'an empty file has no content',
      () => '',
      { document: { markdown: '', warning: /has no content/ } },
      { type: 'application/pdf' },
    ),
  ],
  // A thread may have 1 GB.
  { memory: 1400 },
);
