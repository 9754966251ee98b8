/** The head of a PNG file, with as many bytes as a test wants. */

/** A file that is recognised as a PNG of this size; `text` tells files of one size apart. */
export function smallPng(width: number, height: number, text = ''): Buffer {
  const head = Buffer.alloc(33);
  head.write('89504e470d0a1a0a0000000d49484452', 'hex');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  head.write('0806000000', 24, 'hex');
  return Buffer.concat([head, Buffer.from(text)]);
}
