/** A document as bytes and back, packed where that saves memory. */
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { PagewrightError } from '../errors.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Smaller ones are left as they are. */
const smallest = 2048;
/**
 * A document of 36 KB becomes 11 KB in 0.3 ms, 0.1 ms of them on this thread. No other setting of
 * brotli or deflate that takes less than 10 ms makes it a tenth smaller.
 */
const parameters = {
  [constants.BROTLI_PARAM_QUALITY]: 2,
  [constants.BROTLI_PARAM_LGWIN]: 18,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
};

/** Bytes that are unpacked at once. */
const chunk = 65_536;

/** The first byte of the packed form. */
const plain = 0;
const brotli = 1;

/** A document as bytes; throws `HOOK_FAILED` for what is no plain data. */
export function documentBytes(document: unknown): Uint8Array {
  try {
    return serialize(document);
  } catch (error) {
    throw new PagewrightError(
      'HOOK_FAILED',
      `A document cannot be stored: ${(error as Error).message} A format or hook of your own must give plain data.`,
      { cause: error },
    );
  }
}

/** The document of `documentBytes`: dates, maps and bytes come back as they were. */
export function documentOf(raw: Uint8Array): unknown {
  return deserialize(raw);
}

/** The form in which bytes are stored. */
export async function packBytes(raw: Uint8Array): Promise<Uint8Array> {
  if (raw.length < smallest) return withHead(plain, raw);
  const params = { ...parameters, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length };
  return withHead(brotli, await compress(raw, { params }));
}

/** What `packBytes` packed. */
export async function unpackBytes(packed: Uint8Array): Promise<Uint8Array> {
  const body = packed.subarray(1);
  return packed[0] === brotli ? decompress(body, { chunkSize: chunk }) : body;
}

function withHead(form: number, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(body.length + 1);
  bytes[0] = form;
  bytes.set(body, 1);
  return bytes;
}
