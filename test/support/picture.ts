/** What is on a picture: enough of PNG and JPEG to look at a screenshot in a test. */
import { inflateSync } from 'node:zlib';

/** The bytes of a `data:` URI. */
export function bytesOf(uri: string | undefined): Buffer {
  const [, base64] =
    /^data:(?:image\/png|image\/jpeg|application\/pdf);base64,([^]+)$/.exec(uri ?? '') ?? [];
  if (base64 === undefined) throw new Error(`Not a data: URI of a picture: ${uri?.slice(0, 40)}`);
  return Buffer.from(base64, 'base64');
}

/** Width and height in pixels, PNG or JPEG. */
export function sizeOf(bytes: Uint8Array): [width: number, height: number] {
  const buffer = Buffer.from(bytes);
  if (buffer.readUInt32BE(0) === 0x89504e47)
    return [buffer.readInt32BE(16), buffer.readInt32BE(20)];
  // Segments of a JPEG up to the frame header.
  for (let at = 2; at < buffer.length; at += 2 + buffer.readUInt16BE(at + 2)) {
    const marker = buffer[at + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xc2) {
      return [buffer.readUInt16BE(at + 7), buffer.readUInt16BE(at + 5)];
    }
  }
  throw new Error('Neither PNG nor JPEG.');
}

/** The colour at a place of a PNG as Chromium writes it (8 bits a channel), such as `#ff0000`. */
export function colorAt(png: Uint8Array, x: number, y: number): string {
  const buffer = Buffer.from(png);
  const [width] = sizeOf(buffer);
  const channels = buffer[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < buffer.length; at += 12 + buffer.readUInt32BE(at)) {
    const type = buffer.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') parts.push(buffer.subarray(at + 8, at + 8 + buffer.readUInt32BE(at)));
  }
  const rows = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, channels, y);
  return `#${rows.subarray(x * channels, x * channels + 3).toString('hex')}`;
}

/** The bytes of one row (PNG specification, filters 0 to 4). */
function unfiltered(data: Buffer, length: number, step: number, row: number): Buffer {
  let above = Buffer.alloc(length);
  for (let y = 0; ; y++) {
    const start = y * (length + 1);
    const filter = data[start] ?? 0;
    const line = Buffer.from(data.subarray(start + 1, start + 1 + length));
    for (let x = 0; filter !== 0 && x < length; x++) {
      const left = line[x - step] ?? 0;
      const up = above[x] ?? 0;
      const guess =
        filter === 1
          ? left
          : filter === 2
            ? up
            : filter === 3
              ? (left + up) >> 1
              : paeth(left, up, above[x - step] ?? 0);
      line[x] = ((line[x] ?? 0) + guess) & 0xff;
    }
    if (y === row) return line;
    above = line;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const a = Math.abs(guess - left);
  const b = Math.abs(guess - up);
  const c = Math.abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
