/** Keys as bytes that sort as the keys do: by code unit. */

/**
 * UTF-16, the high byte first: no two strings are one, lone surrogates too. A zero goes before, so
 * that none is empty and something comes after every prefix.
 */
export function keyToBytes(key: string): Buffer {
  const bytes = Buffer.alloc(1 + 2 * key.length);
  bytes.write(key, 1, 'utf16le');
  bytes.subarray(1).swap16();
  return bytes;
}

/** The key of these bytes, which stay as they are. */
export function keyFromBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(1)).swap16().toString('utf16le');
}

/** The first bytes after all that start with `prefix`, which is a key's. */
export function afterPrefix(prefix: Uint8Array): Buffer {
  const last = prefix.findLastIndex((byte) => byte < 0xff);
  const after = Buffer.from(prefix.subarray(0, last + 1));
  after.writeUInt8(after.readUInt8(last) + 1, last);
  return after;
}
