/** Engines of the caller's own: what they are given, what may go wrong with them, and who asks them. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type OcrImage, PagewrightError } from 'pagewright';
import type { OcrChoice } from '../../../src/core/model/ocr-engine.ts';
import { serve } from 'pagewright/testing';
import { expect, test } from 'vitest';
import { readPng } from '../../../src/content/formats/change-tracking/compare-pictures.ts';
import { grayPicture, picturePdf } from '../../support/picture-pdf.ts';
import { rareTest } from '../../support/deep.ts';

const folder = new URL('../../../fixtures/files/scans/', import.meta.url);
const scan = readFileSync(new URL('two-pages.pdf', folder));
const mixed = readFileSync(new URL('mixed.pdf', folder));
const notice = readFileSync(new URL('notice.png', folder));
const pdf = { contentType: 'application/pdf', url: 'https://tidewater.test/a.pdf' };
const image = { contentType: 'image/png', url: 'https://tidewater.test/a.png' };

/** A function as an engine, with what it was asked. */
function listening(answer: (asked: OcrImage) => string): {
  readonly asked: OcrImage[];
  readonly ocr: OcrChoice;
} {
  const asked: OcrImage[] = [];
  return {
    asked,
    ocr: (one) => {
      asked.push(one);
      return answer(one);
    },
  };
}

test('a function gets a picture of each page without text, and its text becomes paragraphs', async () => {
  const { asked, ocr } = listening(
    () => 'The first para-\ngraph of a page.\n\nThe second one.\n\n- one\n- two',
  );
  await using client = createClient({ ocr });
  const location = { country: 'DE', languages: ['de', 'en'] };
  const page = await client.parse(mixed, {
    ...pdf,
    location,
    parsers: [{ type: 'pdf', pageMarkers: true }],
  });
  expect(page.markdown.split('<!-- page 2 -->')[1]?.trim()).toBe(
    'The first paragraph of a page.\n\nThe second one.\n\n- one\n- two',
  );
  expect(page.markdown).toContain('# Minutes of the spring meeting');
  expect(page.metadata).toMatchObject({ numPages: 2, ocrPages: [2] });
  expect(page.metadata).not.toHaveProperty('ocrConfidence');
  expect(page.warning).toBeUndefined();
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({
    mediaType: 'image/png',
    url: pdf.url,
    pageNumber: 2,
    languages: ['de', 'en'],
    width: 1240,
    height: 875,
  });
  const head = Buffer.from(asked[0]?.bytes ?? []);
  expect(head.toString('latin1', 1, 4)).toBe('PNG');
  expect([head.readUInt32BE(16), head.readUInt32BE(20)]).toEqual([1240, 875]);
});

test('lines with places become headings, and a table by its gaps', async () => {
  const word = (text: string, left: number, top: number, height = 20): object => ({
    text,
    box: { left, top, right: left + text.length * height * 0.6, bottom: top + height },
  });
  const row = (top: number, ...words: [string, number][]): object => ({
    text: words.map(([text]) => text).join(' '),
    box: { left: 100, top, right: 900, bottom: top + 20 },
    words: words.map(([text, left]) => word(text, left, top)),
    confidence: 0.5,
  });
  const lines = [
    { text: 'Harbour dues', ...word('Harbour dues', 100, 100, 44) },
    row(200, ['Boat', 100], ['Length', 500], ['Due', 800]),
    row(240, ['Heron', 100], ['Nine', 500], ['Forty', 800]),
    row(280, ['Tern', 100], ['Twelve', 500], ['Fifty', 800]),
    row(320, ['Curlew', 100], ['Seven', 500], ['Thirty', 800]),
  ];
  await using client = createClient({ ocr: () => ({ lines }) as never });
  const page = await client.parse(notice, { ...image, formats: ['markdown', 'tables'] });
  expect(page.markdown).toContain('# Harbour dues');
  expect(page.tables[0]?.rows.flat()).toEqual(
    expect.arrayContaining(['Heron', 'Twelve', 'Thirty']),
  );
  expect(page.metadata).toMatchObject({ ocrPages: [1], ocrConfidence: 0.5 });
  expect(page.warning).toContain('read by OCR with little confidence');
});

