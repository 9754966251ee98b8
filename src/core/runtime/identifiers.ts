/** Identifiers: UUIDs from a given random source, hashes, and texts that resemble ids or tokens. */
import { createHash, hash } from 'node:crypto';

/** A version 4 UUID (RFC 9562, 5.4) from numbers between 0 and 1. */
export function uuid(random: () => number): string {
  return uuidFrom(Buffer.from(Array.from({ length: 16 }, () => Math.floor(random() * 256))));
}

/** The same UUID for the same text, and another for any other text. */
export function uuidOf(text: string): string {
  return uuidFrom(hash('sha256', text, 'buffer'));
}

/** The SHA-256, in hexadecimal digits. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The first 16 digits of the SHA-256 of a value as JSON. */
export function shortHash(value: unknown): string {
  return sha256Of(JSON.stringify(value)).slice(0, 16);
}

/** A version 4 UUID with the other bits of the first 16 bytes. */
function uuidFrom(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  const [version, variant] = [hex.slice(12, 16), hex.slice(16, 20)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}-${variant}-${hex.slice(20)}`;
}

// Recognizes ids and tokens, which are generated text.

const uuidPattern = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;

/**
 * True for UUIDs, for hexadecimal and other random tokens of letters and digits, and for numbers of at least ten
 * digits. False for words with a number (`iphone-15`, `covid19`) and for slugs.
 */
export function looksRandom(text: string): boolean {
  if (text.length < 8 || text.length > 512) return false;
  if (/^\d+$/.test(text)) return text.length >= 10;
  if (uuidPattern.test(text)) return true;
  if (/^[\da-f]+$/i.test(text) && text.length >= 16 && /\d/.test(text)) return true;
  if (!/^[\w+/=~.-]+$/.test(text)) return false;
  // Three or more words are a sentence, however many numbers it has.
  if (text.split(/[-_.~]/).filter((word) => /^[a-z]{3,}$/i.test(word)).length >= 2) return false;
  const turns = text.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0;
  return turns >= 3 && turns * 5 >= text.length;
}
