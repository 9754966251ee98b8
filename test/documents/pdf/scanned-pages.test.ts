/** Pages of one file that the engine reads at once: how many, and that nobody can tell from the document. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createClient,
  type OcrEngine,
  type OcrImage,
  type OcrText,
  PagewrightError,
} from 'pagewright';
import { tesseractOcr } from 'pagewright/ocr';
import { expect, test } from 'vitest';
import { grayPicture, type PicturePage, picturePdf } from '../../support/picture-pdf.ts';
import { rareTest } from '../../support/deep.ts';

const pdf = { contentType: 'application/pdf', url: 'https://tidewater.test/a.pdf' };
const scanned: PicturePage = {
  draws: 'q 100 0 0 100 0 0 cm /P0 Do Q',
  pictures: [grayPicture(300, 300, 90)],
};
const empty: PicturePage = { draws: '', pictures: [] };
const tenPages = picturePdf(
  Array.from({ length: 10 }, (_, at) => (at === 4 || at === 9 ? empty : scanned)),
);

/** Where a PDF is read: on a reading thread, or where the caller is, as a hook wants it. */
const places: [string, object][] = [
  ['on a thread', {}],
  ['where the caller is', { hooks: { beforeFormats: () => undefined } }],
];

/** An engine that counts how many pictures it reads at once. */
function counting(engine: OcrEngine): { readonly ocr: OcrEngine; readonly most: () => number } {
  let [running, most] = [0, 0];
  const recognize = async (image: OcrImage): Promise<OcrText | string> => {
    most = Math.max(most, (running += 1));
    try {
      return await engine.recognize(image);
    } finally {
      running -= 1;
    }
  };
  return { ocr: { ...engine, recognize }, most: () => most };
}

/** Pages 2 and 6 fail, and it is not sure of pages 3 and 9. Page 1 may end after page 4, page 6 after page 9. */
function engine({ isReverse }: { readonly isReverse: boolean }): OcrEngine {
  const ended = new Set<number>();
  return {
    name: 'mine',
    recognize: async ({ pageNumber = 0 }) => {
      const isLast = pageNumber === 4 || pageNumber === 9;
      while (isReverse && !isLast && !ended.has(pageNumber + 1)) await sleep(5);
      ended.add(pageNumber);
      if (pageNumber === 2 || pageNumber === 6) throw new Error(`no ink for ${pageNumber}`);
      const text = `These are the words of page ${pageNumber}.`;
      return { lines: [{ text, confidence: pageNumber % 3 === 0 ? 0.5 : 0.9 }] };
    },
  };
}

test.each(places)(
  'four pages at once that end in reverse order make the document of one after the other, %s',
  async (_, place) => {
    const read = async (
      one: OcrEngine,
      limits: object = {},
    ): Promise<[most: number, document: object]> => {
      const { ocr, most } = counting(one);
      await using client = createClient({ ...place, ocr });
      const { markdown, warning, metadata } = await client.parse(tenPages, { ...pdf, limits });
      const { ocrPages, ocrConfidence } = metadata;
      return [most(), { markdown, warning, ocrPages, ocrConfidence }];
    };
    const plain = engine({ isReverse: false });
    const inOrder = { ...plain, pagesAtOnce: 1 };
    const [most, document] = await read(engine({ isReverse: true }));
    expect(most).toBe(4);
    expect(document).toMatchObject({ ocrPages: [1, 3, 4, 7, 8, 9] });
    const { warning } = document as { warning: string };
    expect(warning).toMatch(/Page 2 was.*Page 6 was.*Pages 5, 10 have.*Pages 3, 9 were/s);
    expect(await read(inOrder)).toEqual([1, document]);
    const [, cut] = await read(plain, { text: 50 });
    expect(cut).toMatchObject({ ocrPages: [1, 3] });
    expect(await read(inOrder, { text: 50 })).toEqual([1, cut]);
  },
  30_000,
);

test.each(places)('an error that ends the reading leaves no other behind, %s', async (_, place) => {
  let [asked, failed] = [0, 0];
  await using client = createClient({
    ...place,
    ocr: async ({ pageNumber = 0 }) => {
      asked += 1;
      while (asked < 4) await sleep(5);
      failed += 1;
      throw new PagewrightError('MISSING_DEPENDENCY', `Not installed: page ${pageNumber}.`);
    },
  });
  await expect(client.parse(tenPages, pdf)).rejects.toMatchObject({
    code: 'MISSING_DEPENDENCY',
    message: expect.stringContaining('page 1.') as string,
  });
  // Vitest reports an error that nobody takes.
  while (failed < 4) await sleep(5);
  await sleep(50);
  expect(asked).toBe(4);
});

test.each(places)('aborting is heard by all pages on their way, at once, %s', async (_, place) => {
  const signals: AbortSignal[] = [];
  await using client = createClient({
    ...place,
    ocr: {
      name: 'hanging',
      pagesAtOnce: 3,
      recognize: ({ signal }) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    },
  });
  const controller = new AbortController();
  const { signal } = controller;
  const outcome = expect(client.parse(tenPages, { ...pdf, signal })).rejects.toMatchObject({
    code: 'CANCELLED',
  });
  while (signals.length < 3) await sleep(10);
  const start = performance.now();
  controller.abort();
  await outcome;
  expect(performance.now() - start).toBeLessThan(5000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
});

rareTest(
  'Tesseract is asked for as many pages of a file as it has threads, and reads the same',
  async () => {
    const body = readFileSync(
      new URL('../../../fixtures/files/scans/two-pages.pdf', import.meta.url),
    );
    const read = async (threads: number): Promise<[most: number, markdown: string]> => {
      const { ocr, most } = counting(tesseractOcr({ threads }));
      await using client = createClient({ ocr });
      const { markdown } = await client.parse(body, { ...pdf, timeout: 80_000 });
      return [most(), markdown];
    };
    const [one, markdown] = await read(1);
    expect([one, await read(2)]).toEqual([1, [2, markdown]]);
  },
  90_000,
);
