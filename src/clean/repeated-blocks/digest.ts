/** Hashes of 53 bits that grow piece by piece: the same in every process, and no secret is kept by them. */

/** A new hash from one and what comes after it; the order counts. */
export function mix(hash: number, next: number): number {
  let low = Math.imul(hash ^ next, 0x9e3779b1);
  let high = Math.imul(upper(hash) ^ upper(next) ^ (low >>> 16), 0x85ebca6b);
  low = Math.imul(low ^ (high >>> 13), 0xc2b2ae35);
  high ^= low >>> 15;
  return join(high, low);
}

/** A hash with text after it; white space between words counts as one space. */
export function mixText(hash: number, text: string): number {
  let low = 0x1b873593;
  let high = 0x2545f491;
  let inSpace = false;
  for (let index = 0; index < text.length; index += 1) {
    let code = text.charCodeAt(index);
    if (isSpace(code)) {
      if (inSpace) continue;
      code = 0x20;
    }
    inSpace = code === 0x20;
    low = Math.imul(low ^ code, 0x85ebca6b);
    high = Math.imul(high ^ code, 0x5f356495);
  }
  return mix(hash, join(high ^ (low >>> 16), low ^ (high >>> 15)));
}

/** Spaces, line ends, tabs; also the spaces that do not break. */
export function isSpace(code: number): boolean {
  return code <= 0x20 || code === 0xa0;
}

function upper(hash: number): number {
  return (hash / 0x1_0000_0000) | 0;
}

function join(high: number, low: number): number {
  return (high & 0x1f_ffff) * 0x1_0000_0000 + (low >>> 0);
}
