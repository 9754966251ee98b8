/** Writes a bitmap as PNG, grey where nothing in it has a color (PNG 1.2, chapter 4). */
import { crc32, deflateSync } from 'node:zlib';
import type { Bitmap } from './bitmap.ts';

/** A file that any engine reads; `scale`: pixels a point, which it is told too. */
export function encodePng({ width, height, rgb }: Bitmap, scale: number): Uint8Array<ArrayBuffer> {
  const isGrey = hasNoColor(rgb);
  const depth = isGrey ? 1 : 3;
  const row = width * depth;
  // Each row begins with its filter, 0: none.
  const raw = new Uint8Array((row + 1) * height);
  for (let y = 0; y < height; y += 1) {
    const to = y * (row + 1) + 1;
    if (isGrey) for (let x = 0; x < width; x += 1) raw[to + x] = rgb[(y * width + x) * 3] ?? 0;
    else raw.set(rgb.subarray(y * row, (y + 1) * row), to);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, isGrey ? 0 : 2], 8);
  // Pixels a meter.
  const density = Buffer.alloc(9);
  density.writeUInt32BE(Math.round((scale * 72) / 0.0254), 0);
  density.writeUInt32BE(Math.round((scale * 72) / 0.0254), 4);
  density[8] = 1;
  const parts = [
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('pHYs', density),
    chunk('IDAT', deflateSync(raw, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return new Uint8Array(Buffer.concat(parts));
}

function hasNoColor(rgb: Uint8Array): boolean {
  for (let at = 0; at < rgb.length; at += 3) {
    if (rgb[at] !== rgb[at + 1] || rgb[at] !== rgb[at + 2]) return false;
  }
  return true;
}

function chunk(type: string, bytes: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), bytes]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(bytes.length, 0);
  frame.set(body, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
