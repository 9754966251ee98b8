/**
 * How many characters one letter of a font may stand for. pdf.js takes whatever the font's table says:
 * a letter that stands for 100,000 and is written as often fills all memory, and where one array is
 * larger than what is left of a thread's, V8 ends the process and not only the thread.
 */
import { isMainThread } from 'node:worker_threads';

/** Ligatures of Arabic stand for 18. */
const most = 64;
let isLimited = false;

/** From now on such a table is a `RangeError` on this thread, and pdf.js goes without it. Not on the main thread. */
export function limitLetters(): void {
  if (isMainThread || isLimited) return;
  isLimited = true;
  const { fromCodePoint } = String;
  String.fromCodePoint = (...codes) => {
    if (codes.length > most) {
      throw new RangeError(`A letter that stands for ${codes.length} characters is no letter.`);
    }
    return fromCodePoint(...codes);
  };
}
