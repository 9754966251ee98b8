/** Numbers that look random and are the same in every run. */
import { createHash } from 'node:crypto';

/** A generator of numbers from 0 up to 1. Equal seeds give equal sequences. */
export function seededRandom(seed: string | number): () => number {
  let count = 0;
  return () => {
    const hash = createHash('sha256').update(`${seed}:${count++}`).digest();
    return hash.readUIntBE(0, 6) / 2 ** 48;
  };
}
