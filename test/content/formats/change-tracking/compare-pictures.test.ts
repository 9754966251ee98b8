/** Two pictures compared: how many pixels differ, where, and what is no picture. */
import { describe, expect, test } from 'vitest';
import {
  comparePictures,
  type Pixels,
  readPng,
  writePng,
} from '../../../../src/content/formats/change-tracking/compare-pictures.ts';
import { bytesOf, colorAt, sizeOf } from '../../../support/picture.ts';

type Box = readonly [x: number, y: number, width: number, height: number];

/** White, with gray boxes. */
function picture(width: number, height: number, boxes: readonly Box[], gray = 0): Pixels {
  const bytes = new Uint8Array(width * height * 4).fill(255);
  for (const [left, top, w, h] of boxes) {
    for (let y = top; y < top + h; y += 1) {
      for (let x = left; x < left + w; x += 1)
        bytes.fill(gray, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  }
  return { width, height, bytes };
}

const png = (boxes: readonly Box[], gray?: number): Promise<Uint8Array> =>
  writePng(picture(200, 100, boxes, gray));

describe('comparePictures', () => {
  test('counts the pixels that differ, and says where they are', async () => {
    const change = await comparePictures(
      await png([]),
      await png([
        [20, 30, 10, 5],
        [150, 80, 40, 20],
      ]),
      [],
    );
    expect(change).toMatchObject({
      changedPixels: 850,
      ratio: 850 / 20_000,
      boxes: [
        { x: 20, y: 30, width: 10, height: 5 },
        { x: 150, y: 80, width: 40, height: 20 },
      ],
    });
    expect(change).not.toHaveProperty('sizes');
    const image = bytesOf(change.image);
    expect(sizeOf(image)).toEqual([200, 100]);
    expect(colorAt(image, 25, 32)).toBe('#ff0000');
    expect(colorAt(image, 5, 5)).toBe('#ffffff');
  });

  test('a shade is no change, and neither is what is ignored', async () => {
    const box: Box = [20, 30, 10, 5];
    const shade = await comparePictures(await png([box], 100), await png([box], 108), []);
    expect(shade).toEqual({ changedPixels: 0, ratio: 0, boxes: [] });
    const ignored = [{ x: 20, y: 30, width: 10, height: 4.5 }];
    const hidden = await comparePictures(await png([]), await png([box]), ignored);
    expect(hidden.changedPixels).toBe(0);
    const partly = [{ x: 0, y: 0, width: 25, height: 100 }];
    expect((await comparePictures(await png([]), await png([box]), partly)).boxes).toEqual([
      { x: 25, y: 30, width: 5, height: 5 },
    ]);
  });

  test('what only one of two sizes has is a change', async () => {
    const small = await writePng(picture(100, 50, []));
    const change = await comparePictures(small, await png([]), []);
    expect(change).toMatchObject({
      changedPixels: 200 * 100 - 100 * 50,
      sizes: { previous: { width: 100, height: 50 }, current: { width: 200, height: 100 } },
    });
  });

  test('a thousand places are one box', async () => {
    const dots: Box[] = Array.from({ length: 1000 }, (_, n) => [
      (n % 40) * 50,
      Math.floor(n / 40) * 50,
      1,
      1,
    ]);
    const before = await writePng(picture(2000, 1300, []));
    const { boxes, changedPixels } = await comparePictures(
      before,
      await writePng(picture(2000, 1300, dots)),
      [],
    );
    expect(changedPixels).toBe(1000);
    expect(boxes).toEqual([{ x: 0, y: 0, width: 1951, height: 1201 }]);
  });

  test('a PNG is read as it was written', async () => {
    const pixels = picture(37, 21, [[3, 4, 5, 6]], 77);
    expect(await readPng(await writePng(pixels))).toEqual(pixels);
  });

  test.each([
    ['no PNG', () => new Uint8Array([1, 2, 3]), /no PNG/],
    ['nothing', () => new Uint8Array(), /no PNG/],
    ['cut off', async () => (await png([])).subarray(0, 60), /.+/],
    ['without pixels', async () => (await png([])).subarray(0, 33), /.+/],
    ['larger than it says', async () => patched(await png([]), 16, 10), /.+/],
    ['smaller than it says', async () => patched(await png([]), 20, 300), /damaged/],
    ['far too large', async () => patched(await png([]), 16, 1_000_000), /too large/],
    ['of another depth', async () => patched(await png([]), 22, 0x10_06_00_00), /8 bits/],
    ['interlaced', async () => patched(await png([]), 25, 0x06_00_00_01), /not interlaced/],
  ])('what is %s is refused', async (_, make, message) => {
    const broken = await make();
    await expect(comparePictures(broken, await png([]), [])).rejects.toThrow(message);
  });
});

function patched(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(value, at);
  return copy;
}
