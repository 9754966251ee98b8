/** Whether a PDF lacks what its end should be: pdf.js recovers it silently, and the caller should know. */

/** Bytes at the end that are looked at (ISO 32000-1, 7.5.5, with room for what mailers add). */
const tail = 2048;

/** True when the end is missing, or does not point to the table of objects. */
export function isDamaged(body: Uint8Array): boolean {
  const end = latin1(body.subarray(Math.max(0, body.length - tail)));
  const found = /startxref\s+(\d{1,15})\s+%%EOF/g;
  const offsets = [...end.matchAll(found)].map((match) => Number(match[1]));
  const offset = offsets.at(-1);
  if (offset === undefined) return true;
  const start = startOf(body);
  return ![offset, offset + start].some((at) =>
    /^\s*(?:xref|\d+\s+\d+\s+obj)/.test(latin1(body.subarray(at, at + 40))),
  );
}

/** Offsets may count from the signature, which need not be the first thing. */
function startOf(body: Uint8Array): number {
  return Math.max(0, latin1(body.subarray(0, 1024)).indexOf('%PDF-'));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
