/** PDFs of real programs, and what a careful person would write down of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'pagewright';
import { expect, test } from 'vitest';
import { defaultPdfReading, type PdfReading } from '../../../src/core/model/request.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';
import { parseScrapeOptions } from '../../../src/core/options/scrape-options.ts';
import { type ProcessedPage, processPage } from '../../../src/core/page/process-page.ts';

const folder = new URL('../../../fixtures/files/pdf/', import.meta.url);

function pdf(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`${name}.pdf`, folder)));
}

async function read(body: Uint8Array, reading: Partial<PdfReading> = {}): Promise<ProcessedPage> {
  const snapshot = {
    url: 'https://tidewater.test/a.pdf',
    statusCode: 200,
    headers: { 'content-type': 'application/pdf' },
    body,
    engine: 'http',
    redirects: [],
    warnings: [],
    requests: 1,
    bytes: body.length,
  };
  const settings = parseScrapeOptions(
    { formats: ['markdown', 'links', 'tables'] },
    { formats: [], actions: [], limits: defaultLimits, userAgent: 'test' },
  );
  const plan = { ...settings, pdf: { ...defaultPdfReading, ...reading } };
  return processPage(snapshot, plan, [], new AbortController().signal);
}

const names = readdirSync(folder)
  .filter((file) => file.endsWith('.pdf'))
  .map((file) => file.slice(0, -4))
  .filter((name) => existsSync(new URL(`${name}.md`, folder)));

test('the fixtures are found', () => {
  expect(names.length).toBeGreaterThanOrEqual(11);
});

test.each(names)('%s.pdf becomes the markdown beside it', async (name) => {
  const { values } = await read(pdf(name));
  expect(`${String(values.get('markdown'))}\n`).toBe(
    readFileSync(new URL(`${name}.md`, folder), 'utf8'),
  );
});

test.each([
  ['encrypted', 'PDF_ENCRYPTED'],
  ['truncated', 'PDF_DAMAGED'],
])('%s.pdf is %s', async (name, code) => {
  await expect(read(pdf(name))).rejects.toMatchObject({
    code,
    message: expect.stringContaining('parsers: [] returns the file as base64') as string,
  });
});

test('what was recovered of a damaged file comes with a warning', async () => {
  const { warnings } = await read(pdf('damaged-xref'));
  expect(warnings).toEqual(['The PDF is damaged: what could be recovered of it was read.']);
});

test('pages without text are named', async () => {
  const partly = await read(pdf('partly-scanned'));
  expect(partly.numPages).toBe(2);
  expect(partly.warnings).toEqual([
    'Page 2 has no text: it is empty, or a picture such as a scan, which is read with createClient({ ocr }).',
  ]);
  const { values, warnings } = await read(pdf('scanned'));
  expect(values.get('markdown')).toBe('');
  expect(warnings.join(' ')).toContain('Page 1 has no text');
});

test.each([false, true])('passages know their page, pageMarkers: %s', async (pageMarkers) => {
  const body = readFileSync(
    new URL('../../../fixtures/files/pdf/running-heads.pdf', import.meta.url),
  );
  const { chunks, markdown, html } = await parse(body, {
    url: 'http://a.test/seasons.pdf',
    parsers: [{ type: 'pdf', pageMarkers }],
    formats: ['markdown', 'html', { type: 'chunks', maxTokens: 60 }],
  });
  const begins = ['# Spring', '# Summer', '# Autumn', '# Winter'].map((title) => {
    const at = markdown.indexOf(title);
    return pageMarkers ? markdown.lastIndexOf('<!-- page', at) : at;
  });
  for (const { anchor, text, start, end } of chunks) {
    // A line that all pages have stands above the first title.
    const page = Math.max(1, begins.findLastIndex((at) => at <= start) + 1);
    expect(anchor).toBe(`http://a.test/seasons.pdf#page=${page}`);
    expect(markdown.slice(start, end)).toBe(text);
  }
  expect(new Set(chunks.map(({ anchor }) => anchor)).size).toBe(4);
  expect(html.includes('data-page')).toBe(pageMarkers);
});

test('maxPages reads the first pages, and says so; pageMarkers name the pages', async () => {
  const { values, numPages, warnings } = await read(pdf('running-heads'), {
    maxPages: 2,
    pageMarkers: true,
  });
  expect(numPages).toBe(2);
  expect(warnings).toEqual(['Pages 1 to 2 of 4 were read.']);
  const markdown = String(values.get('markdown'));
  expect(markdown).toMatch(/^<!-- page 1 -->\n\nThe Keeper’s Year Harbour Press\n\n# Spring\n/);
  expect(markdown).toContain('\n\n<!-- page 2 -->\n\n# Summer\n');
  expect(markdown).not.toContain('Autumn');
});

test('a file tells its title, author, language, times and keywords', async () => {
  const { metadata } = await read(pdf('two-columns'));
  expect(metadata).toMatchObject({ title: 'Tides and Lamps', author: 'Ada Quay' });
  expect(JSON.stringify(metadata)).toContain('harbour, lighting');
  expect(JSON.stringify(metadata)).toMatch(/2026-\d\d-\d\dT/);
  expect((await read(pdf('chromium-tagged'))).metadata).toMatchObject({
    title: 'Harbour guide',
    language: 'en',
  });
});

test('links and tables of a file are those of any page', async () => {
  const { values } = await read(pdf('libreoffice-untagged'));
  expect(values.get('links')).toEqual(['https://tidewater.test/report']);
  expect(JSON.stringify(values.get('tables'))).toContain('The town, from its fund for lights');
});

test.each([
  ['nothing but the signature', '%PDF-1.7\n'],
  ['a catalog without pages', '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>'],
  [
    'a million pages that are not there',
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 1000000>>endobj\ntrailer<</Root 1 0 R>>',
  ],
])(
  '%s ends in PDF_DAMAGED',
  async (_, source) => {
    await expect(read(new TextEncoder().encode(source))).rejects.toMatchObject({
      code: 'PDF_DAMAGED',
    });
  },
  20_000,
);

test('pages that contain themselves come to an end', async () => {
  const source =
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R]/Count 3>>endobj\ntrailer<</Root 1 0 R>>';
  const { warnings } = await read(new TextEncoder().encode(source));
  expect(warnings[0]).toBe('The PDF is damaged: what could be recovered of it was read.');
});

/** A page that shows a text in Helvetica, and leads to an address. */
function onePage(content: string, uri: string, flags = 0): Uint8Array {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Annots[6 0 R]/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    `<</Type/Annot/Subtype/Link/F ${flags}/Rect[0 0 300 300]/A<</S/URI/URI(${uri})>>>>`,
  ];
  const source = objects.map((object, at) => `${at + 1} 0 obj${object}endobj\n`).join('');
  return new TextEncoder().encode(`%PDF-1.4\n${source}trailer<</Root 1 0 R>>`);
}