test("mode: 'fast' asks nobody; mode: 'ocr' asks for pages whose picture takes half of them, and is OCR_REQUIRED without an engine", async () => {
  const { asked, ocr } = listening(() => 'Read by its picture.');
  await using client = createClient({ ocr });
  const fast = await client.parse(scan, { ...pdf, parsers: [{ type: 'pdf', mode: 'fast' }] });
  expect(asked).toEqual([]);
  expect(fast.warning).toContain(
    "Pages 1–2 have no text: they are empty, or a picture such as a scan, which mode: 'fast' does not read.",
  );
  const all = await client.parse(mixed, { ...pdf, parsers: [{ type: 'pdf', mode: 'ocr' }] });
  expect(asked.map(({ pageNumber }) => pageNumber)).toEqual([2]);
  expect(all.markdown).toContain('Fourteen members were present');
  await using plain = createClient();
  await expect(
    plain.parse(scan, { ...pdf, parsers: [{ type: 'pdf', mode: 'ocr' }] }),
  ).rejects.toMatchObject({
    code: 'OCR_REQUIRED',
    message: expect.stringContaining('createClient({ ocr })') as string,
  });
  const warned = await plain.parse(scan, pdf);
  expect(warned.warning).toContain('Pages 1–2 have no text');
  expect(warned.warning).toContain('createClient({ ocr })');
});

test('a page that makes the engine throw is left out; a file of such pages is HOOK_FAILED', async () => {
  await using client = createClient({
    ocr: ({ pageNumber }) => {
      if (pageNumber === 1) throw new Error('no ink left');
      return 'The second page.';
    },
  });
  const page = await client.parse(scan, pdf);
  expect(page.markdown).toBe('The second page.');
  expect(page.warning).toBe('Page 1 was left out: the OCR engine ocr failed: no ink left.');
  expect(page.metadata.ocrPages).toEqual([2]);
  await expect(
    client.parse(scan, { ...pdf, parsers: [{ type: 'pdf', maxPages: 1 }] }),
  ).rejects.toMatchObject({
    code: 'HOOK_FAILED',
    message: expect.stringContaining('no ink left') as string,
  });
});

test('what ends the reading ends it with its code', async () => {
  await using client = createClient({
    ocr: () => Promise.reject(new PagewrightError('MISSING_DEPENDENCY', 'It is not installed.')),
  });
  for (const [body, options] of [
    [scan, pdf],
    [notice, image],
  ] as const) {
    await expect(client.parse(body, options)).rejects.toMatchObject({ code: 'MISSING_DEPENDENCY' });
  }
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a number', 7],
  ['lines that are no list', { lines: 'a' }],
  ['a line without text', { lines: [{ box: {} }] }],
])('an engine that gives %s fails with a message that says so', async (_, answer) => {
  await using client = createClient({ ocr: () => answer as never });
  await expect(client.parse(notice, image)).rejects.toMatchObject({
    code: 'HOOK_FAILED',
    message: expect.stringMatching(/it gave .*; expected/) as string,
  });
});

test('places and confidences that are none are left aside, and the text stays', async () => {
  const lines = [
    { text: 'A line\u0000 that\nstands nowhere', box: { left: NaN, top: 1 }, confidence: 90 },
    { text: '<b>bold</b>', box: { left: 5, top: 5, right: 1e9, bottom: 2 }, words: [7, null] },
  ];
  await using client = createClient({ ocr: () => ({ lines }) as never });
  const page = await client.parse(notice, { ...image, formats: ['markdown', 'html'] });
  expect(page.markdown).toContain('stands nowhere');
  expect(page.html).toContain('&lt;b&gt;bold');
  expect(page.metadata).not.toHaveProperty('ocrConfidence');
});

