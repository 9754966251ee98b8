/** Any value of a document as JSON. */
import { PagewrightError } from '../errors.ts';

/**
 * One line. Dates are ISO 8601, bytes `data:` URIs, maps objects, sets lists, big integers strings.
 * Throws `BAD_REQUEST` for what has no JSON: a value that holds itself.
 */
export function plainJson(value: unknown, url: string): string {
  try {
    return JSON.stringify(value, plain);
  } catch (error) {
    const message = `The document of ${url} cannot be written as JSON: ${(error as Error).message} A format or hook of your own must give plain data.`;
    throw new PagewrightError('BAD_REQUEST', message, { url, cause: error });
  }
}

/** `value` may have passed a `toJSON` already: a Buffer has one. */
function plain(this: unknown, key: string, value: unknown): unknown {
  const held = (this as Readonly<Record<string, unknown>>)[key];
  if (held instanceof Uint8Array) {
    const bytes = Buffer.from(held.buffer, held.byteOffset, held.byteLength);
    return `data:application/octet-stream;base64,${bytes.toString('base64')}`;
  }
  if (held instanceof Map) return Object.fromEntries(held);
  if (held instanceof Set) return [...held];
  return typeof value === 'bigint' ? String(value) : value;
}
