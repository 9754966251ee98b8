/** What two texts are compared by: a hash that does not see how much white space there is. */
import { createHash } from 'node:crypto';
import { pauses } from './pause.ts';

/** Characters that are folded at once. */
const step = 256 * 1024;

/** Equal for texts that differ in white space only; everything else counts, order and digits too. */
export async function foldedHash(text: string): Promise<string> {
  const hash = createHash('sha256');
  const trimmed = text.trimEnd();
  const pause = pauses();
  let endsInSpace = true;
  for (let at = 0; at < trimmed.length; at += step) {
    const folded = trimmed.slice(at, at + step).replace(/\s+/g, ' ');
    const part: string = endsInSpace && folded.startsWith(' ') ? folded.slice(1) : folded;
    if (part !== '') endsInSpace = part.endsWith(' ');
    // Not UTF-8: a step may end within a pair of surrogates.
    hash.update(part, 'utf16le');
    await pause();
  }
  return hash.digest('hex').slice(0, 32);
}
