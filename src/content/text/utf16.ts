/** Detects UTF-16 by a byte order mark, or by the zero bytes of ASCII characters. */

/** The encoding, or undefined when it is not UTF-16. */
export function utf16Encoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const head = bytes.subarray(0, looked);
  return head.includes(0) ? byZeros(head) : undefined;
}

const looked = 1024; // bytes examined

/**
 * Markup, digits and spaces leave a zero in every second byte. Text of other letters has these zeros
 * at least for its spaces; other data has zeros on both sides, or few.
 */
function byZeros(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  let even = 0;
  let odd = 0;
  head.forEach((byte, index) => {
    if (byte !== 0) return;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  });
  const enough = Math.max(2, head.length / 2 / 20);
  if (odd >= enough && even * 20 <= odd) return 'utf-16le';
  if (even >= enough && odd * 20 <= even) return 'utf-16be';
  return undefined;
}
