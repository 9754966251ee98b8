/** Pictures in PDFs that claim more than they are: left out with a warning, in little memory. */
import { deflateSync } from 'node:zlib';
import { createClient } from 'pagewright';
import { afterAll, expect, test } from 'vitest';
import { grayPicture, picturePdf, type PdfStream } from '../../support/picture-pdf.ts';
import { rareTest } from '../../support/deep.ts';

const client = createClient({ ocr: ({ width }) => `A picture of ${width} pixels.` });
afterAll(() => client.close());

const filled = 'q 100 0 0 100 0 0 cm /P0 Do Q';

/** Heads of a JPEG with three colors, and nothing after them. */
function hollowJpeg(width: number, height: number): Uint8Array {
  const size = Buffer.from([height >> 8, height & 255, width >> 8, width & 255]);
  return Buffer.concat([
    Buffer.from('ffd8ffdb004300', 'hex'),
    Buffer.alloc(64, 1),
    Buffer.from('ffc0001108', 'hex'),
    size,
    Buffer.from('03011100021100031100', 'hex'),
    Buffer.from('ffc4001400010000000000000000000000000000000a', 'hex'),
    Buffer.from('ffc4001410010000000000000000000000000000000a', 'hex'),
    Buffer.from('ffda000c03010002000300003f00', 'hex'),
    Buffer.alloc(64),
    Buffer.from('ffd9', 'hex'),
  ]);
}

function picture(dictionary: string, bytes: Uint8Array): PdfStream {
  return { dictionary: `/Subtype /Image ${dictionary}`, bytes };
}

const zeros = deflateSync(new Uint8Array(1000));
const gray = '/ColorSpace /DeviceGray /BitsPerComponent 8';
const rgb = '/ColorSpace /DeviceRGB /BitsPerComponent 8';

test.each<[string, readonly PdfStream[], string?]>([
  [
    'an image of 100,000 × 100,000 pixels',
    [picture(`/Width 100000 /Height 100000 ${gray} /Filter /FlateDecode`, zeros)],
  ],
  [
    'a JPEG whose own head says 65,500 × 65,500',
    [picture(`/Width 100 /Height 100 ${rgb} /Filter /DCTDecode`, hollowJpeg(65_500, 65_500))],
  ],
  [
    'the same, compressed once more',
    [
      picture(
        `/Width 100 /Height 100 ${rgb} /Filter [/FlateDecode /DCTDecode]`,
        deflateSync(hollowJpeg(65_500, 65_500)),
      ),
    ],
  ],
  [
    'a small image whose mask is huge',
    [
      grayPicture(10, 10, 0, '/SMask {{1}}'),
      picture(`/Width 60000 /Height 60000 ${gray} /Filter /FlateDecode`, zeros),
    ],
  ],
  [
    'a JPEG 2000 of any size',
    [picture('/Width 4000 /Height 4000 /Filter /JPXDecode', Buffer.from('ff4fff51', 'hex'))],
  ],
  [
    'a damaged JBIG2 of any size',
    [picture(`/Width 4000 /Height 4000 ${gray} /Filter /JBIG2Decode`, Buffer.alloc(50, 1))],
  ],
])('%s is left out, and the page after it is read', async (_, pictures) => {
  const before = process.memoryUsage().rss;
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 20);
  const body = picturePdf([
    { draws: filled, pictures },
    { draws: filled, pictures: [grayPicture(300, 300, 90)] },
  ]);
  const page = await client.parse(body, {
    contentType: 'application/pdf',
    url: 'https://tidewater.test/a.pdf',
    timeout: 25_000,
  });
  clearInterval(watch);
  expect(page.markdown).toBe('A picture of 300 pixels.');
  expect(page.warning).toMatch(/Page 1 (?:was left out: its picture|has no text)/);
  expect((highest - before) / 2 ** 20).toBeLessThan(1500);
});

rareTest(
  'many images of many pixels use up what a page may have, and the others are left out',
  async () => {
    const black = deflateSync(new Uint8Array(8000 * 8000), { level: 1 });
    const one = picture(`/Width 8000 /Height 8000 ${gray} /Filter /FlateDecode`, black);
    const pictures = Array.from({ length: 40 }, () => one);
    const draws = pictures.map((_, at) => `q 100 0 0 100 0 0 cm /P${at} Do Q`).join(' ');
    const body = picturePdf([{ draws, pictures }]);
    const before = process.memoryUsage().rss;
    let highest = before;
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().rss);
    }, 20);
    const outcome = await client
      .parse(body, {
        contentType: 'application/pdf',
        url: 'https://tidewater.test/a.pdf',
        timeout: 8_000,
      })
      .then(
        ({ markdown }) => markdown,
        (error: unknown) => error,
      );
    clearInterval(watch);
    expect(outcome).toSatisfy(
      (it) => typeof it === 'string' || (it as { code?: unknown }).code === 'TIMEOUT',
    );
    expect((highest - before) / 2 ** 20).toBeLessThan(2500);
  },
  60_000,
);