test('text is text, whatever it looks like, and a link of a script is none', async () => {
  const content = 'BT /F 12 Tf 20 200 Td (<script>alert\\(1\\)</script> stays text) Tj ET';
  const { values } = await read(onePage(content, 'javascript:alert\\(1\\)'));
  expect(values.get('markdown')).toBe('\\<script>alert(1)\\</script> stays text');
  expect(values.get('links')).toEqual([]);
});

test.each([
  ['shown', 0, ['https://tidewater.test/quay']],
  ['printed', 4, ['https://tidewater.test/quay']],
  ['invisible, as only annotations of an unknown kind can be', 1, ['https://tidewater.test/quay']],
  ['printed, not shown', 32 + 4, []],
])('a link that is %s', async (_, flags, links) => {
  const content = 'BT /F 12 Tf 20 200 Td (The quay) Tj ET';
  const { values } = await read(onePage(content, 'https://tidewater.test/quay', flags));
  expect(values.get('links')).toEqual(links);
});

/** A page in a font of 12 points whose letters are what `map` says, in the hexadecimal digits of UTF-16. */
function mappedPage(content: string, map: string): Uint8Array {
  const table = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange ${map} endcmap end`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 0/LastChar 255/Widths[${'600 '.repeat(256)}]/ToUnicode 6 0 R>>`,
    `<</Length ${table.length}>>\nstream\n${table}\nendstream`,
  ];
  return pdfOf(objects);
}

