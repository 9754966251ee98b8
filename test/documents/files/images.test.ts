/** Sizes of images as they are shown, frames, and images whose types or bytes are wrong. */
import { readFileSync } from 'node:fs';
import { parse } from 'pagewright';
import { describe, expect, test } from 'vitest';

const image = (name: string): Buffer =>
  readFileSync(new URL(`../../../fixtures/files/images/${name}`, import.meta.url));
const read = (bytes: Uint8Array | string, contentType = ''): ReturnType<typeof parse> =>
  parse(bytes, { contentType, url: 'https://files.example/x' });
const sizeOf = async (bytes: Uint8Array): Promise<string> => {
  const { metadata } = await read(bytes);
  return `${String(metadata['og:image:width'])}x${String(metadata['og:image:height'])}`;
};

test('a turned AVIF has the size that is shown, a mirrored one that of its file', async () => {
  expect(await sizeOf(image('turned.avif'))).toBe('40x60');
  expect(await sizeOf(image('mirrored.avif'))).toBe('60x40');
});

test('of a HEIC its boxes count, not what EXIF says of a turn', async () => {
  expect(await sizeOf(image('photo.heic'))).toBe('60x40');
  expect((await read(image('photo.heic'))).metadata.author).toBe('Ada Quay');
});

test('a primary picture that is not there leaves the largest size in the file', async () => {
  const bytes = image('turned.avif');
  const at = bytes.indexOf('pitm');
  bytes.writeUInt16BE(2, at + 8);
  expect(await sizeOf(bytes)).toBe('60x40');
});

test('frames are counted, of a picture that does not move none are told', async () => {
  expect((await read(image('moving.gif'))).markdown).toContain(', 3 frames, ');
  expect((await read(image('moving.webp'))).markdown).toContain(', 3 frames, ');
  expect((await read(image('plain.gif'))).markdown).not.toContain('frame');
  const cut = image('moving.gif');
  expect((await read(cut.subarray(0, 90))).markdown).toContain('GIF image, 24 × 16 pixels');
});

describe('a bitmap', () => {
  test.each(['', 'image/bmp', 'image/x-ms-bmp', 'image/x-bmp', 'text/plain'])(
    'is one under the type "%s"',
    async (type) => {
      const { metadata } = await read(image('tiny.bmp'), type);
      expect(metadata.contentType).toBe('image/bmp');
      expect(metadata['og:image:width']).toBe('16');
    },
  );

  test('of OS/2 has a smaller head', async () => {
    expect(await sizeOf(image('os2.bmp'))).toBe('20x10');
  });

  test('is no text that begins with BM', async () => {
    const { markdown } = await read('BM is a mark, (and words follow it here.', 'text/plain');
    expect(markdown).toBe('BM is a mark, (and words follow it here.');
  });
});

test('a JPEG that is progressive and has four colors has a size', async () => {
  expect(await sizeOf(image('cmyk-progressive.jpg'))).toBe('60x40');
});

test.each(['turned.avif', 'photo.heic', 'moving.gif', 'moving.webp', 'os2.bmp'])(
  '%s with bytes changed or cut anywhere is read, or refused by its code',
  async (name) => {
    const whole = image(name);
    for (let at = 12; at < whole.length; at += 9) {
      const bent = Buffer.from(whole);
      bent.fill(0xff, at, Math.min(whole.length, at + 4));
      for (const bytes of [bent, whole.subarray(0, at)]) {
        const found = await read(bytes).then(
          () => 'read',
          (error: unknown) => (error as { code?: string }).code,
        );
        expect(found).toMatch(/^(?:read|UNSUPPORTED_CONTENT)$/);
      }
    }
  },
);
