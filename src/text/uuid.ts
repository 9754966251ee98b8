/** Ids by a given source of chance, so that a test can make them repeatable, or by a text. */
import { createHash } from 'node:crypto';

/** A version 4 UUID (RFC 9562, 5.4) from numbers between 0 and 1. */
export function uuid(random: () => number): string {
  const bytes = Uint8Array.from({ length: 16 }, () => Math.floor(random() * 256));
  const view = new DataView(bytes.buffer);
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x40);
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
  const hex = Buffer.from(bytes).toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/** The same UUID for the same text, and a different one for any other. */
export function uuidOf(text: string): string {
  const digest = createHash('sha256').update(text).digest();
  let at = 0;
  return uuid(() => (digest[at++] ?? 0) / 256);
}