/** A whole file: the first object is its catalog. */
function pdfOf(objects: readonly string[]): Uint8Array {
  let source = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = source.length;
    source += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const end = `trailer<</Root 1 0 R/Size ${objects.length + 1}>>\nstartxref\n${source.length}\n%%EOF`;
  const references = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  return new TextEncoder().encode(source + references + end);
}

test('hyphens that a program writes as soft ones are seen, and those of line ends undone', async () => {
  const content =
    'BT /F 12 Tf 20 200 Td (a site-specific lamp of har-) Tj 0 -14 Td (bours, and a flo-) Tj 0 -14 Td (wer-like one) Tj ET';
  const { values } = await read(mappedPage(content, '1 beginbfchar <2D> <00AD> endbfchar'));
  expect(values.get('markdown')).toBe('a site-specific lamp of harbours, and a flower-like one');
});

test('accents drawn over letters are part of them', async () => {
  const content =
    'BT /F 12 Tf 20 200 Td [(M\\250) 600 (adchen) -300 (P\\264) 600 (eter)] TJ 0 -14 Td (\\250 alone) Tj ET';
  const map = '2 beginbfchar <A8> <00A8> <B4> <00B4> endbfchar';
  const { values } = await read(
    mappedPage(content, `1 beginbfrange <20> <7E> <0020> endbfrange ${map}`),
  );
  expect(values.get('markdown')).toBe('Mädchen Péter ¨ alone');
});

test('Japanese in a font that is not in the file needs the tables of pdfjs-dist', async () => {
  const content = 'BT /F 14 Tf 20 200 Td <8D608CFB82CC938C> Tj ET';
  const descendant =
    '<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 7 0 R/DW 1000>>';
  const body = pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light-90ms-RKSJ-H/Encoding/90ms-RKSJ-H/DescendantFonts[6 0 R]>>',
    descendant,
    '<</Type/FontDescriptor/FontName/Ryumin-Light/Flags 6/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>',
  ]);
  const { values, warnings } = await read(body);
  if (isInstalled('pdfjs-dist/package.json')) {
    expect(values.get('markdown')).toBe('港口の東');
  } else {
    expect(warnings.join(' ')).toContain('(90ms-RKSJ-H), which npm install pdfjs-dist adds.');
  }
});

function isInstalled(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(name) !== '';
  } catch {
    return false;
  }
}

test('a large text across the page, neither upright nor on its side, is a watermark', async () => {
  const content =
    'BT /F 12 Tf 20 200 Td (The lamp is lit.) Tj ET BT /F 60 Tf 0.7 0.7 -0.7 0.7 60 60 Tm (DRAFT) Tj ET';
  const { values } = await read(onePage(content, 'https://tidewater.test/'));
  expect(String(values.get('markdown'))).not.toContain('DRAFT');
  expect(String(values.get('markdown'))).toContain('The lamp is lit.');
});

test('a page with too much text is left out, and PDF_LIMIT when it is the only one', async () => {
  const line = `(${'lamp '.repeat(400)}) Tj 0 -1 Td `;
  const content = `BT /F 0.2 Tf 10 290 Td ${line.repeat(285)} ET`;
  await expect(read(onePage(content, 'https://tidewater.test/'))).rejects.toMatchObject({
    code: 'PDF_LIMIT',
  });
}, 30_000);