test('an engine that hangs is TIMEOUT at the deadline, and CANCELLED when aborted, of which it hears', async () => {
  const signals: AbortSignal[] = [];
  await using client = createClient({
    ocr: ({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
  });
  await expect(client.parse(scan, { ...pdf, timeout: 2000 })).rejects.toMatchObject({
    code: 'TIMEOUT',
  });
  signals.length = 0;
  for (const [body, options] of [
    [scan, pdf],
    [notice, image],
  ] as const) {
    const controller = new AbortController();
    const { signal } = controller;
    const work = client.parse(body, { ...options, signal, timeout: 60_000 });
    const outcome = expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
    while (!signals.some(({ aborted }) => !aborted)) await sleep(20);
    controller.abort();
    await outcome;
  }
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
}, 90_000);

test('an image of a type that the engine does not take is read as without one, with a warning', async () => {
  const { asked, ocr } = listening(() => 'text');
  const bmp = readFileSync(new URL('../images/tiny.bmp', folder));
  await using client = createClient({ ocr });
  const page = await client.parse(bmp, {
    contentType: 'image/bmp',
    url: 'https://tidewater.test/a.bmp',
  });
  expect(asked).toEqual([]);
  expect(page.warning).toContain('takes image/png, image/jpeg only');
  expect(page.markdown).toContain('BMP image');
});

test('what is no engine is refused by createClient, and close() reaches the engine', async () => {
  for (const ocr of [
    'tesseract',
    {},
    { name: '', recognize: () => '' },
    { name: 'a', recognize: () => '', mediaTypes: ['png'] },
    { name: 'a', recognize: () => '', pagesAtOnce: 0 },
    { name: 'a', recognize: () => '', pagesAtOnce: 5 },
  ]) {
    expect(() => createClient({ ocr: ocr as never })).toThrow(
      /^createClient: ocr: (?:expected |(?:close|mediaTypes|pagesAtOnce): expected )/,
    );
  }
  let closed = 0;
  const client = createClient({
    ocr: { name: 'mine', recognize: () => 'a', close: () => void (closed += 1) },
  });
  await client.close();
  expect(closed).toBe(1);
});

rareTest(
  'a crawl reads the scans it comes to, a stored copy is read again, and a map asks nobody',
  async () => {
    const { asked, ocr } = listening(
      ({ pageNumber }) => `Words of page ${pageNumber}, which ${'abc'[pageNumber ?? 0]} wrote.`,
    );
    await using site = await serve({
      '/': '<main><p>Minutes: <a href="/scan.pdf">the scan</a></p></main>',
      '/scan.pdf': { body: new Uint8Array(scan) },
    });
    await using client = createClient({ ocr, network: { allow: ['127.0.0.1'] }, browser: false });
    await client.map(site.url('/'));
    expect(asked).toEqual([]);
    const { data } = await client.crawl(site.url('/'));
    const found = data.find(({ metadata }) => metadata.url.endsWith('.pdf'));
    expect(found?.markdown).toContain('Words of page 2');
    expect(found?.metadata.ocrPages).toEqual([1, 2]);
    const copy = await client.scrape(site.url('/scan.pdf'), { maxAge: 600_000 });
    expect(copy.metadata).toMatchObject({ cacheState: 'hit', ocrPages: [1, 2] });
    expect(asked).toHaveLength(4);
  },
);

test('images are put together as they stand: over each other, turned, as masks in their color', async () => {
  const { asked, ocr } = listening(() => 'x');
  const mask = {
    dictionary: '/Subtype /Image /ImageMask true /Width 8 /Height 1 /BitsPerComponent 1',
    bytes: new Uint8Array([0x0f]),
  };
  const body = picturePdf([
    {
      draws:
        'q 100 0 0 100 0 0 cm /P0 Do Q q 50 0 0 50 0 50 cm /P1 Do Q 0 0 1 rg q 0 100 -20 0 100 0 cm /P2 Do Q',
      pictures: [grayPicture(100, 100, 200), grayPicture(4, 4, 40), mask],
    },
  ]);
  await using client = createClient({ ocr });
  await client.parse(body, pdf);
  const { bytes = new Uint8Array(), width = 0 } = asked[0] ?? {};
  const picture = await readPng(bytes);
  const at = (x: number, y: number): number[] => {
    const start = (Math.floor((y / 100) * width) * width + Math.floor((x / 100) * width)) * 4;
    return [...picture.bytes.subarray(start, start + 3)];
  };
  expect(at(25, 25)).toEqual([40, 40, 40]);
  expect(at(25, 75)).toEqual([200, 200, 200]);
  expect(at(75, 75)).toEqual([200, 200, 200]);
  expect(at(90, 75)).toEqual([0, 0, 255]);
  expect(at(90, 25)).toEqual([200, 200, 200]);
});
