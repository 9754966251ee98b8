/** The bytes of a page as a string that can be searched. */

/** One character for each byte: markup is ASCII in all encodings of pages but UTF-16. */
export function sourceOf(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const [first = 0, second = 0] = bytes;
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) {
    return bytes.toString('utf16le');
  }
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return bytes.toString('latin1');
}

/** A part of such a string as text, where it is UTF-8. */
export function decoded(part: string): string {
  return /[^\0-\xff]/.test(part) ? part : Buffer.from(part, 'latin1').toString('utf8');
}
