/** The bytes of a file that may be gzip. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';

/** Unpacked when the file begins as gzip does, in any number of members. */
export async function* fileBytes(path: string): AsyncGenerator<Buffer, undefined, undefined> {
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    await once(file, 'readable');
    const start = file.read() as Buffer | null;
    if (start === null) return undefined;
    file.unshift(start);
    const isPacked = start[0] === 0x1f && start[1] === 0x8b;
    // What breaks off ends without an error here, so that all of it comes out: its reader tells.
    const options = { chunkSize: 1 << 18, finishFlush: constants.Z_SYNC_FLUSH };
    const bytes: AsyncIterable<Buffer> = isPacked
      ? pipeline(file, createGunzip(options), () => undefined)
      : file;
    yield* bytes;
  } finally {
    file.destroy();
  }
  return undefined;
}
