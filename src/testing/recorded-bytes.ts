/** Bytes in a recording: text that a person can read where they are text, else packed. */
import { isUtf8, kMaxLength } from 'node:buffer';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';

/** A string is the bytes as UTF-8; base64 otherwise, deflated first where there are many. */
export type RecordedBytes = string | { readonly base64: string } | { readonly deflate: string };

/** Bytes up to which a reviewer may want to read them. */
const readableSize = 65_536;

/** Packs bytes; every byte comes back. */
export async function packBytes(bytes: Uint8Array): Promise<RecordedBytes> {
  const buffer = asBuffer(bytes);
  if (buffer.length > readableSize) {
    const small = await promisify(deflate)(buffer);
    if (small.length < buffer.length) return { deflate: small.toString('base64') };
  }
  return isUtf8(buffer) ? buffer.toString() : { base64: buffer.toString('base64') };
}

/** Unpacks at most `limit` bytes; undefined when there are more. Rejects for damaged data. */
export async function unpackBytes(
  packed: RecordedBytes,
  limit: number,
): Promise<Uint8Array | undefined> {
  const bytes =
    typeof packed === 'string'
      ? Buffer.from(packed)
      : 'base64' in packed
        ? Buffer.from(packed.base64, 'base64')
        : await inflated(Buffer.from(packed.deflate, 'base64'), limit);
  return bytes === undefined || bytes.length > limit ? undefined : bytes;
}

async function inflated(bytes: Buffer, limit: number): Promise<Buffer | undefined> {
  try {
    return await promisify(inflate)(bytes, {
      maxOutputLength: Math.min(Math.max(1, limit), kMaxLength),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
